"""A page as its readers see it: text, tables and embedded data, without markup, style and script."""

import json
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "input", "wbr"}
NO_TEXT = {"script", "style", "svg", "noscript"}
# Elements that begin a line of `Seen.lines`, with what marks the line.
LINES = {
    "h1": "# ", "h2": "## ", "h3": "### ", "li": "- ", "tr": "|",
    **dict.fromkeys(("button", "dialog", "div", "figcaption", "footer", "form", "label", "main", "nav", "option", "p",
                     "section", "span", "summary", "table", "title", "ul"), ""),
}  # fmt: skip
NAMES = ("id", "aria-label", "placeholder", "title")  # attributes that a line shows


class Seen(HTMLParser):
    """tables: rows of cell texts; tags: every element with its attributes; text: everything that is shown.

    lines: the same with headings, rows, links and the names of elements in place, a line for each.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[tuple[str, ...]]] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.data: dict[str, str] = {}
        self.lines: list[str] = []
        self._open: list[str] = []
        self._cell: list[str] | None = None
        self._row: list[str] = []
        self._line: list[str] = []
        self._target = ""
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._begin(tag, dict(attrs))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self._row = []
        elif tag in {"td", "th"}:
            self._cell = []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self._open.pop() == tag
        self._end(tag)
        if tag in {"td", "th"} and self._cell is not None:
            self._row.append(plain("".join(self._cell)))
            self._cell = None
        elif tag == "tr" and self.tables:
            self.tables[-1].append(tuple(self._row))

    def handle_data(self, data: str) -> None:
        for tag in self._open:
            if tag in NO_TEXT:
                self.data[tag] = self.data.get(tag, "") + data
                return
        self.text.append(data)
        self._line.append(data)
        if self._cell is not None:
            self._cell.append(data)

    def _begin(self, tag: str, attrs: Mapping[str, str | None]) -> None:
        if NO_TEXT.intersection(self._open):
            return
        if tag in LINES:
            self._break()
            self._line.append(LINES[tag])
        elif tag == "svg":
            self._line.append("{chart}")
            return
        elif tag == "a":
            self._target = attrs.get("href") or ""
            self._line.append("[")
        elif tag in {"td", "th", "b", "small"}:
            self._line.append(" ")
        self._line += [f"{{{name} {attrs[name]}}} " for name in NAMES if attrs.get(name)]

    def _end(self, tag: str) -> None:
        if tag in LINES:
            self._break()
        elif tag == "a":
            self._line.append(f"]({self._target})")
        elif tag in {"td", "th"}:
            self._line.append(" |")

    def _break(self) -> None:
        line = plain("".join(self._line))
        if line.strip("#-| "):
            self.lines.append(line)
        self._line = []


def plain(text: str) -> str:
    """Without what only the layout of the page needs."""
    return re.sub(r"\s+", " ", text.replace("\u200b", "")).strip()


def embedded_data(page: str) -> str:
    """The JSON that the script of a page reads."""
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return str(data)


def pages_as_text(files: Mapping[str, str]) -> dict[str, str]:
    """The same files, with the lines and the data of every page `x.html` as `x.html.txt` and `x.html.json`."""
    return dict(_as_text(files))


def _as_text(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in files.items():
        if name.endswith(".html"):
            yield f"{name}.txt", "".join(f"{line}\n" for line in Seen(text).lines)
            yield f"{name}.json", _by_line(json.loads(embedded_data(text)))
        else:
            yield name, text


def _by_line(data: Mapping[str, object]) -> str:
    """JSON with a line for every text and every item, so that a difference is easy to find."""
    values = {key: json.dumps(value, ensure_ascii=False) for key, value in data.items()}
    for key, value in data.items():
        if key in {"strings", "items"} and isinstance(value, list):
            values[key] = "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]"
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {value}" for key, value in values.items()) + "\n}\n"
