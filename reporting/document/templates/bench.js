// The workbench: presets, search and filters, which the address holds; the list of questions, and the pane beside it.
const DOTS = { 1: "●", 0: "○", "-1": "–" };
const SHORT_TITLE = 120;

function drawDot(item, isDim) {
  return element("span", DOTS[item.passed], ["none", "fail", "pass"][item.passed + 1] + (isDim ? " dim" : ""));
}

function drawButton(content, does) {
  const made = element("button", content);
  made.type = "button";
  made.addEventListener("click", does);
  return made;
}

(() => {
  const PAGE = 100;
  const MOST_DOTS = 12; // of a side
  const OF_ITEM = ["report", "query", "of", "at", "in"]; // names of an address
  const OF_TABLE = ["text", "metric", "from", "below", "sort", "all"];
  const USUAL_ORDER = "-lost";
  const ALL = "all"; // no preset
  const QUICK = ["track", "status"]; // filters with a button a value
  const MOST_QUICK = 6;
  const pane = byId("pane");
  const form = byId("filters");
  const [list, search, order] = ["rows", "f-text", "f-sort"].map(byId);
  const presets = facetOf("preset");
  const selects = new Map();
  let preset = data.preset;
  let found = [];
  let page = 0;
  let open = null; // the item in the pane
  let other = null; // the one beside it
  let opener = null; // the link that it was opened by, which has the focus again
  let isBack = false; // the page itself goes back

  // Presets and filters.

  function drawPresets() {
    const counts = presets.keys.map((_, value) => {
      const has = hasValue("preset", value);
      return questions.filter((one) => one.items.some(has)).length;
    });
    byId("presets").replaceChildren(...[ALL, ...presets.keys].map((key, place) => {
      const n = place ? counts[place - 1] : questions.length;
      const name = place ? presets.names[place - 1] : t("everything");
      const button = drawButton(name + " " + COUNT.format(n), () => choosePreset(key === preset ? ALL : key));
      button.dataset.preset = key;
      return button;
    }));
  }

  function choosePreset(key) {
    preset = key;
    refresh();
  }

  function drawFilters() {
    data.facets.forEach((facet) => {
      if (facet === presets) return;
      const select = element("select", [new Option(t("everything"), "")]);
      select.id = "f-" + facet.name;
      fill(select, facet.names);
      const label = element("label", [facet.title, select]);
      label.hidden = facet.keys.length < 2 || isQuick(facet);
      selects.set(facet.name, select);
      if (isQuick(facet)) byId("quick").append(drawQuick(facet, select));
      byId("facets").append(label);
    });
    fill(byId("f-metric"), data.metrics.map(([, title]) => title));
    for (const [name, [title]] of orders) {
      for (const sign of ["-", ""]) order.append(new Option(title + (sign ? " ↓" : " ↑"), sign + name));
    }
    order.value = USUAL_ORDER;
  }

  function isQuick(facet) {
    return QUICK.includes(facet.name) && facet.keys.length > 1 && facet.keys.length <= MOST_QUICK;
  }

  function drawQuick(facet, select) {
    const group = element("div", facet.names.map((name, value) => drawButton(name, () => {
      select.value = select.value === String(value) ? "" : value;
      refresh();
    })), "presets");
    group.role = "group";
    group.ariaLabel = facet.title;
    return group;
  }

  function markQuick() {
    const facets = data.facets.filter(isQuick);
    [...byId("quick").children].forEach((group, at) => [...group.children].forEach((button, value) => {
      button.ariaPressed = String(selects.get(facets[at].name).value === String(value));
    }));
  }

  // The steps of a score on its own scale: 0.5 of 5 points, 0.1 of a level's 0 to 1.
  function measure() {
    const scale = data.scales[Number(byId("f-metric").value)] || 0;
    for (const name of ["f-from", "f-below"]) {
      byId(name).max = scale;
      byId(name).step = scale / 10;
    }
  }

  function bound(name) {
    const value = byId(name).value;
    return value === "" ? null : Number(value);
  }

  function hasValue(facet, value) {
    const { sets } = facetOf(facet);
    const places = new Set(sets ? sets.flatMap((set, place) => (set.includes(value) ? [place] : [])) : [value]);
    return (item) => places.has(valueOf(item, facet));
  }

  function tests() {
    const wanted = preset === ALL ? [] : [hasValue("preset", presets.keys.indexOf(preset))];
    for (const [name, select] of selects) if (select.value !== "") wanted.push(hasValue(name, Number(select.value)));
    const [metric, from, below] = [Number(byId("f-metric").value), bound("f-from"), bound("f-below")];
    if (from !== null || below !== null) {
      wanted.push((item) => {
        const points = pointsOf(item, metric);
        return points !== null && (from === null || points >= from) && (below === null || points < below);
      });
    }
    for (const word of searched(search.value).split(/\s+/).filter(Boolean)) {
      wanted.push((item) => searchedText(item).includes(word));
    }
    return wanted;
  }

  // What is set, each as a button that takes it back.
  function drawChips() {
    const others = [...selects].filter(([name]) => !isQuick(facetOf(name))).map(([, select]) => select);
    const fields = [...others, byId("f-from"), byId("f-below")].filter((field) => field.value !== "");
    byId("chips").replaceChildren(...fields.map((field) => {
      const metric = field.type === "number" ? byId("f-metric").selectedOptions[0].text + " " : "";
      const value = field.selectedOptions ? field.selectedOptions[0].text : field.value;
      return drawButton(metric + field.labels[0].firstChild.textContent + ": " + value + " ✕", () => {
        field.value = "";
        refresh();
        search.focus();
      });
    }));
  }

  function refresh() {
    say("copied", "");
    const wanted = tests();
    for (const one of questions) one.hits = one.items.filter((item) => wanted.every((fits) => fits(item)));
    found = inOrder(questions.filter((one) => one.hits.length), order.value);
    page = 0;
    markQuick();
    drawChips();
    drawPage();
    writeAddress(state);
  }

  // The address.

  function state() {
    const named = { preset: preset === (data.preset || ALL) ? "" : preset, text: search.value };
    for (const [name, select] of selects) {
      named[name] = select.value === "" ? "" : facetOf(name).keys[Number(select.value)];
    }
    const [from, below] = [byId("f-from").value, byId("f-below").value];
    named.metric = from || below ? data.metrics[Number(byId("f-metric").value)][0] : "";
    const sort = order.value;
    return { ...named, from, below, sort: sort === USUAL_ORDER ? "" : sort, ...(open && addressOfItem(open)) };
  }

  function notice(text) {
    say("notice", text);
    say("noted", text);
    byId("notice").hidden = text === "";
  }

  // What the address says: filters, if it names any, and the item to open.
  function follow(hash) {
    if (isBack) {
      isBack = false;
      keepFocused();
      writeAddress(state);
      return;
    }
    const named = readAddress(hash);
    if (named === null) {
      if (isTooLong(hash)) notice(notApplied([[hash.slice(1)]]));
      if (hash.length < 2) hide();
      const kept = addressOf(state());
      if (kept) setAddress(kept); // a place in the page took that of the filters
      return;
    }
    if (named.has("report") && named.get("report") !== data.mark) {
      notice(t("other-report"));
      return;
    }
    const unknown = [];
    const isFiltered = [...named.keys()].some((name) => !OF_ITEM.includes(name));
    const unread = unreadOf(named, [...OF_ITEM, ...OF_TABLE, "preset", ...selects.keys()]);
    if (isFiltered) setFilters(named, unknown, unread);
    const isItem = named.has("query") || named.has("at");
    const item = isItem ? itemOf(named) : null;
    if (item && !named.has("preset") && !found.includes(questionOf(item))) choosePreset(ALL);
    if (isItem && !item) unknown.push(cut(named.get("query") || t("row", { row: named.get("at") }), SHOWN));
    byId("bench").scrollIntoView();
    if (item) {
      const way = document.activeElement;
      opener = way && way.matches("main a") ? way : null;
      show(item);
    } else hide();
    const key = byId("cut") ? "not-here-cut" : "not-here";
    notice([unknown.length ? t(key, { names: unknown.join(", ") }) : "", notApplied(unread)].filter(Boolean).join(" "));
  }

  // unknown gets what this page does not have, unread the names and values that say nothing.
  function setFilters(named, unknown, unread) {
    const lack = (name) => unknown.push(cut(name + "=" + named.get(name), SHOWN));
    form.reset();
    for (const [name, select] of selects) {
      if (!named.has(name)) continue;
      const at = facetOf(name).keys.indexOf(named.get(name));
      if (at < 0) lack(name);
      else select.value = at;
    }
    preset = data.preset || ALL;
    const chosen = named.get("preset");
    if (chosen === ALL || presets.keys.includes(chosen)) preset = chosen;
    else if (chosen !== null) lack("preset");
    const text = named.get("text") || "";
    if (text.length > LONGEST_TEXT) unread.push(["text", text]);
    search.value = text.slice(0, LONGEST_TEXT);
    setLimits(named, lack, unread);
    const sort = named.get("sort") || USUAL_ORDER;
    if (orders.has(sort.replace(/^-/, ""))) order.value = sort;
    else {
      unread.push(["sort", sort]);
      order.value = USUAL_ORDER;
    }
    refresh();
  }

  function setLimits(named, lack, unread) {
    const metric = data.metrics.findIndex(([name]) => name === named.get("metric"));
    if (named.has("metric") && metric < 0) lack("metric");
    byId("f-metric").value = Math.max(metric, 0);
    measure();
    for (const name of ["from", "below"]) {
      const field = byId("f-" + name);
      const value = named.get(name) || "";
      field.value = metric < 0 ? "" : value;
      if (value !== field.value) unread.push([name, value]); // no number, or of no metric
    }
  }

  // The list.

  function drawPage() {
    const pages = Math.max(Math.ceil(found.length / PAGE), 1);
    const at = page * PAGE;
    list.replaceChildren(...found.slice(at, at + PAGE).map(drawRow));
    list.start = at + 1;
    for (const button of byId("presets").children) button.ariaPressed = String(button.dataset.preset === preset);
    const hits = found.flatMap((one) => one.hits);
    say("found", t("found", {
      items: bySide(hits).map((side) => COUNT.format(side.length)).join(" → "), found: COUNT.format(found.length), total: COUNT.format(questions.length),
    }));
    const isPart = found.some((one) => one.hits.length < one.items.length);
    say("head-loss", t(isComparison ? "change-head" : isPart ? "lost-head-part" : "lost-head"));
    drawSums(hits);
    byId("none").hidden = found.length > 0;
    byId("heads").hidden = found.length === 0;
    byId("pager").hidden = pages === 1;
    say("page", t("page", {
      page: page + 1, pages, first: COUNT.format(Math.min(at + 1, found.length)), last: COUNT.format(Math.min(at + PAGE, found.length)),
    }));
    byId("back").disabled = page === 0;
    byId("next").disabled = page >= pages - 1;
    markOpen();
  }

  // Of each metric the mean of the items that the filters leave, that of all, and what it would be without them.
  function drawSums(hits) {
    const chosen = new Set(hits);
    const isShown = !isComparison && hits.length > 0 && hits.length < items.length;
    const rest = items.filter((item) => !chosen.has(item));
    byId("sums").hidden = !isShown;
    byId("sums").replaceChildren(...(isShown ? data.metrics : []).flatMap(([, title], at) => {
      const [own, all, others] = [hits, items, rest].map((those) => those.map((item) => pointsOf(item, at)).filter((points) => points !== null));
      if (data.copies.includes(at) || !own.length) return [];
      const mean = (points) => fixed(points.length ? sum(points) / points.length : null, 2);
      const lost = short(sum(own.map((points) => data.scales[at] - points)));
      return [element("li", t("sum", { title, lost, mean: mean(own), all: mean(all), without: mean(others) }))];
    }));
  }

  function drawRow(one) {
    const first = one.items[0];
    const about = [nameOf(first, "track"), nameOf(first, "category"), regradedName(first), one.name].filter(Boolean).join(" · ");
    const loss = element("span", shownLoss(one), "loss r");
    const parts = [element("span", cut(titleOf(one), SHORT_TITLE), "ask"), drawDots(one), loss, element("small", cut(about, SHORT_TITLE))];
    const button = drawButton(parts, () => {
      if (open && questionOf(open) === one) byId("pane-title").focus();
      else openItem(worstOf(one));
    });
    button.dataset.query = one.query;
    return element("li", [button]);
  }

  function regradedName(item) {
    const at = presets.keys.indexOf("regraded");
    return valuesOf(item, "preset").includes(at) ? presets.names[at] : "";
  }

  // A dot a round; in a comparison those before and those now.
  function drawDots(one) {
    const sides = bySide(one.items);
    const dots = element("span", sides.flatMap((side, at) => [
      ...(at ? [" → "] : []),
      ...side.slice(0, MOST_DOTS).map((item) => drawDot(item, !isComparison && !one.hits.includes(item))),
      ...(side.length > MOST_DOTS ? ["…"] : []),
    ]), "dots");
    const counts = sides.map((side) => side.filter((item) => item.passed === 1).length + "/" + side.length);
    dots.role = "img";
    dots.ariaLabel = t("passes", { counts: counts.join(" → ") });
    return dots;
  }

  function turn(pages) {
    page += pages;
    drawPage();
  }

  function rowOf(one) {
    return list.querySelector(`button[data-query="${one.query}"]`);
  }

  function markOpen() {
    const row = open && rowOf(questionOf(open));
    for (const { firstChild } of list.children) firstChild.ariaCurrent = firstChild === row ? "true" : null;
  }

  // The page of the list that a question is on; -1 where the filters leave it out.
  function turnTo(one) {
    const at = found.indexOf(one);
    if (at >= 0 && Math.floor(at / PAGE) !== page) turn(Math.floor(at / PAGE) - page);
    return at;
  }

  // The pane.

  // Opened from the list it is one step of the way, which Back takes back.
  function openItem(item) {
    opener = null;
    if (!open) {
      try {
        if (!location.hash.includes("=")) history.replaceState(null, "", location.pathname + location.search); // Back is no jump
        history.pushState({ pane: true }, "", location.href);
      } catch { /* the page works without it */ }
    }
    show(item);
    if (isNarrow()) byId("pane-title").focus({ preventScroll: true });
  }

  function isNarrow() {
    return matchMedia("(max-width: 56rem)").matches;
  }

  function show(item, beside = against(item)) {
    const one = questionOf(item);
    const isNew = !open || questionOf(open) !== one;
    open = item;
    other = beside;
    say("pane-title", cut(titleOf(one), SHORT_TITLE));
    byId("pane-body").replaceChildren(...drawPane(item, other, show, disagreed));
    const at = turnTo(one);
    byId("previous").disabled = at <= 0;
    byId("following").disabled = at < 0 || at === found.length - 1;
    say("noted", "");
    toggle(true, rowOf(one));
    if (isNew) toScreen(rowOf(one));
    markOpen();
    writeAddress(state);
  }

  // The row keeps its place on the screen while the list becomes narrower or wider.
  function toggle(isOpen, row) {
    const top = () => (row ? row.getBoundingClientRect().top : 0);
    const before = top();
    pane.hidden = !isOpen;
    byId("bench").classList.toggle("open", isOpen);
    scrollBy(0, top() - before);
  }

  // What was opened is on the screen, and so are the buttons above it; no more is scrolled than that takes.
  function toScreen(row) {
    pane.scrollTop = 0;
    if (isNarrow()) byId("bench").scrollIntoView();
    else reveal(row);
    reveal(byId("close"));
  }

  function reveal(one) {
    if (one) one.scrollIntoView({ block: "nearest" });
  }

  function hide() {
    if (!open) return;
    const one = questionOf(open);
    open = null;
    const hadFocus = document.activeElement === document.body || pane.contains(document.activeElement);
    turnTo(one);
    toggle(false, rowOf(one));
    markOpen();
    if (opener) opener.focus();
    else if (hadFocus && rowOf(one)) rowOf(one).focus();
    keepFocused();
  }

  // Going back, the browser scrolls to where the page was; another row may have been open since.
  function keepFocused() {
    setTimeout(() => reveal(list.querySelector(":focus")));
  }

  function close() {
    if (!open) return;
    hide();
    if (history.state && history.state.pane) {
      isBack = true;
      history.back();
    } else writeAddress(state);
  }

  function step(by) {
    const at = found.indexOf(questionOf(open)) + by;
    if (at >= 0 && at < found.length) show(worstOf(found[at]));
  }

  // The forms of the pane are drawn anew, apart from one that is being filled in for another answer.
  function disagreed(item) {
    drawDisagreements(openItem, disagreed);
    if (!open || questionOf(open) !== questionOf(item)) return;
    for (const [side, one] of [["left", other], ["right", open]]) {
      if (one !== item) continue;
      const form = byId("side-" + side).parentElement.querySelector(".disagree");
      const [drawn] = drawDisagree(item, disagreed);
      form.replaceWith(drawn);
      drawn.firstChild.focus();
    }
  }

  // Keys: / searches, arrows move among rows and, while the pane is open, from answer to answer.
  function pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const isTyping = event.target.matches("input, select, textarea");
    if (event.key === "/" && !isTyping) {
      if (isNarrow()) close();
      search.focus();
      search.select();
    } else if (event.key === "Escape" && event.target.closest(".disagree[open]")) {
      const form = event.target.closest(".disagree");
      form.open = false;
      form.firstChild.focus();
    } else if (event.key === "Escape" && open) {
      close();
    } else if (event.key in SIDEWAYS && open && !isTyping && pane.contains(event.target)) {
      step(SIDEWAYS[event.key]);
    } else if (event.key === "ArrowDown" && event.target === search) {
      focusRow(0);
    } else if (event.key in UPRIGHT && event.target.closest("#rows")) {
      focusRow([...list.children].indexOf(event.target.closest("li")) + UPRIGHT[event.key]);
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
    const row = list.children[wanted];
    if (row) {
      row.firstChild.focus();
      if (open) show(worstOf(found[page * PAGE + wanted]));
    } else if (at < 0) search.focus();
  }

  // Copies.

  function rowsToCopy() {
    const named = ["track", "round", "status", "category"].filter((name) => facetAt.has(name));
    const titles = [t("question"), ...(isComparison ? [t("side")] : []), ...named.map((name) => t(name)), ...data.metrics.map(([, title]) => title),
      ...(isTimed ? [t("seconds")] : []), t("lost"), t("error"), t("response"), t("expected"), t("query"), t("place")];
    const rows = found.flatMap((one) => one.hits).map((item) => [
      titleOf(questionOf(item)), ...(isComparison ? [nameOf(item, "side")] : []), ...named.map((name) => nameOf(item, name)),
      ...data.metrics.map((_, at) => pointsOf(item, at) ?? ""), ...(isTimed ? [item.seconds ?? ""] : []), item.lost,
      textOf(item, ERROR), answerOf(item), textOf(item, EXPECTED),
      questionOf(item).name, placeOf(item),
    ]);
    return [titles, ...rows];
  }

  function copyRows() {
    const rows = rowsToCopy();
    copy(tabSeparated(rows), "copied", t("copied-rows", { n: COUNT.format(rows.length - 1) }), tableMarkup(rows));
  }

  // Texts to search in are made while nothing else is to do, a few at a time.
  function prepare(from = 0) {
    const end = Math.min(from + 500, items.length);
    for (let at = from; at < end; at += 1) searchedText(items[at]);
    if (end < items.length) setTimeout(prepare, 0, end);
  }

  function onClick(name, does) {
    byId(name).addEventListener("click", does);
  }

  drawPresets();
  drawFilters();
  measure();
  preset = data.preset || ALL;
  byId("bench").hidden = false;
  byId("f-metric").addEventListener("change", measure);
  form.addEventListener("input", refresh);
  form.addEventListener("submit", (event) => event.preventDefault());
  onClick("clear", () => {
    form.reset();
    measure();
    choosePreset(ALL);
    search.focus();
  });
  onClick("back", () => turn(-1));
  onClick("next", () => turn(1));
  onClick("previous", () => step(-1));
  onClick("following", () => step(1));
  onClick("close", close);
  onClick("copy-rows", copyRows);
  onClick("copy-list", () => copy(linkTo({ ...state(), query: "", of: "", at: "", in: "" }), "copied", saidOfLink()));
  onClick("copy-item", () => copy(linkTo(addressOfItem(open)), "noted", saidOfLink()));
  onClick("copy-note", () => copy(noteOf(open, linkTo(addressOfItem(open))), "noted", t("copied-note")));
  byId("review").addEventListener("submit", saveDisagreements);
  byId("reviewer").addEventListener("input", () => { isSaved = false; });
  document.addEventListener("keydown", pressed);
  addEventListener("popstate", () => follow(location.hash));
  refresh();
  if (location.hash) follow(location.hash);
  setTimeout(prepare);
})();
