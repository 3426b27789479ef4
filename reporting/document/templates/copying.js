// Copies of links, notes and rows. The page keeps nothing: there is no server.
const RUN_AS_FORMULA = "=+-@\t\r＝＋－＠";

// As text and, where the browser can, as markup besides. status: the id of what says so.
async function copy(text, status, said, markup = "") {
  say(status, "");
  say(status, (await copied(text, markup)) ? said : t("not-copied"));
}

// Where a page is neither from a disk nor encrypted, browsers offer the older way alone.
async function copied(text, markup) {
  try {
    if (!markup) await navigator.clipboard.writeText(text);
    else {
      const kinds = { "text/plain": text, "text/html": markup };
      const made = Object.entries(kinds).map(([kind, content]) => [kind, new Blob([content], { type: kind })]);
      await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(made))]);
    }
    return true;
  } catch {
    const field = element("textarea", text);
    const active = document.activeElement;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (active) active.focus();
    return done;
  }
}

// What a spreadsheet would run as a formula is a text, as in items.csv.
function harmless(text) {
  const clean = text.replace(/\r\n?/g, "\n");
  return RUN_AS_FORMULA.includes(clean.trimStart()[0] || " ") ? "'" + clean : clean;
}

// Rows as a spreadsheet takes them from the clipboard: a cell with line breaks or quotes stays one cell.
function tabSeparated(rows) {
  const cell = (value) => {
    const text = typeof value === "number" ? String(value) : harmless(value);
    return /["\t\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  };
  return rows.map((row) => row.map(cell).join("\t")).join("\r\n") + "\r\n";
}

// The same as markup, where a cell of text says that it is one.
function tableMarkup(rows) {
  const escaped = (text) => text.replace(/[&<>"]/g, (mark) => "&#" + mark.charCodeAt(0) + ";")
    .replaceAll("\n", '<br style="mso-data-placement:same-cell">');
  const cell = (value) => (typeof value === "number" ? "<td>" + value : "<td style='mso-number-format:\"\\@\"'>" + escaped(harmless(value))) + "</td>";
  return '<meta charset="utf-8"><table>' + rows.map((row) => "<tr>" + row.map(cell).join("") + "</tr>").join("") + "</table>";
}

function onOneLine(text) {
  return text.trim().replace(/\s*\n\s*/g, " ⏎ ").replace(/[\t\r]/g, " ");
}

function cut(text, length) {
  const line = onOneLine(text);
  return line.length <= length ? line : line.slice(0, length - 1) + "…";
}
