"""Names the platform that the wheel is for, which only the programs within know: that of WHEEL_PLATFORM."""
import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Platform(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ['WHEEL_PLATFORM']}"
