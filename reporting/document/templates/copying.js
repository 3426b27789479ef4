// Copies of links, notes and rows. The page keeps nothing: there is no server.
const RUN_AS_FORMULA = "=+-@\t\r＝＋－＠";

async function copy(text, status, said) {
  status.textContent = "";
  status.textContent = (await copied(text)) ? said : t("not-copied");
}

// Where a page is neither from a disk nor encrypted, browsers offer the older way alone.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", text);
    const active = document.activeElement;
    (document.querySelector("dialog[open]") || document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (active) active.focus();
    return done;
  }
}

// As in items.csv: on one line, and nothing that a spreadsheet would run.
function csvCell(value) {
  if (typeof value === "number") return String(value);
  const line = onOneLine(value || "");
  const isRun = RUN_AS_FORMULA.includes(line.trimStart()[0] || " ");
  return '"' + (isRun ? "'" + line : line).replaceAll('"', '""') + '"';
}

function csv(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

function onOneLine(text) {
  return text.trim().replace(/\s*\n\s*/g, " ⏎ ").replace(/[\t\r]/g, " ");
}
