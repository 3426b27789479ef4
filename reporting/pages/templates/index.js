// The list of all sets: search, filters and pages over the rows that the page carries.
(() => {
  const PAGE = 100;
  const SVG = "http://www.w3.org/2000/svg";
  const rows = data.rows.map((row) => ({
    name: row[0],
    href: row[1],
    refused: row[2] === 1,
    mark: row[3],
    profile: row[4],
    lookAt: row[5],
    first: row[6],
    gate: row[7],
    n: row[8],
    passed: row[9],
    answered: row[10],
    metrics: row[11],
    trend: row[12] || [],
    executed: row[13] || "",
    baseline: row[14] || "",
    compared: row[15] || "",
    told: row[16] || "",
    text: searched([row[0], row[3], row[6], data.profiles[row[4]]].join("\n")),
  }));
  let found = [];
  let page = 0;
  let sorted = -1; // column, -1 for the order of the page
  let falling = false;

  function refresh() {
    const words = searched(byId("f-text").value).split(/\s+/).filter(Boolean);
    const profile = byId("f-profile").value;
    const refused = byId("f-problem").checked;
    const state = byId("f-state").value;
    const gate = byId("f-gate").value;
    found = rows.filter((row) =>
      words.every((word) => row.text.includes(word)) &&
      (profile === "" || row.profile === Number(profile)) &&
      (state === "" || Number(row.refused) === Number(state)) &&
      (gate === "" || row.gate === Number(gate)) &&
      (!refused || row.refused || row.lookAt !== ""));
    if (sorted >= 0) found.sort(compare);
    page = 0;
    drawPage();
  }

  // Numbers by size, names as in Korean; what has no value is last either way.
  function compare(one, other) {
    const [a, b] = [one, other].map((row) => keys[sorted](row) ?? "");
    const [x, y] = [a, b].map((value) => (typeof value === "number" ? value : parseFloat(value.replaceAll(",", ""))));
    const none = [a, b].map((value) => value === "" || value === "—");
    if (none[0] || none[1]) return Number(none[0]) - Number(none[1]);
    const way = texted.has(sorted) ? a.localeCompare(b, document.documentElement.lang, { numeric: true }) : x - y;
    return falling ? -way : way;
  }

  function sortBy(at) {
    if (sorted === at) falling = !falling;
    else [sorted, falling] = [at, false];
    [...byId("titles").children].forEach((cell, place) => {
      cell.ariaSort = place === at ? (falling ? "descending" : "ascending") : "none";
    });
    refresh();
  }

  function drawPage() {
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    byId("rows").replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(drawRow));
    byId("found").textContent = t("found", { found: COUNT.format(found.length), total: COUNT.format(rows.length) });
    byId("page").textContent = t("page", { page: page + 1, pages });
    byId("back").disabled = page === 0;
    byId("next").disabled = page >= pages - 1;
  }

  function drawRow(row) {
    const link = element("a", parts(row.name), "name");
    link.href = row.href;
    const state = [data.states[row.refused ? 1 : 0], row.mark && element("small", row.mark)].filter(Boolean);
    const cells = [];
    if (row.metrics) {
      cells.push(element("td", [link]), element("td", state, "n"), element("td", row.executed, "n"));
      cells.push(element("td", row.n, "r"), element("td", row.passed, "r"), element("td", row.answered, "r"),
        element("td", drawTrend(row)));
      for (const metric of row.metrics) cells.push(drawMetric(row, ...metric));
      cells.push(element("td", [drawBaseline(row)], "against"));
    } else { // one cell with what is wrong: there are no figures beside it
      const told = element("div", [link, " · ", ...state, element("span", row.first, "why")], "told");
      cells.push(element("td", [told]));
      cells[0].colSpan = data.metrics.length + 8;
    }
    cells.push(element("td", row.lookAt, "r"));
    return element("tr", cells, row.refused ? "bad" : "");
  }

  // A long name breaks behind its `_`, `-`, `.` and `/`, not within a word.
  function parts(name) {
    return name.split(/(?<=[-_./])/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
  }

  function drawMetric(row, value, mark, interval) {
    const cell = element("td", value, "r");
    if (interval) cell.title = t("interval", { interval });
    if (mark) {
      const small = element("small", [drawLink(row, mark)], mark === "▲" ? "up" : mark === "▼" ? "down" : "");
      cell.append(small);
    }
    return cell;
  }

  function drawBaseline(row) {
    return row.compared ? drawLink(row, parts(row.baseline)) : "—";
  }

  function drawLink(row, content) {
    const link = element("a", content);
    link.href = row.compared;
    link.title = row.told;
    return link;
  }

  function drawTrend(row) {
    if (row.trend.length < 2) return [];
    const step = 90 / (row.trend.length - 1);
    const points = row.trend.map((rate, at) => [3 + at * step, 21 - 18 * rate]);
    const drawing = document.createElementNS(SVG, "svg");
    drawing.setAttribute("class", "spark");
    drawing.setAttribute("viewBox", "0 0 96 24");
    drawing.setAttribute("role", "img");
    const title = document.createElementNS(SVG, "title");
    const rates = row.trend.map((rate) => (rate * 100).toFixed(1) + "%").join(", ");
    title.textContent = t("trend-profile", { rates });
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", "M" + points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L"));
    const dot = document.createElementNS(SVG, "circle");
    const [x, y] = points[points.length - 1];
    for (const [key, value] of [["cx", x], ["cy", y], ["r", 3]]) dot.setAttribute(key, String(value));
    drawing.append(title, path, dot);
    return [drawing];
  }

  const titles = [t("set"), t("state"), t("executed"), t("items"), t("passed"), t("answered"), data.texts.trend,
    ...data.metrics, t("against"), t("look-at")];
  const keys = [(row) => row.name, (row) => row.mark + data.states[Number(row.refused)], (row) => row.executed,
    (row) => row.n, (row) => row.passed, (row) => row.answered, (row) => row.trend.at(-1),
    ...data.metrics.map((_, at) => (row) => row.metrics && row.metrics[at][0]),
    (row) => row.baseline, (row) => row.lookAt];
  const texted = new Set([0, 1, 2, keys.length - 2]);
  byId("titles").append(...titles.map((title, at) => {
    const button = element("button", title);
    button.type = "button";
    button.addEventListener("click", () => sortBy(at));
    const cell = element("th", [button], texted.has(at) || at === 6 ? "" : "r");
    cell.scope = "col";
    return cell;
  }));
  fill(byId("f-profile"), data.profiles);
  fill(byId("f-state"), data.states);
  fill(byId("f-gate"), data.gates);
  byId("f-gate").parentElement.hidden = rows.every((row) => row.gate < 0);
  const form = byId("filters");
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(refresh));
  byId("back").addEventListener("click", () => { page -= 1; drawPage(); });
  byId("next").addEventListener("click", () => { page += 1; drawPage(); });
  refresh();
})();
