// The item table of a report: search, filters and order, which the address holds, and the panel.
(() => {
  const PAGE = 50;
  const OF_ITEM = ["report", "query", "of", "at", "in"]; // names of an address
  const OF_TABLE = ["text", "metric", "from", "below", "differ", "sort"];
  const USUAL_ORDER = "-lost";
  const MOST_PRINTED = 2000;
  const panel = byId("panel");
  const selects = new Map();
  const order = { column: null, down: true, items: [] };
  let found = [];
  let page = 0;
  let open = null; // the item in the panel
  let other = null; // the one that its answer is compared with
  let onPaper = false;
  let isLeft = false;

  // Filters.

  function drawFilters() {
    data.facets.forEach((facet) => {
      const select = element("select");
      select.id = "f-" + facet.name;
      const everything = element("option", t("everything"));
      everything.value = "";
      select.append(everything);
      fill(select, facet.names);
      const label = element("label", [facet.title, select]);
      label.hidden = facet.keys.length < 2;
      selects.set(facet.name, select);
      byId("facets").append(label);
    });
    fill(byId("f-metric"), data.metrics.map(([, title]) => title));
  }

  // The steps of a score on its own scale: 0.5 of 5 points, 0.1 of a level's 0 to 1.
  function measure() {
    const scale = data.scales[Number(byId("f-metric").value)] || 0;
    for (const name of ["f-from", "f-below"]) {
      byId(name).max = String(scale);
      byId(name).step = String(scale / 10);
    }
  }

  function bound(name) {
    const value = byId(name).value;
    return value === "" ? null : Number(value);
  }

  function tests() {
    const wanted = [];
    for (const [name, select] of selects) {
      if (select.value === "") continue;
      const [value, at] = [Number(select.value), facetAt.get(name)];
      const sets = data.facets[at].sets;
      const places = sets && new Set(sets.flatMap((set, place) => (set.includes(value) ? [place] : [])));
      wanted.push(sets ? (item) => places.has(item.row[FIRST + at]) : (item) => item.row[FIRST + at] === value);
    }
    const [metric, from, below] = [Number(byId("f-metric").value), bound("f-from"), bound("f-below")];
    if (from !== null || below !== null) {
      wanted.push((item) => {
        const points = pointsOf(item, metric);
        return points !== null && (from === null || points >= from) && (below === null || points < below);
      });
    }
    if (byId("f-differ").checked) wanted.push((item) => item.differs);
    for (const word of searched(byId("f-text").value).split(/\s+/).filter(Boolean)) {
      wanted.push((item) => searchedText(item).includes(word));
    }
    return wanted;
  }

  // The filters in words, for paper, which has no form.
  function conditions() {
    const fields = [byId("f-text"), ...selects.values(), ...(byId("f-from").value || byId("f-below").value ? [byId("f-metric")] : []),
      byId("f-from"), byId("f-below")].filter((field) => field.value !== "");
    const said = fields.map((field) => field.labels[0].firstChild.textContent + ": " + (field.selectedOptions ? field.selectedOptions[0].text : field.value));
    return byId("f-differ").checked ? [...said, byId("f-differ").labels[0].textContent.trim()] : said;
  }

  function refresh() {
    const wanted = tests();
    found = order.items.filter((item) => wanted.every((fits) => fits(item)));
    page = 0;
    drawPage();
    writeAddress(state);
  }

  function sortBy(column, down) {
    Object.assign(order, { column, down, items: inOrder(column, down) });
    drawTitles();
  }

  // The address.

  function state() {
    const named = { text: byId("f-text").value };
    for (const [name, select] of selects) {
      named[name] = select.value === "" ? "" : data.facets[facetAt.get(name)].keys[Number(select.value)];
    }
    const [from, below] = [byId("f-from").value, byId("f-below").value];
    named.metric = from || below ? data.metrics[Number(byId("f-metric").value)][0] : "";
    Object.assign(named, { from, below, differ: byId("f-differ").checked ? "1" : "" });
    const sort = (order.down ? "-" : "") + order.column.name;
    named.sort = sort === USUAL_ORDER ? "" : sort;
    return { ...named, ...(open && addressOfItem(open)) };
  }

  function notice(text) {
    byId("notice").textContent = text;
    byId("notice").hidden = text === "";
  }

  // What the address says: filters, if it names any, and the item to open.
  function follow(hash) {
    const named = readAddress(hash);
    if (named === null) {
      const kept = addressOf(state());
      if (kept) setAddress(kept); // a place in the page took that of the filters
      if (isTooLong(hash)) notice(notApplied([[hash.slice(1)]]));
      return;
    }
    if (named.has("report") && named.get("report") !== data.mark) {
      notice(t("other-report"));
      return;
    }
    const unknown = [];
    const isFiltered = [...named.keys()].some((name) => !OF_ITEM.includes(name));
    const unread = unreadOf(named, [...OF_ITEM, ...OF_TABLE, ...selects.keys()]);
    if (isFiltered) setFilters(named, unknown, unread);
    const isItem = named.has("query") || named.has("at");
    const item = isItem ? itemOf(named) : null;
    if (isItem && !item) unknown.push(cut(named.get("query") || t("row", { row: named.get("at") }), SHOWN));
    const key = byId("cut") ? "not-here-cut" : "not-here";
    const told = [unknown.length ? t(key, { names: unknown.join(", ") }) : "", notApplied(unread)].filter(Boolean);
    notice(told.join(" "));
    if (told.length) byId("notice").scrollIntoView({ block: "center" });
    else if (isFiltered && !item) byId(matchMedia("(max-width: 40rem)").matches ? "found" : "filters").scrollIntoView();
    if (item) show(item);
    else if (panel.open) panel.close();
  }

  // unknown gets what this report does not have, unread the names and values that say nothing.
  function setFilters(named, unknown, unread) {
    form.reset();
    for (const [name, select] of selects) {
      if (!named.has(name)) continue;
      const at = data.facets[facetAt.get(name)].keys.indexOf(named.get(name));
      if (at < 0) unknown.push(cut(name + "=" + named.get(name), SHOWN));
      else select.value = String(at);
    }
    const text = named.get("text") || "";
    if (text.length > LONGEST_TEXT) unread.push(["text", text]);
    byId("f-text").value = text.slice(0, LONGEST_TEXT);
    setLimits(named, unknown, unread);
    byId("f-differ").checked = named.get("differ") === "1";
    if (named.has("differ") && named.get("differ") !== "1") unread.push(["differ", named.get("differ")]);
    const sort = named.get("sort") || USUAL_ORDER;
    const column = columns.find((one) => one.name === sort.replace(/^-/, ""));
    if (!column) unread.push(["sort", sort]);
    if (column) sortBy(column, sort.startsWith("-"));
    else sortBy(columns.find((one) => one.name === "lost"), true);
    refresh();
  }

  function setLimits(named, unknown, unread) {
    const metric = data.metrics.findIndex(([name]) => name === named.get("metric"));
    if (named.has("metric") && metric < 0) unknown.push(cut("metric=" + named.get("metric"), SHOWN));
    byId("f-metric").value = String(Math.max(metric, 0));
    measure();
    for (const name of ["from", "below"]) {
      const field = byId("f-" + name);
      const value = named.get(name) || "";
      field.value = metric < 0 ? "" : value;
      if (value !== field.value) unread.push([name, value]); // no number, or of no metric
    }
  }

  // The table.

  function drawTitles() {
    byId("titles").replaceChildren(...columns.map((column, at) => {
      const button = element("button", column.title);
      button.type = "button";
      button.addEventListener("click", () => {
        sortBy(column, order.column === column ? !order.down : column.name === "lost");
        refresh();
        byId("titles").children[at].firstChild.focus();
      });
      const title = element("th", [button], kindOf(column, true));
      title.scope = "col";
      title.dataset.title = column.title; // for paper, where a button at the top of every page would stay blank
      if (order.column === column) title.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      return title;
    }));
  }

  function kindOf(column, isTitle) {
    return [isTitle && column.kind !== "r" ? "" : column.kind, column.slim ? "" : "wide"].filter(Boolean).join(" ");
  }

  function drawPage() {
    const most = onPaper ? MOST_PRINTED : PAGE;
    const at = onPaper ? 0 : page * PAGE;
    const pages = onPaper ? 1 : Math.max(Math.ceil(found.length / PAGE), 1);
    byId("rows").replaceChildren(...found.slice(at, at + most).map(drawRow));
    byId("found").textContent = t("found", { found: COUNT.format(found.length), total: COUNT.format(items.length) });
    byId("page").textContent = t("page", {
      page: onPaper ? 1 : page + 1, pages,
      first: COUNT.format(Math.min(at + 1, found.length)),
      last: COUNT.format(Math.min(at + most, found.length)),
    });
    byId("back").disabled = page === 0;
    byId("next").disabled = page >= pages - 1;
    byId("filtered").textContent = onPaper ? conditions().join(" · ") : "";
    byId("filtered").hidden = byId("filtered").textContent === "";
    const left = onPaper ? found.length - most : 0;
    byId("left-out").hidden = left <= 0;
    byId("left-out").textContent = left > 0 ? t("left-out", { n: COUNT.format(left), shown: COUNT.format(most) }) : "";
  }

  function drawRow(item) {
    const cells = columns.map((column) => {
      if (column.name !== "query") return element("td", column.show(item), kindOf(column));
      const button = element("button", queryOf(item));
      button.type = "button";
      button.dataset.item = String(item.index);
      button.setAttribute("aria-haspopup", "dialog");
      button.addEventListener("click", () => show(item));
      return element("td", [button, element("small", nameOf(item, "round"), "slim")]);
    });
    return element("tr", cells, data.passes[valueOf(item, "status")] ? "" : "bad");
  }

  function turn(pages) {
    page += pages;
    drawPage();
  }

  // The panel.

  function show(item, beside) {
    const all = byQuery.get(item.query);
    const at = all.indexOf(item);
    open = item;
    other = beside === undefined ? all[at - 1] || all[at + 1] || null : beside;
    byId("panel-title").textContent = t("panel", { query: queryOf(item), round: nameOf(item, "round") });
    byId("panel-body").replaceChildren(...drawPanel(item, other, (one) => {
      show(item, one);
      byId("other").focus();
    }));
    const place = found.indexOf(item);
    byId("previous-item").disabled = place <= 0;
    byId("next-item").disabled = place < 0 || place === found.length - 1;
    byId("noted").textContent = "";
    if (!panel.open) panel.showModal();
    const scroll = panel.querySelector(".scroll");
    if (scroll.scrollWidth > scroll.clientWidth) scroll.tabIndex = 0;
    panel.querySelector(".now").scrollIntoView({ block: "nearest", inline: "nearest" }); // where rounds stand off the edge
    panel.scrollTop = 0;
    setAddress(addressOf(state()));
  }

  function step(by) {
    const at = found.indexOf(open) + by;
    if (open && found.includes(open) && at >= 0 && at < found.length) show(found[at]);
  }

  // Back to the row of the item that was read last, on whichever page of the table it is.
  function closed() {
    const at = found.indexOf(open);
    const active = document.activeElement;
    open = null;
    writeAddress(state);
    if (isLeft) {
      isLeft = false;
      return;
    }
    if (at < 0 || (active && active.matches("main a"))) return; // a link of another table has the focus again
    if (Math.floor(at / PAGE) !== page) turn(Math.floor(at / PAGE) - page);
    const button = byId("rows").querySelector(`button[data-item="${found[at].index}"]`);
    if (button) button.focus();
  }

  // Keys: / searches, arrows move among rows and, in the panel, from item to item.
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping) {
      isLeft = panel.open; // for the search: the focus stays there
      if (panel.open) panel.close();
      byId("f-text").focus();
      byId("f-text").select();
    } else if (panel.open) {
      if (isTyping || event.target.closest(".scroll[tabindex]") || !(event.key in SIDEWAYS)) return;
      step(SIDEWAYS[event.key]);
    } else if (event.key === "ArrowDown" && event.target === byId("f-text")) {
      focusRow(0);
    } else if (event.key in UPRIGHT && event.target.closest("#rows")) {
      const rows = [...byId("rows").children];
      focusRow(rows.indexOf(event.target.closest("tr")) + UPRIGHT[event.key]);
    } else return;
    event.preventDefault();
  }

  const SIDEWAYS = { ArrowLeft: -1, ArrowRight: 1 };
  const UPRIGHT = { ArrowUp: -1, ArrowDown: 1 };

  function focusRow(at) {
    let wanted = at;
    if (at < 0 && page > 0) {
      turn(-1);
      wanted = PAGE - 1;
    } else if (at >= PAGE && !byId("next").disabled) {
      turn(1);
      wanted = 0;
    }
    const row = byId("rows").children[wanted];
    if (row) row.querySelector("button").focus();
    else if (at < 0) byId("f-text").focus();
  }

  // Copies.

  function rowsAsCsv() {
    const titles = [...columns.slice(0, -1).map((column) => column.title), t("category"), t("question"), t("response"), t("error"), t("place")];
    return csv([titles, ...found.map((item) => [
      ...columns.slice(0, -1).map((column) => (column.kind === "r" ? column.key(item) ?? "" : column.show(item))),
      nameOf(item, "category"), textOf(item, QUESTION), textOf(item, RESPONSE), textOf(item, ERROR), placeOf(item),
    ])]);
  }

  // On paper every row that the filters leave.
  function print(isPaper) {
    if (onPaper === isPaper) return;
    onPaper = isPaper;
    drawPage();
  }

  // Texts to search in are made while nothing else is to do, a few at a time.
  function prepare(from = 0) {
    const end = Math.min(from + 500, items.length);
    for (let at = from; at < end; at += 1) searchedText(items[at]);
    if (end < items.length) setTimeout(prepare, 0, end);
  }

  const form = byId("filters");
  drawFilters();
  measure();
  byId("f-metric").addEventListener("change", measure);
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { measure(); refresh(); }));
  byId("back").addEventListener("click", () => turn(-1));
  byId("next").addEventListener("click", () => turn(1));
  byId("previous-item").addEventListener("click", () => step(-1));
  byId("next-item").addEventListener("click", () => step(1));
  byId("close").addEventListener("click", () => panel.close());
  panel.addEventListener("close", closed);
  byId("copy-link").addEventListener("click", () => copy(linkTo(state()), byId("copied"), t("copied-link")));
  byId("copy-rows").addEventListener("click", () =>
    copy(rowsAsCsv(), byId("copied"), t("copied-rows", { n: COUNT.format(found.length) })));
  byId("copy-item").addEventListener("click", () => copy(linkTo(addressOfItem(open)), byId("noted"), t("copied-link")));
  byId("copy-note").addEventListener("click", () =>
    copy(noteOf(open, linkTo(addressOfItem(open))), byId("noted"), t("copied-note")));
  document.addEventListener("keydown", pressed);
  addEventListener("hashchange", (event) => follow(hashOf(event.newURL)));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  matchMedia("print").addEventListener("change", (event) => print(event.matches));
  sortBy(columns.find((column) => column.name === "lost"), true);
  refresh();
  follow(location.hash);
  setTimeout(prepare);
})();
