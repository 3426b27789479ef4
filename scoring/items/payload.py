"""What the `Raw JSON` cell of a row says, or why it is no payload (docs/scoring.md#payload).

Cells are decoded once: by `PayloadReader.plain` into the few wanted fields, or by `open_payload` into everything, which
costs three times as much.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, cast

import msgspec

from scoring.items.quantities import MILLISECONDS, MOST_SECONDS, elapsed_of, read_seconds
from scoring.json_values import Diagnosis, Path, Refusal, is_too_deep, load_json, open_json, sorted_json
from scoring.payloads import PathWatch, found_at, parsed_paths, says_nothing, values_at
from scoring.rubric import PAYLOAD_KEYS, PayloadRule
from scoring.text import BLANK_STARTS, is_blank

_SEVERAL = {"milliseconds": 2}  # names that a plain payload may have for a key; one for the others
_SETTING, _FILTER_TYPE = "setting", "filterType"  # what an answer sets beside its UI items
_NOT_IN_A_NAME = re.compile(r'["\\\x00-\x1f]')  # of a field: msgspec refuses these


class Payload(msgspec.Struct, frozen=True, gc=False):
    """The wanted fields of a payload.

    message: as text (JSON text of a value that is no text), "" when blank. has_ui: there is a non-empty UI item.
    error: as text, "" when blank or a false value. response_seconds, latency: seconds, the text of a value that is
    none, or None where nothing is written. notes: codes of oddities for data quality, usually none. value: the whole
    object, or what was asked for of it. shown: what the answer shows beside its message, see `_shown`.
    """

    message: str
    has_ui: bool = False
    error: str = ""
    response_seconds: float | str | None = None
    latency: float | str | None = None
    notes: tuple[str, ...] = ()
    value: dict[str, object] | None = None
    shown: bytes = b""


class Opened(NamedTuple):
    """The object of a cell. notes: what was odd about its text."""

    value: dict[str, object]
    notes: tuple[str, ...] = ()


class PlainFields(Protocol):
    """The wanted fields in the types that agents write; payloads with other types are not plain."""

    message: str | None
    ui: list[object] | None
    error: str | bool | None
    seconds: float | str | None
    milliseconds: float | str | None
    milliseconds_2: float | str | None
    setting: object
    filter_type: object


_PLAIN_TYPES = {
    "message": str | None,
    "ui": list[Any] | None,
    "error": str | bool | None,
    "seconds": float | str | None,
    "milliseconds": float | str | None,
    "milliseconds_2": float | str | None,
}


class PlainCells(NamedTuple):
    """One entry per cell. payloads: None where the cell is no plain payload, and `read` tells what it is.

    messages, seconds: of the payloads that need no second look, because they have both, no error and no other latency;
    "" and None for the others.
    """

    payloads: list[Payload | None]
    messages: list[str]
    seconds: list[float | None]


class PayloadReader:
    """Reads payloads by the paths of a document.

    watch: learns of the paths that the document itself names; an error only matters where there is no answer.
    names: of what else is asked for, at the top of a payload. is_plain: is every value there, where `plain` finds it?
    has_decimal_comma: as for `read_seconds`.
    """

    def __init__(
        self,
        rule: PayloadRule,
        watch: PathWatch,
        *,
        names: frozenset[str] = frozenset(),
        has_decimal_comma: bool = False,
    ) -> None:
        self._watch = watch
        self._has_decimal_comma = has_decimal_comma
        self._written = {key: rule.paths(key) for key in PAYLOAD_KEYS if rule.is_written(key)}
        self._at = {key: parsed_paths(rule.paths(key)) for key in PAYLOAD_KEYS}
        self._names = {key: "".join(rule.paths(key)[:1]) for key in PAYLOAD_KEYS}
        self._elapsed = rule.elapsed
        self._asked = {name: f"asked_{n}" for n, name in enumerate(sorted(names))}
        plain = _plain_decoder(tuple(self._at.items()), tuple(self._asked)) if self._elapsed is None else None
        self.is_plain = plain is not None
        self._decode_plain = plain and plain.decode

    def has_answer_field(self, payload: dict[str, object]) -> bool:
        """Has the payload the first name of a path of the message or of UI items?"""
        return any(path[0] in payload for path in (*self._at["message"], *self._at["ui"]))

    def plain(self, cells: Iterable[str]) -> PlainCells:
        """Decode many cells; only where `is_plain`."""
        decode, asked = self._decode_plain, self._asked.items()
        assert decode is not None
        payloads: list[Payload | None] = []
        messages: list[str] = []
        all_seconds: list[float | None] = []
        seen: list[PlainFields] = []
        # One frame for many cells: 0.6 s instead of 0.9 s per 100,000 payloads of 1.85 KB.
        for cell in cells:
            fields = payload = None
            usual_message, usual_seconds = "", None
            try:
                data = cell.encode()  # decoding from bytes is a fifth cheaper than from text
                if not is_too_deep(data):
                    fields = decode(data)
            except (msgspec.DecodeError, UnicodeError, RecursionError):
                pass
            if fields is not None:
                shown = _shown(fields.ui or (), fields.setting, fields.filter_type)
                value = {name: getattr(fields, field) for name, field in asked} if asked else None
                if (
                    (message := fields.message)
                    and message[0] not in BLANK_STARTS
                    and not fields.error
                    and type(seconds := fields.seconds) is float
                    and 0 < seconds <= MOST_SECONDS
                    and fields.milliseconds is None
                    and fields.milliseconds_2 is None
                ):
                    usual_message, usual_seconds = message, seconds
                    payload = Payload(message, bool(fields.ui), "", seconds, None, (), value, shown)
                else:
                    payload = self._made(
                        message=_text(fields.message),
                        ui=self._read_ui([] if fields.ui is None else [fields.ui]),
                        error=_text(fields.error),
                        seconds=[fields.seconds],
                        milliseconds=[fields.milliseconds, fields.milliseconds_2],
                        shown=shown,
                        value=value,
                    )
                if self._written:
                    seen.append(fields)
            payloads.append(payload)
            messages.append(usual_message)
            all_seconds.append(usual_seconds)
        self._see_plain(seen)
        return PlainCells(payloads, messages, all_seconds)

    def read(self, cell: str) -> Payload | str | None:
        """The payload in a cell with everything in it, the Diagnosis of why there is none, or None for a blank cell."""
        opened = open_payload(cell)
        if not isinstance(opened, Opened):
            return opened
        payload = self._payload(opened)
        for key, paths in self._written.items():
            found = bool(values_at(opened.value, self._at[key]))
            is_asked = key != "error" or not (payload.message or payload.has_ui)
            self._watch.saw(f"payload.{key}", paths, asked=int(is_asked), found=found)
        return payload

    def _payload(self, opened: Opened) -> Payload:
        value, at = opened.value, self._at
        seconds, milliseconds = (
            [one for path in at[key] for one in found_at(value, path)] for key in ("seconds", "milliseconds")
        )
        if self._elapsed is not None:
            seconds = [elapsed_of([found_at(value, path) for path in at["seconds"]], is_sum=bool(self._elapsed.sum))]
        texts, ui = values_at(value, at["message"]), values_at(value, at["ui"])
        return self._made(
            message=_text(texts[0]) if len(texts) == 1 else "\n".join(map(_text, texts)),
            ui=self._read_ui(ui),
            error=next(map(_text, values_at(value, at["error"])), ""),
            seconds=seconds,
            milliseconds=milliseconds,
            shown=_shown([one for found in ui for one in _listed(found)], value.get(_SETTING), value.get(_FILTER_TYPE)),
            notes=opened.notes,
            value=value,
        )

    def _made(
        self,
        *,
        message: str,
        ui: _Ui,
        error: str,
        seconds: Sequence[object],
        milliseconds: Iterable[object],
        shown: bytes,
        notes: tuple[str, ...] = (),
        value: dict[str, object] | None = None,
    ) -> Payload:
        comma = self._has_decimal_comma
        response_seconds = _first_seconds(seconds, has_decimal_comma=comma)
        if not isinstance(response_seconds, float) and any(one is not None for one in seconds):
            notes = (*notes, f"field-type:{self._names['seconds']}")
        if ui.note:
            notes = (*notes, ui.note)
        latency = _first_seconds(milliseconds, per_second=MILLISECONDS, has_decimal_comma=comma)
        return Payload(message, ui.has_ui, error, response_seconds, latency, notes, value, shown)

    def _read_ui(self, values: list[object]) -> _Ui:
        """Values at a path of UI items: a list of them, one of them, or either in a JSON text."""
        if not values:
            return _Ui(False)
        value = values[0] if len(values) == 1 else [one for found in values for one in _listed(found)]
        if isinstance(value, list):
            return _Ui(not all(map(says_nothing, value)))
        if isinstance(value, dict):
            return _Ui(True, "ui-object")
        if isinstance(value, str) and isinstance(opened := open_json(value), list | dict):
            return _Ui(bool(opened) and self._read_ui([opened]).has_ui, "json-in-ui")
        return _Ui(False, f"field-type:{self._names['ui']}")

    def _see_plain(self, all_fields: list[PlainFields]) -> None:
        for key, paths in self._written.items():
            asked = len(all_fields)
            if key == "error":
                asked = sum(not fields.ui and is_blank(fields.message or "") for fields in all_fields)
            names = [key, *(f"{key}_{n + 1}" for n in range(1, _SEVERAL.get(key, 1)))]
            found = any(getattr(fields, name) is not None for name in names for fields in all_fields)
            self._watch.saw(f"payload.{key}", paths, asked=asked, found=found)


def open_payload(cell: str) -> Opened | str | None:
    """The object in a cell, the Diagnosis of why there is none, or None for a blank cell."""
    if is_blank(cell):
        return None
    value = load_json(cell)
    notes: tuple[str, ...] = ()
    if isinstance(value, str) and not isinstance(value, Refusal):
        opened = load_json(value)
        # Text that was never meant as an object is not a damaged one.
        if isinstance(opened, Refusal) and opened != Diagnosis.TOO_DEEP and value.lstrip()[:1] != "{":
            return Diagnosis.NOT_AN_OBJECT
        value, notes = opened, ("double-encoded",)
    if isinstance(value, Refusal):
        return str(value)
    return Opened(value, notes) if isinstance(value, dict) else Diagnosis.NOT_AN_OBJECT


class _Ui(NamedTuple):
    """Is there a UI item, and what was odd about the field ("" as a rule)."""

    has_ui: bool
    note: str = ""


@lru_cache(maxsize=64)  # a type costs as much as some 100 payloads, and is never freed without the garbage collector
def _plain_decoder(
    at: tuple[tuple[str, tuple[Path, ...]], ...], asked: tuple[str, ...]
) -> msgspec.json.Decoder[PlainFields] | None:
    """Reads the wanted fields; None where one is not at the top of a payload, or there are more than it holds."""
    fields: list[tuple[str, Any, Any]] = []
    absent: dict[str, object] = dict.fromkeys(_PLAIN_TYPES)
    names: list[str] = []
    for key, paths in at:
        if len(paths) > _SEVERAL.get(key, 1) or any(len(path) > 1 for path in paths):
            return None
        for n, path in enumerate(paths, start=1):
            field, name = f"{key}_{n}" if n > 1 else key, cast("str", path[0])
            fields.append((field, _PLAIN_TYPES[field], msgspec.field(name=name, default=None)))
            names.append(name)
            del absent[field]
    others = [(f"asked_{n}", name) for n, name in enumerate(asked)]
    for field, name in (("setting", _SETTING), ("filter_type", _FILTER_TYPE), *others):
        fields.append((field, Any, msgspec.field(name=name, default=None)))
        names.append(name)
    if len(set(names)) < len(names) or any(map(_NOT_IN_A_NAME.search, names)):
        return None
    plain = cast("type[PlainFields]", msgspec.defstruct("PlainFields", fields, namespace=absent, gc=False))
    return msgspec.json.Decoder(plain)


def _first_seconds(values: Iterable[object], *, per_second: int = 1, has_decimal_comma: bool) -> float | str | None:
    """The first usable one; else the text of the last that is none, or None."""
    unusable = None
    for value in values:
        if value is None:
            continue  # the usual case of all but one
        seconds = read_seconds(value, per_second=per_second, has_decimal_comma=has_decimal_comma)
        if isinstance(seconds, float):
            return seconds
        unusable = unusable if seconds is None else seconds
    return unusable


def _shown(ui: Iterable[object], setting: object, filter_type: object) -> bytes:
    """What an answer shows beside its message: UI items, `setting` and `filterType` as JSON with sorted keys.

    What says nothing is left out; empty where nothing is left.
    """
    beside = ((_SETTING, setting), (_FILTER_TYPE, filter_type))
    found = {name: value for name, value in beside if value is not None and not says_nothing(value)}
    if items := [one for one in ui if not says_nothing(one)]:
        found["ui"] = items
    return sorted_json(found) if found else b""


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _text(value: object) -> str:
    """A field as text: unchanged, JSON text of another value, "" for nothing."""
    if type(value) is str:
        return "" if is_blank(value) else value
    return "" if says_nothing(value) else json.dumps(value, ensure_ascii=False)
