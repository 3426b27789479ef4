"""What a file of another agent seems to hold, as values: the basis of a rubric document for it.

`scoring.proposal.proposing` decides; wording and Markdown are left to `reporting.rubric_document`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from scoring.json_values import ANY_KEY, Having, name_step, parse_path
from scoring.proposal.json_fields import Calls, JsonField
from scoring.proposal.names import is_untruth
from scoring.rubric import Scale, is_map_path


class Reason(NamedTuple):
    """Why something was decided, or could not be: a stable code and the facts, by name."""

    code: str
    values: Mapping[str, str] = {}


# Codes of what was not decided although scores depend on it: a person has to.
UNSURE = frozenset(
    {
        "header-below",
        "scale-unknown",
        "score-misfit",
        "limits-differ",
        "success-of-all",
        "verdict-unused",
        "verdict-unnamed",
        "words-unknown",
        "scores-late",
        "scores-unscaled",
        "agents-mixed",
        "kinds-mixed",
        "retries",
        "truths-differ",
        "error-blames",
        "error-kinds",
        "times-zero",
        "times-alike",
        "times-stand-in",
        "no-pass",
        "answer-guessed",
        "answers-alike",
        "answers-errors",
        "answered-otherwise",
        "lists-alike",
        "records-other",
    }
)

_FEWEST_OF_A_MAP = 2  # scores that one path stands for


class Sample(NamedTuple):
    """The first rows of a file. header: as written. rows: each as long as the header. left_out: rows that are not.

    Of a JSON file the header has paths. fields: all of its paths, None for another file. records: path of the list of
    records, "" where the file is one. others: paths of lists that hold as much as that one. key: under which records of
    a map have their key, "" where they are none. late: paths of scores that only later records have. below: the cells
    of a row below the header that looks like the header itself; () without one.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    left_out: int = 0
    fields: tuple[JsonField, ...] | None = None
    records: str = ""
    others: tuple[str, ...] = ()
    key: str = ""
    late: tuple[str, ...] = ()
    below: tuple[str, ...] = ()


class ColumnGuess(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the file.

    header: as written. title: in the form in which a document can name it, "" where it cannot. field: what it fills, ""
    for a column that is only shown with the items. is_doubtful: the field is a possibility, which the document leaves
    as a comment. filled: share of rows with a value. is_required: does a row need it to be an item?
    path: in a JSON file. is_in_payload: does the document name its path under `payload`?
    """

    header: str
    title: str
    field: str
    reason: Reason
    filled: float
    is_doubtful: bool = False
    is_required: bool = False
    path: str = ""
    is_in_payload: bool = False


class LevelGuess(NamedTuple):
    """A level and its points. criteria: key of its description, "" for a word of the file."""

    name: str
    points: float
    criteria: str = ""


class ScoreKind(StrEnum):
    """How the file says how good an answer is."""

    NUMBER = "number"
    WORD = "word"
    NONE = "none"


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """How long answers took. median, most: of the sample. edges: upper ends of the bands, ascending."""

    median: float
    most: float
    edges: tuple[float, ...]


class Ends(NamedTuple):
    """Two columns, or paths, of times between which an answer took. times: the seconds of the sample."""

    start: str
    end: str
    times: tuple[float, ...]


class PayloadGuess(msgspec.Struct, frozen=True, kw_only=True):
    """What the JSON objects of a column, or of a file, hold.

    title: of the column. rows: objects of the sample. fields: their paths. paths: key of `payload` in a document ->
    paths in the order in which they are tried. calls: None without tool calls. messages, times: the answers and their
    seconds, as far as a path has them. beside: which numbers count although there is no answer.
    """

    title: str
    rows: int
    fields: tuple[JsonField, ...]
    paths: Mapping[str, tuple[str, ...]]
    calls: Calls | None
    measures: tuple[MeasureGuess, ...] = ()
    messages: tuple[str, ...] = ()
    times: tuple[float, ...] = ()
    beside: Reason | None = None


class MeasureGuess(msgspec.Struct, frozen=True, kw_only=True):
    """A further number. title: of its column. path: into the payload in place of the column. is_doubtful: a comment.

    scale: of a further score, which becomes a named one; None of a number without points. is_late: does no record have
    it by which the keys of a map are known?
    """

    name: str
    title: str
    path: str = ""
    unit: str = ""
    decimals: int | None = None
    is_better_higher: bool = False
    scale: Scale | None = None
    is_doubtful: bool = False
    is_late: bool = False

    @property
    def is_unscaled(self) -> bool:
        """Is it a score without points, because its scale cannot be told?"""
        return self.scale is None and self.is_better_higher

    @property
    def label(self) -> str:
        """What people call it: the name of a score in a list, else the title."""
        steps = parse_path(self.path) or ()
        return next((step.text for step in steps if isinstance(step, Having)), self.title)


class NotRun(NamedTuple):
    """A column whose words say of rows that they were not run. path: as a document names it. rows: that have one."""

    path: str
    words: tuple[str, ...]
    rows: int


class NoAnswer(NamedTuple):
    """A word that stands in place of answers, and how often."""

    word: str
    times: int

    def __str__(self) -> str:
        return f"{self.word} × {self.times}"


class Question(StrEnum):
    """What a person may be asked, in this order."""

    ANSWER = "answer"
    SCORE = "score"
    SCALE = "scale"
    NOT_RUN = "not-run"
    NO_ANSWER = "no-answer"
    ROUND = "round"
    PASSES = "passes"


Answers = Mapping[Question, str]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A question with its default. options: of which one is to be chosen; empty for a number of points."""

    question: Question
    default: str
    options: tuple[str, ...] = ()


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """All that a document for the file says.

    rows: of the sample. columns: every column of the file, in its order. pass_points: None without a score.
    has_unsure_score: is there a score whose scale cannot be told? Then scale and pass_points are those of the
    likeliest. has_rounds: are rounds compared? is_hangul, is_latin: what the answers are written in. fine_words: words
    of the error column that mean that nothing failed. tracks: words in their order. records, key: as of `Sample`.
    ends: None where a column has the seconds, or nothing has. payload: of the answers, None where columns hold all of
    them. objects: what every column of JSON objects holds.
    has_checks: does any expected answer hold a check? measures: numbers of columns and of the payload.
    not_run: rows that are left out. no_answer: answers that count as none. doubts: what could not be decided.
    open_choices: what a person may decide.
    """

    profile: str
    title: str
    files: tuple[str, ...]
    rows: int
    columns: tuple[ColumnGuess, ...]
    score: ScoreKind
    scale: Scale
    levels: tuple[LevelGuess, ...]
    pass_points: float | None
    has_unsure_score: bool
    has_rounds: bool
    seconds: Seconds | None
    is_hangul: bool
    is_latin: bool
    fine_words: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    records: str = ""
    key: str = ""
    ends: Ends | None = None
    payload: PayloadGuess | None = None
    objects: tuple[PayloadGuess, ...] = ()
    has_checks: bool = False
    measures: tuple[MeasureGuess, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    no_answer: tuple[NoAnswer, ...] = ()
    doubts: tuple[Reason, ...] = ()
    open_choices: tuple[Choice, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Is everything decided that scores depend on?"""
        return not any(doubt.code in UNSURE for doubt in self.doubts)

    @property
    def tells_passing(self) -> bool:
        """Does anything say whether an answer passes?"""
        return self.score is not ScoreKind.NONE

    @property
    def score_map(self) -> str:
        """The path that stands for all further scores, where it stands for no other number; "" where there is none."""
        scores = [one for one in self.measures if one.scale is not None]
        is_apart = any(
            one.is_late or is_untruth(one.path) for one in scores
        )  # `*.failed`: keys do not say what is better
        if len(scores) < _FEWEST_OF_A_MAP or len({one.scale for one in scores}) > 1 or self.payload is None or is_apart:
            return ""
        wanted, *others = [set(_maps_of(one.path)) for one in scores]
        own = {one.path for one in scores}
        numbers = {one.path for one in self.payload.fields if one.kind in {"number", "text"}} | {
            one.header for one in self.columns if one.field
        }
        for path in sorted(wanted.intersection(*others)):
            if not any(path in _maps_of(other) for other in numbers - own):
                return path
        return ""

    def column(self, name: str) -> ColumnGuess | None:
        """The column that fills a field; None without one."""
        return next((one for one in self.columns if one.field == name and not one.is_doubtful), None)


def _maps_of(path: str) -> Iterator[str]:
    """A path with `*` in place of each of its keys, but the first, or of the name of an object in a list."""
    parsed = parse_path(path) or ()
    steps = [step for step in parsed if not isinstance(step, int)]
    if len(steps) < len(parsed):
        return
    written = [name_step(step) if isinstance(step, str) else f"[{step.name}={step.text}]" for step in steps]
    for at, step in enumerate(steps):
        any_key = f"[{step.name}={ANY_KEY}]" if isinstance(step, Having) else f".{ANY_KEY}"
        found = "".join([*written[:at], any_key, *written[at + 1 :]]).removeprefix(".")
        if at and is_map_path(found):
            yield found
