"""Every text that is asked for is there, and none is there for nothing."""

import re

import pytest

from tests.paths import ROOT
from texts import texts

SOURCES = sorted(
    [
        *(
            path
            for folder in ("reporting", "cli", "config", "watcher", "workers", "scorewatch")
            for path in (ROOT / folder).rglob("*.py")
        ),
        *(ROOT / "reporting/document/templates").glob("*.html"),
        ROOT / "bench/documents.py",
    ]
)
PLAIN = re.compile(r"""\bt(?:\.has)?\(\s*["']([a-z0-9.-]+)["']""")
IN_MARKUP = re.compile(r"\$\{([a-z0-9-]+\.[a-z0-9.-]+)\}")
PREFIX = re.compile(r"""\b(?:t(?:\.has|\.starting)?\(|partial\(t,|key =.* else)\s*f?["']([a-z0-9.-]+[.-])["'{]""")
NAMED = re.compile(r"""\bt\.named\(\s*["']([a-z.-]+)["']""")
COUNTED = re.compile(r"""\bt\.counted\(\s*["']([a-z]+)["']""")
HELD = re.compile(r"""key = f["']([a-z.-]+\.)\{""")
KEYS_OF_TUPLES = re.compile(r"""["']((?:changes|chart)\.(?!html|md|svg)[a-z-]+)["']""")
LITERAL = re.compile(r"""["']([a-z0-9.-]+)["']""")
REPORT_SCRIPTS = ("copying.js", "items.js", "address.js", "disagree.js", "pane.js", "bench.js")
SCRIPTS = dict.fromkeys(REPORT_SCRIPTS, "js.") | {"index.js": "index-js."}
SCRIPT_KEY = re.compile(r"""\bt\(\s*["']([a-z-]+)["']""")


def _asked() -> tuple[set[str], set[str]]:
    plain: set[str] = set()
    prefixes: set[str] = set()
    for path in SOURCES:
        source = path.read_text(encoding="utf-8")
        plain |= {key for key in PLAIN.findall(source) if not key.endswith((".", "-"))}
        plain |= set(KEYS_OF_TUPLES.findall(source)) | set(IN_MARKUP.findall(source))
        plain |= {f"count.{what}{one}" for what in COUNTED.findall(source) for one in ("", ".one")}
        prefixes |= set(PREFIX.findall(source)) | set(HELD.findall(source))
        prefixes |= {f"{prefix}." for prefix in NAMED.findall(source)}
    for name, prefix in SCRIPTS.items():
        script = (ROOT / "reporting/document/templates" / name).read_text(encoding="utf-8")
        plain |= {prefix + key for key in SCRIPT_KEY.findall(script)}
    return plain, prefixes


def test_every_text_that_is_asked_for_is_there() -> None:
    plain, prefixes = _asked()
    known = texts().entries
    assert len(plain) > 100
    assert sorted(key for key in plain if key not in known) == []
    assert sorted(prefix for prefix in prefixes if not any(key.startswith(prefix) for key in known)) == []


def test_no_text_is_left_over() -> None:
    held, prefixes = _asked()
    prefixes -= set(SCRIPTS.values())  # their keys are those that the scripts hold
    for path in SOURCES:
        held |= set(LITERAL.findall(path.read_text(encoding="utf-8")))
    for name, prefix in SCRIPTS.items():
        script = (ROOT / "reporting/document/templates" / name).read_text(encoding="utf-8")
        held |= {prefix + key for key in LITERAL.findall(script)}
    assert [key for key in texts().entries if key not in held and not key.startswith(tuple(prefixes))] == []


def test_english_has_no_korean_and_korean_no_untranslated_sentence() -> None:
    hangul = re.compile("[\uac00-\ud7a3]")
    assert [key for key, text in texts("en").entries.items() if hangul.search(text)] == []
    words = {key: re.sub(r"\{\w+\}", "", text) for key, text in texts("ko").entries.items() if not hangul.search(text)}
    english = [key for key, text in words.items() if len(text.split()) > 2]
    assert english == []


def test_a_value_is_never_a_format() -> None:
    assert texts()("unit.points", n="{n.__class__}") == "{n.__class__}점"
    with pytest.raises(KeyError):
        texts()("no-such-text")
    with pytest.raises(KeyError):
        texts("xx")
