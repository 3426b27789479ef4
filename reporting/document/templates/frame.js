"use strict";
// On every page: tables that scroll can be reached by keyboard, others are no stop on the way; and a copy that was kept
// as an earlier version, which it knows by its own address, says so.
(() => {
  const KEPT = /\/history\/\d{4,}-\w+\/[^/]*$/;

  function markScrolling(box) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }

  const watched = new ResizeObserver((entries) => entries.forEach((entry) => {
    markScrolling(entry.target.classList.contains("scroll") ? entry.target : entry.target.parentElement);
  }));
  for (const box of document.querySelectorAll(".scroll")) {
    markScrolling(box);
    watched.observe(box);
    if (box.firstElementChild) watched.observe(box.firstElementChild);
  }
  if (KEPT.test(location.pathname)) {
    const older = document.getElementById("older");
    if (older) older.hidden = false;
    for (const link of document.querySelectorAll("a[data-kept]")) link.setAttribute("href", "../../" + link.dataset.kept);
    for (const link of document.querySelectorAll("a[data-top]")) link.setAttribute("href", "../../" + link.getAttribute("href"));
  }
})();
