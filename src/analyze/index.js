(() => {
  /* A number, the sum of one for each side, or a text. */
  function keyOf(cell) {
    const lines = cell.innerHTML.split("<br>").map(line => line.replace("\u2212", "-"));
    return lines.some(line => line === "" || Number.isNaN(Number(line))) ? cell.textContent :
      lines.reduce((sum, line) => sum + Number(line), 0);
  }

  const games = [...byId("rows").rows].map(row => {
    const [number, names, lost, errors, result, opening] = row.cells;
    const players = [...names.querySelectorAll("bdi")].map(name => name.textContent);
    const score = typeof keyOf(result) === "number" ? keyOf(result) : undefined;
    const keys = [Number(number.textContent), players.join(), keyOf(lost), keyOf(errors), score ?? "", opening.textContent];
    return { row, players, score, kind: opening.textContent, keys };
  });
  makeList(games, { rowOf: game => game.row });
})();
