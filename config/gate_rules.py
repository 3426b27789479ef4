"""The rules of the gate: the table `[gate]` of the settings file, or of a file of its own (docs/gate.md).

Everything that is wrong in the table is named at once: file, table, number and text of the rule, column, what is
written there and what would fit.
"""

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from config.load import parse_toml
from config.start import GATE_TABLE, SettingsError
from scoring.gate import GateRules, Rule, RuleError, RuleSet, metric_scales, parse_rule
from scoring.reading import read_named
from scoring.rubric import Rubric
from texts import DEFAULT_LANGUAGE, Texts, texts

MOST_RULES = 200  # of a profile
_RULES, _CONFIDENT = "rules", "confident"
_SHOWN = 120  # characters of a rule
_MOST_FITS = 12
_KINDS = frozenset({"#number", "#whole-number", "#text", "#track", "#end"})


class GateSource(NamedTuple):
    """The file of the rules.

    is_own: it has nothing else in it, as the settings file has. is_there: it was at the start.
    """

    path: Path
    is_own: bool
    is_there: bool = True


def gate_source(path: Path | None) -> GateSource:
    """The file `path`; None takes the settings file in force, or what would be it."""
    if path is not None:
        return GateSource(path, is_own=True)
    from config.load import DEFAULT_FILE, settings_file

    found = settings_file()
    return GateSource(found or Path(DEFAULT_FILE), is_own=False, is_there=found is not None)


def load_gate(path: Path | None, rubrics: Sequence[Rubric], *, language: str = DEFAULT_LANGUAGE) -> GateRules:
    """The rules of a file, as `gate_source` and `read_gate` have it."""
    return read_gate(gate_source(path), rubrics, language=language)


def read_gate(source: GateSource, rubrics: Sequence[Rubric], *, language: str = DEFAULT_LANGUAGE) -> GateRules:
    """The rules of a file. No settings file or no table in it gives no rules.

    rubrics: in force. Rules for all profiles may name the metrics of any, those of a profile its own. Raises
    SettingsError that names everything that is wrong, and for a file that was named and cannot be read.
    """
    t, path = texts(language), source.path
    if source.is_own:
        content = _read_toml(path, t)
        others = [name for name in content if name != GATE_TABLE]
        if not content:
            raise SettingsError((f"{t('gate-table.empty', path=str(path))} [gate-rule]",))
        if others:
            raise SettingsError((f"{t('gate-table.not-gate', path=str(path), found=', '.join(others))} [gate-rule]",))
    else:
        content = _read_toml(path, t) if source.is_there or path.exists() else {}
    if GATE_TABLE not in content:
        return GateRules()
    return _rules_of(content[GATE_TABLE], str(path), rubrics, t)


def parse_gate(rules: Sequence[str], rubrics: Sequence[Rubric], *, language: str = DEFAULT_LANGUAGE) -> GateRules:
    """Rules for all profiles that a program gives. Raises SettingsError as `read_gate`."""
    return _rules_of({_RULES: list(rules)}, "rules", rubrics, texts(language))


def _rules_of(table: object, source: str, rubrics: Sequence[Rubric], t: Texts) -> GateRules:
    reader = _GateTable(source, t)
    rules = reader.read(table, rubrics)
    if reader.messages:
        raise SettingsError(tuple(f"{message} [gate-rule]" for message in reader.messages))
    return rules


def _read_toml(path: Path, t: Texts) -> dict[str, object]:
    try:
        return parse_toml(read_named(path))
    except tomllib.TOMLDecodeError as error:
        reason = t("settings.not-toml", path=str(path), reason=str(error))
    except UnicodeDecodeError as error:
        reason = t("settings.unreadable-file", path=str(path), reason=t("settings.not-utf8", offset=str(error.start)))
    except FileNotFoundError:
        raise SettingsError((f"{t('settings.missing-file', path=str(path))} [missing-settings-file]",)) from None
    except OSError as error:
        reason = t("settings.unreadable-file", path=str(path), reason=error.strerror or type(error).__name__)
    raise SettingsError((f"{reason} [unreadable-settings-file]",))


class _GateTable:
    """Reads the table `[gate]` and its tables per profile, and gathers what is wrong."""

    def __init__(self, source: str, t: Texts) -> None:
        self._source = source
        self._t = t
        self.messages: list[str] = []

    def read(self, table: object, rubrics: Sequence[Rubric]) -> GateRules:
        scales = {rubric.profile: metric_scales(rubric) for rubric in rubrics}
        measures = {rubric.profile: [measure.key for measure in rubric.measures] for rubric in rubrics}
        every: dict[str, float] = {}
        for of_profile in scales.values():
            every |= {name: max(top, every.get(name, 0.0)) for name, top in of_profile.items()}
        parse_any = partial(parse_rule, scales=every, measures=list(dict.fromkeys(chain(*measures.values()))))
        if not isinstance(table, dict):
            self._wrong(GATE_TABLE, "gate-table.no-table")
            return GateRules()
        tables = {name: value for name, value in table.items() if isinstance(value, dict)}
        own = {name: value for name, value in table.items() if name not in tables}
        common = self._rule_set(GATE_TABLE, own, parse_any, RuleSet(rules=()))
        profiles = {}
        for name, value in tables.items():
            place = f"{GATE_TABLE}.{name}"
            if name in scales:
                parse = partial(parse_rule, scales=scales[name], measures=measures[name])
                profiles[name] = self._rule_set(place, value, parse, common)
            else:
                self._wrong(place, "gate-table.no-profile", name, tuple(scales))
        return GateRules(common=common, profiles=profiles)

    def _rule_set(
        self, place: str, table: Mapping[str, object], parse: Callable[[str], Rule], common: RuleSet
    ) -> RuleSet:
        """What a table leaves out is as in the table for all profiles."""
        for name in table:
            if name not in {_RULES, _CONFIDENT}:
                self._wrong(place, "gate-table.no-key", name, (_RULES, _CONFIDENT))
        confident = table.get(_CONFIDENT, common.confident)
        if not isinstance(confident, bool):
            self._wrong(place, "gate-table.confident", repr(confident))
            confident = False
        texts = table.get(_RULES)
        if texts is None:
            return RuleSet(rules=common.rules, confident=confident)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self._wrong(place, "gate-table.rules")
            return RuleSet(rules=())
        if len(texts) > MOST_RULES:
            self._wrong(place, "gate-table.too-many", str(len(texts)))
            return RuleSet(rules=())
        return RuleSet(rules=tuple(self._parse(place, texts, parse)), confident=confident)

    def _parse(self, place: str, texts: Sequence[str], parse: Callable[[str], Rule]) -> Iterator[Rule]:
        for number, text in enumerate(texts, 1):
            try:
                yield parse(text)
            except RuleError as error:
                shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
                where = {"source": self._source, "place": place, "number": str(number), "rule": shown}
                reason = rule_error_text(error, self._t)
                self.messages.append(self._t("gate-table.rule", **where, column=str(error.column), reason=reason))

    def _wrong(self, place: str, key: str, found: str = "", names: Sequence[str] = ()) -> None:
        close = difflib.get_close_matches(found, names, n=1, cutoff=0.6)
        likely = f" {self._t('settings.likely', name=close[0])}" if close else ""
        reason = self._t(key, found=f"{found:.{_SHOWN}}", names=", ".join(names), most=str(MOST_RULES))
        self.messages.append(self._t("gate-table.table", source=self._source, place=place, reason=reason) + likely)


def rule_error_text(error: RuleError, t: Texts) -> str:
    """What is wrong at the column of a rule, and what would fit."""
    fits = [t(f"gate-table.fits.{one[1:]}") if one in _KINDS else one for one in error.fits[:_MOST_FITS]]
    if len(error.fits) > _MOST_FITS:
        fits.append("…")
    key = "gate-table.error.end" if error.code == "expected" and not error.found else f"gate-table.error.{error.code}"
    text = t(key, found=f"{error.found:.{_SHOWN}}", fits=", ".join(fits), **error.facts)
    return f"{text} {t('settings.likely', name=error.likely)}" if error.likely else text
