"""What the pages say to people, by key and language. `ko` is what is written first; `en` has the same keys.

An area is a pair of modules, in `korean` and in `english`; a key belongs to one area.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import chain

from reporting.wording.catalogue.english.commands import COMMANDS_EN
from reporting.wording.catalogue.english.common import EN
from reporting.wording.catalogue.english.compare import COMPARE_EN
from reporting.wording.catalogue.english.console import CONSOLE_EN
from reporting.wording.catalogue.english.findings import FINDINGS_EN
from reporting.wording.catalogue.english.index import INDEX_EN
from reporting.wording.catalogue.english.judge import JUDGE_EN
from reporting.wording.catalogue.english.kinds import KINDS_EN
from reporting.wording.catalogue.english.measures import MEASURES_EN
from reporting.wording.catalogue.english.problems import PROBLEMS_EN
from reporting.wording.catalogue.english.proposal import PROPOSAL_EN
from reporting.wording.catalogue.english.report import REPORT_EN
from reporting.wording.catalogue.english.sessions import SESSIONS_EN
from reporting.wording.catalogue.korean.commands import COMMANDS_KO
from reporting.wording.catalogue.korean.common import KO
from reporting.wording.catalogue.korean.compare import COMPARE_KO
from reporting.wording.catalogue.korean.console import CONSOLE_KO
from reporting.wording.catalogue.korean.findings import FINDINGS_KO
from reporting.wording.catalogue.korean.index import INDEX_KO
from reporting.wording.catalogue.korean.judge import JUDGE_KO
from reporting.wording.catalogue.korean.kinds import KINDS_KO
from reporting.wording.catalogue.korean.measures import MEASURES_KO
from reporting.wording.catalogue.korean.problems import PROBLEMS_KO
from reporting.wording.catalogue.korean.proposal import PROPOSAL_KO
from reporting.wording.catalogue.korean.report import REPORT_KO
from reporting.wording.catalogue.korean.sessions import SESSIONS_KO

AREAS: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "ko": (
        KO,
        COMMANDS_KO,
        COMPARE_KO,
        CONSOLE_KO,
        FINDINGS_KO,
        INDEX_KO,
        JUDGE_KO,
        KINDS_KO,
        MEASURES_KO,
        PROBLEMS_KO,
        PROPOSAL_KO,
        REPORT_KO,
        SESSIONS_KO,
    ),
    "en": (
        EN,
        COMMANDS_EN,
        COMPARE_EN,
        CONSOLE_EN,
        FINDINGS_EN,
        INDEX_EN,
        JUDGE_EN,
        KINDS_EN,
        MEASURES_EN,
        PROBLEMS_EN,
        PROPOSAL_EN,
        REPORT_EN,
        SESSIONS_EN,
    ),
}
LANGUAGES: Mapping[str, Mapping[str, str]] = {
    language: dict(chain.from_iterable(area.items() for area in areas)) for language, areas in AREAS.items()
}


class Texts:
    """The texts of one language, called by key; names in braces are filled in, so a value is never a format."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.entries = LANGUAGES[language]

    def __call__(self, key: str, /, **values: str) -> str:
        """The text of `key`. Raises KeyError when there is none, or when a name that it needs is not given."""
        text = self.entries[key]
        return text.format_map(values) if values else text

    def has(self, key: str) -> bool:
        """Is there such a text?"""
        return key in self.entries

    def named(self, prefix: str, code: str) -> str:
        """The text of `<prefix>.<code>`, "" when there is none."""
        return self.entries.get(f"{prefix}.{code}", "")

    @lru_cache(maxsize=4096)  # noqa: B019 -- one object per language, which stays
    def counted(self, what: str, shown: str) -> str:
        """A number as it is shown with what it counts: `82 items`, `1 item`."""
        return self(f"count.{what}.one" if shown == "1" else f"count.{what}", n=shown)

    @cache  # noqa: B019 -- one object per language, which stays
    def starting(self, prefix: str) -> Mapping[str, str]:
        """All texts whose keys start with `prefix`, by the rest of the key."""
        return {key.removeprefix(prefix): text for key, text in self.entries.items() if key.startswith(prefix)}


@cache
def texts(language: str = "ko") -> Texts:
    """The texts of a language. Raises KeyError for one without texts."""
    return Texts(language)
