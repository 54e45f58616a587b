"""The client for Python, with the program at OTHELLIER or that of the installed package."""
import os
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "scripts/python"))
from othellier import Othellier

COMMAND = [os.environ["OTHELLIER"], "json"] if "OTHELLIER" in os.environ else None


class ClientTest(unittest.TestCase):
    def test_answers_come_to_their_requests(self):
        with Othellier("--threads", "1", command=COMMAND) as engine:
            game = engine.ask(moves="f5d6c3", plies="all", depth=4)
            opponent = engine.ask(moves="f5", strength=20, seed=7)
            self.assertIn(opponent.answer()["move"], ["d6", "f4", "f6"])
            self.assertEqual(sorted(game.answer()["ply"] for _ in range(4)), [0, 1, 2, 3])

    def test_errors_stay(self):
        with Othellier(command=COMMAND) as engine:
            with self.assertRaisesRegex(ValueError, "id"):
                engine.ask(id=1, moves="f5")
            request = engine.ask(moves="f5z9")
            for _ in range(2):
                with self.assertRaisesRegex(ValueError, "moves: no move at 'z9'"):
                    request.answer()

    def test_reports_and_cancel(self):
        with Othellier(command=COMMAND) as engine:
            request = engine.ask(position="-" * 27 + "OX------XO" + "-" * 27 + " X", time=600, report_every=0.1)
            with self.assertRaises(TimeoutError):
                engine.ask(time=600, moves="f5").answer(timeout=0.01)
            reports = []
            for report in request.reports():
                reports.append(report)
                request.cancel()
            self.assertTrue(reports[0]["partial"] and reports[-1]["canceled"])

    def test_the_end_is_heard(self):
        engine = Othellier(command=COMMAND)
        request = engine.ask(moves="f5", time=600)
        engine.process.kill()
        with self.assertRaisesRegex(ValueError, "the engine has ended"):
            request.answer()
        with self.assertRaisesRegex(ValueError, "the engine has ended"):
            engine.ask(moves="f5")
        engine.close()
