// Lines of known.csv for failures that none of them knows yet, as a spreadsheet takes them from the clipboard.
for (const button of document.querySelectorAll("button[data-rows]")) {
  const rows = JSON.parse(button.dataset.rows);
  button.hidden = false;
  button.addEventListener("click", () => copy(tabSeparated(rows), "copied", t("copied"), tableMarkup(rows)));
}
