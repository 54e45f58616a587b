/* A list of games that can be filtered, sorted and paged through. Each game has `players` (the names of Black and White), `score` (discs
   for Black, or undefined), `kind` (what the last filter is about), and `keys`: numbers or texts by which the columns are sorted.
   `rowOf` makes or finds the row of a game; `changed` is called when other games are listed. */
function makeList(games, { perPage = Infinity, rowOf, changed = () => {} }) {
  const RESULTS = { any: ["Black won", "draw", "White won"], one: ["won", "drawn", "lost"] };
  let shown = games.map((_, index) => index), page = 0;
  let column = -1, sign = 1;

  function showPage(newPage) {
    const nPages = Math.max(1, Math.ceil(shown.length / perPage));
    page = Math.min(Math.max(newPage, 0), nPages - 1);
    const first = nPages === 1 ? 0 : page * perPage;
    const part = shown.slice(first, first + perPage);
    byId("rows").replaceChildren(...part.map(index => rowOf(games[index], index)));
    byId("page-text").textContent = shown.length === 0 ? "No game matches." :
      nPages > 1 ? "Games " + (first + 1) + "\u2013" + (first + part.length) + " of " + shown.length :
      shown.length < games.length ? shown.length + " of " + games.length + " games" : "";
    byId("previous-page").hidden = byId("next-page").hidden = nPages === 1;
    byId("previous-page").disabled = page === 0;
    byId("next-page").disabled = page === nPages - 1;
  }

  function showResults(player) {
    const select = byId("filter-result"), chosen = select.value;
    const texts = player === "" ? RESULTS.any : RESULTS.one;
    const choices = [["", "any"], ...texts.map((text, index) => [1 - index, text])];
    select.replaceChildren(...choices.map(([value, text]) => element("option", { value }, text)));
    select.value = chosen;
  }

  function compare(one, other) {
    const [a, b] = [games[one].keys[column], games[other].keys[column]];
    /* What is not known comes last. */
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  }

  function update() {
    const [player, result, kind] = ["player", "result", "kind"].map(name => byId("filter-" + name).value);
    showResults(player);
    const matches = game => (player === "" || game.players.includes(player))
      && (result === "" || game.score !== undefined
        && Math.sign(player !== "" && game.players[1] === player ? -game.score : game.score) === Number(result))
      && (kind === "" || game.kind === kind);
    shown = games.map((_, index) => index).filter(index => matches(games[index]));
    if (column >= 0) shown.sort(compare);
    showPage(0);
    changed();
  }

  function sortBy(index) {
    sign = index === column ? -sign : 1;
    column = index;
    [...byId("columns").cells].forEach((head, at) => {
      if (at === column) head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    update();
  }

  [...byId("columns").cells].forEach((head, index) => {
    const button = element("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sortBy(index));
    head.append(button);
  });
  const choices = [["player", games.flatMap(game => game.players)], ["kind", games.map(game => game.kind)]];
  for (const [name, values] of choices) {
    const sorted = [...new Set(values)].filter(value => value !== "").sort((a, b) => a.localeCompare(b));
    byId("filter-" + name).append(...sorted.map(value => element("option", { value }, value)));
  }
  byId("filters").hidden = false;
  byId("filters").addEventListener("change", update);
  onButton("previous-page", "next-page", () => showPage(page - 1));
  onButton("next-page", "previous-page", () => showPage(page + 1));
  showResults("");
  showPage(0);

  return {
    /* Shows the page with a game. */
    showGame: index => showPage(shown.includes(index) ? Math.floor(shown.indexOf(index) / perPage) : page),
    /* The game listed behind another one, or before it. */
    neighbor: (index, step) => {
      const at = shown.indexOf(index);
      return at < 0 ? shown.at(step > 0 ? 0 : -1) : shown[at + step];
    },
  };
}
