"""The parts of docs/ that are made from texts and code: `make docs` writes them, and tests hold them to it.

A part stands between `<!-- NAME: made by `make docs` -->` and `<!-- end -->`; PARTS says what NAME gives in a language.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from config import PREFIX, Settings
from reporting.comparison import data
from reporting.data import report_json
from reporting.store import encode_json
from scoring import Severity
from scoring.problems import SEVERITIES
from texts import DEFAULT_LANGUAGE, codes, fill, texts

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = {
    f"{name}{ending}": language
    for name in ("errors", "settings", "limits")
    for ending, language in ((".md", "en"), (".ko.md", "ko"))
}
_PART = re.compile(r"(?ms)^(<!-- ([\w ]+): made by `make docs` -->\n).*?^(<!-- end -->)$")
_CODE = re.compile(r"\[([a-z0-9-]+)\]")
_COUNT = re.compile(r":? \{n\}(?:[개건칸행쌍]|문항)?")  # of a finding in short
_UNITS = {"": 1, "MiB": 1 << 20, "GiB": 1 << 30}
_TITLES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "severities": {
        "en": ("code", "severity", "exit code", "what it means"),
        "ko": ("코드", "심각도", "종료 코드", "뜻"),
    },
    "settings": {"en": ("variable", "default", "meaning"), "ko": ("변수", "기본값", "뜻")},
    "stops": {"en": ("code", "meaning", "what to do"), "ko": ("코드", "뜻", "할 일")},
    "limits": {
        "en": ("limit", "value", "what it bounds", "when it is reached"),
        "ko": ("한도", "값", "무엇을 묶는가", "닿으면"),
    },
}


class SettingRow(NamedTuple):
    """One line of the settings table: field name, environment variable, default as text ("" for none), meaning."""

    name: str
    variable: str
    default: str
    meaning: str


def setting_rows(language: str = DEFAULT_LANGUAGE) -> Iterator[SettingRow]:
    """Every setting in the order of the class."""
    t = texts(language)
    for name, field in Settings.model_fields.items():
        yield SettingRow(name, PREFIX + name.upper(), _as_text(field.default), t(f"meaning.{name}"))


def written(name: str, page: str) -> str:
    """A page with its parts made anew. name: of its file, as in PAGES."""
    language = PAGES[name]
    return _PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]](language)}\n{part[3]}", page)


def _severities(language: str) -> str:
    rows = [
        (_link(code, ""), severity, str(int(severity is Severity.ERROR)), _brief(code, language))
        for code, severity in SEVERITIES.items()
    ]
    return _table(_TITLES["severities"][language], rows)


def _brief(code: str, language: str) -> str:
    """A finding in short, without how often it was met."""
    return _COUNT.sub("", texts(language)(f"brief.{code}"))


def _codes_of(kind: str, language: str) -> str:
    """A heading for each code: what it says, as a report says it. The page in English has both languages."""
    shown = ("en", "ko") if language == "en" else (language,)
    return "\n".join(
        "\n\n".join([f"### {code}", *(f"{_said(code, of)} {_fix(code, of)}" for of in shown)]) + "\n"
        for code in sorted(code for code in codes() if _kind(code) == kind)
    )


def _kind(code: str) -> str:
    """The section of docs/errors.md that a code stands in."""
    severity = codes()[code].severity
    if severity == "stop":
        return "settings"
    return "rubrics" if severity == Severity.REFUSED and code.startswith("rubric-") else "inputs"


def _said(code: str, language: str) -> str:
    t = texts(language)
    return _filled(f"{t.named('finding', code) or t.named('what', code)}.")


def _fix(code: str, language: str) -> str:
    return _filled(f"{texts(language).named('fix', code)}.")


class _Names(dict[str, str]):
    """Every name in braces stands for itself."""

    def __missing__(self, name: str) -> str:
        return f"{{{name}}}"


def _filled(text: str) -> str:
    """A text whose particles fit the names of its values."""
    return fill(text, _Names())


def _settings(language: str) -> str:
    rows = [
        (f"`{row.variable}`", f"`{row.default}`" if row.default else "—", row.meaning) for row in setting_rows(language)
    ]
    return _table(_TITLES["settings"][language], rows)


def _stops(language: str) -> str:
    stops = [code for code in codes() if _kind(code) == "settings"]
    return _table(
        _TITLES["stops"][language], [(f"`{code}`", _said(code, language), _fix(code, language)) for code in stops]
    )


def _limits(section: str, language: str) -> str:
    rows = [
        (
            f"`{limit['name']}`",
            _value(limit),
            limit["what"][language],
            _CODE.sub(partial(_linked, language), limit["then"][language]),
        )
        for limit in _limit_tables()[section]
    ]
    return _table(_TITLES["limits"][language], rows)


@cache
def _limit_tables() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads((DOCS / "limits.toml").read_text(encoding="utf-8"))


def _value(limit: dict[str, Any]) -> str:
    """The value of a constant or the default of a setting, in its unit."""
    name, unit = limit["name"], limit.get("unit", "")
    if name.startswith(PREFIX):
        return next(row.default for row in setting_rows() if row.variable == name)
    module, _, constant = name.rpartition(".")
    value = getattr(import_module(module), constant) / _UNITS[unit]
    return f"{value:.0f} {unit}".rstrip() if value == int(value) else f"{value} {unit}".rstrip()


def _linked(language: str, code: re.Match[str]) -> str:
    page = next(name for name, of in PAGES.items() if name.startswith("errors") and of == language)
    return _link(code[1], page) if code[1] in codes() else code[0]


def _link(code: str, page: str) -> str:
    return f"[`{code}`]({page}#{code})"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = [f"| {' | '.join(titles)} |", f"|{'---|' * len(titles)}"]
    return "".join(f"{line}\n" for line in [*head, *(f"| {' | '.join(row)} |" for row in rows)])


def _as_text(default: object) -> str:
    if default is None or default == ():
        return ""
    if isinstance(default, bool):
        return "true" if default else "false"
    if isinstance(default, float):
        return f"{default:g}"
    if isinstance(default, tuple):
        return ",".join(default)
    return str(default)


PARTS: dict[str, Callable[[str], str]] = {
    "severities": _severities,
    "settings": _settings,
    "stops": _stops,
    **{f"codes {kind}": partial(_codes_of, kind) for kind in ("inputs", "rubrics", "settings")},
    **{f"limits {section}": partial(_limits, section) for section in _limit_tables()},
}
SCHEMAS = {"report.schema.json": report_json.schema, "compare.schema.json": data.schema}


if __name__ == "__main__":
    for page in PAGES:
        path = DOCS / page
        path.write_text(written(page, path.read_text(encoding="utf-8")), encoding="utf-8")
    for name, schema in SCHEMAS.items():
        (DOCS / name).write_bytes(encode_json(schema()))
