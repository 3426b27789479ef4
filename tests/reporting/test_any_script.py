"""Names and texts in any script, turned around, or of 100 KB: on comparison, workbench, front page, board and trend."""

import json
from pathlib import Path

import pytest

from reporting.index import write_index
from reporting.store import COMPARE_HTML, REPORT_HTML, SUMMARY_HTML
from tests.reporting.comparison.runs import FAILED
from tests.reporting.publishing import publish_report
from tests.reporting.results import make_item, make_result, sha_of
from tests.reporting.seen import Seen, embedded_data
from tests.reporting.summary.test_files import summarise

SCRIPTS = {
    "arabic": "أظهر المرشحين فقط",
    "devanagari": "केवल उम्मीदवार दिखाएँ",
    "thai": "แสดงเฉพาะผู้สมัคร",
    "emoji": "👩🏽‍💻 지원자 🇰🇷",
    "hebrew": "הצג רק מועמדים",
    "nfd": "지원자만",
}
TURNED = "\u202eexe.docx\u202c\u2066x\u2069"
LONG = "가<b>|`" * 20_000  # 100,000 characters
STEERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
MOST_BYTES = {REPORT_HTML: 1_500_000, COMPARE_HTML: 1_500_000, SUMMARY_HTML: 60_000}


def publish(out: Path, name: str, *, broken: bool) -> Path:
    texts = [*SCRIPTS.values(), TURNED, LONG]
    items = [
        make_item(
            2 + number,
            query_id=f"{text[:40]}-{number}",
            question=text,
            expected=text,
            category=text[:300],
            **{"response": text, "message": text, **({**FAILED, "error": text} if broken and number % 2 else {})},
        )
        for number, text in enumerate(texts * 2)
    ]
    return publish_report(make_result(*items, sha256=sha_of(name)), set_name=name, key=name, out=out).folder


@pytest.mark.parametrize("language", ["ko", pytest.param("en", marks=pytest.mark.slow)])
def test_any_text_is_shown_and_steers_no_page(tmp_path: Path, language: str) -> None:
    names = [f"run_26030{at}_{text}" for at, text in enumerate(SCRIPTS.values(), start=1)]
    folders = [publish(tmp_path, name, broken=at % 2 == 1) for at, name in enumerate(names)]
    summarise(tmp_path, language=language)
    write_index(tmp_path, language=language, unclaimed=[f"{TURNED}{LONG}.csv", *SCRIPTS.values()])
    pages = {path: path.read_text(encoding="utf-8") for path in [*tmp_path.glob("*.html"), *tmp_path.glob("*.md")]}
    assert {path.suffix for path in pages} == {".html", ".md"}
    for folder in folders:
        pages |= {path: path.read_text(encoding="utf-8") for path in [*folder.glob("*.html"), *folder.glob("*.md")]}
        for name, most in MOST_BYTES.items():
            assert (folder / name).stat().st_size <= most, name
    for path, page in pages.items():
        assert not STEERING.intersection(page), path
        assert "<b>|" not in page, path
    shown = " ".join(Seen(pages[tmp_path / "index.html"]).lines)
    assert not [text for key, text in SCRIPTS.items() if key != "nfd" and text not in shown]
    assert len(pages[tmp_path / "index.html"].encode()) < 300_000
    for name in (REPORT_HTML, COMPARE_HTML):
        data = json.loads(embedded_data(pages[folders[1] / name]))
        assert not [text for key, text in SCRIPTS.items() if key != "nfd" and text not in data["strings"]]
        assert max(map(len, data["strings"])) < len(LONG)
