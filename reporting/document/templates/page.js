// What every page with a script shares. Texts come from input files: they reach the page as text nodes alone.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const COUNT = new Intl.NumberFormat("en-US");

function t(key, values = {}) {
  return data.texts[key].replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

function say(id, text) {
  byId(id).textContent = text;
}

function element(name, content, kind) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  if (typeof content === "string") made.textContent = content;
  else if (content) made.append(...content);
  return made;
}

function fill(select, names) {
  select.append(...names.map((name, at) => new Option(name, at)));
}

function searched(text) {
  return text.toLowerCase().normalize("NFC");
}
