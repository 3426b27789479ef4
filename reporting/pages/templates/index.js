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
    n: row[7],
    passed: row[8],
    answered: row[9],
    metrics: row[10],
    trend: row[11] || [],
    ofItself: row[12] === 1,
    against: row[13] || "",
    text: searched([row[0], row[3], row[6], data.profiles[row[4]]].join("\n")),
  }));
  let found = [];
  let page = 0;

  function refresh() {
    const words = searched(byId("f-text").value).split(/\s+/).filter(Boolean);
    const profile = byId("f-profile").value;
    const refused = byId("f-problem").checked;
    found = rows.filter((row) =>
      words.every((word) => row.text.includes(word)) &&
      (profile === "" || row.profile === Number(profile)) &&
      (!refused || row.refused || row.lookAt !== ""));
    page = 0;
    drawPage();
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
      cells.push(element("td", [link]), element("td", state, "n"));
      cells.push(element("td", row.n, "r"), element("td", row.passed, "r"), element("td", row.answered, "r"),
        element("td", drawTrend(row)));
      for (const metric of row.metrics) cells.push(drawMetric(...metric));
      cells.push(element("td", row.against ? parts(row.against) : "—", "against"));
    } else { // one cell with what is wrong: there are no figures beside it
      const told = element("div", [link, " · ", ...state, element("span", row.first, "why")], "told");
      cells.push(element("td", [told]));
      cells[0].colSpan = data.metrics.length + 7;
    }
    cells.push(element("td", row.lookAt, "r"));
    return element("tr", cells, row.refused ? "bad" : "");
  }

  // A long name breaks behind its `_`, `-`, `.` and `/`, not within a word.
  function parts(name) {
    return name.split(/(?<=[-_./])/).flatMap((part, at) => (at ? [element("wbr"), part] : [part]));
  }

  function drawMetric(value, change, interval) {
    const cell = element("td", value, "r");
    if (interval) cell.title = t("interval", { interval });
    if (change) cell.append(element("small", change, change[0] === "▲" ? "up" : change[0] === "▼" ? "down" : ""));
    return cell;
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
    title.textContent = t(row.ofItself ? "trend-own" : "trend-profile", { rates });
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", "M" + points.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L"));
    const dot = document.createElementNS(SVG, "circle");
    const [x, y] = points[points.length - 1];
    for (const [key, value] of [["cx", x], ["cy", y], ["r", 3]]) dot.setAttribute(key, String(value));
    drawing.append(title, path, dot);
    return [drawing];
  }

  const titles = [t("set"), t("state"), t("items"), t("passed"), t("answered"), data.texts.trend, ...data.metrics, t("against"), t("look-at")];
  byId("titles").append(...titles.map((title, at) => {
    const cell = element("th", title, at > 1 && at !== 5 && at !== data.metrics.length + 6 ? "r" : "");
    cell.scope = "col";
    return cell;
  }));
  fill(byId("f-profile"), data.profiles);
  const form = byId("filters");
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(refresh));
  byId("back").addEventListener("click", () => { page -= 1; drawPage(); });
  byId("next").addEventListener("click", () => { page += 1; drawPage(); });
  refresh();
})();
