"""What became of the rows of a review file, in one line: rows = used + blank + refused, and those for other sets."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from reporting.wording.display import NONE, clean, count, percent, score
from reporting.wording.intervals import between
from reporting.wording.names import metric_word
from scoring import Problem
from scoring.items import Opinion, Review
from scoring.results import PASS, Corrected, Reviews
from scoring.review import Outcome, PersonGrade, ReviewFile
from scoring.statistics import QUERIES_FOR_VALUE
from texts import Texts


class Tally(NamedTuple):
    """Rows of a file. elsewhere: of sets that were not looked at. problems: why rows are refused, each at its cell."""

    name: str
    rows: int
    used: int
    blank: int
    elsewhere: int
    problems: tuple[Problem, ...]

    @property
    def refused(self) -> int:
        """Rows that are filled and not used."""
        return self.rows - self.used - self.blank - self.elsewhere

    def line(self, t: Texts) -> str:
        """Told in one line."""
        numbers = {"rows": count(self.rows), "used": count(self.used), "blank": count(self.blank)}
        said = t("review.line", file=clean(self.name), **numbers, refused=count(self.refused))
        return said + (t("review.line-elsewhere", n=count(self.elsewhere)) if self.elsewhere else "")


def tally(file: ReviewFile, outcomes: Sequence[Outcome]) -> Tally:
    """What became of a file. outcomes: of the sets that were looked at.

    A row that another file has as well counts in both.
    """
    used = {grade.content for one in outcomes for grade in one.used}
    refused = {grade.content for one in outcomes for grade, _ in one.refused}
    mine = [problem for one in outcomes for grade, problem in one.refused if grade.file == file.name]
    return Tally(
        name=file.name,
        rows=file.rows,
        used=sum(grade.content in used for grade in file.grades),
        blank=file.blank,
        elsewhere=sum(grade.content not in used and grade.content not in refused for grade in file.grades),
        problems=(*file.refused, *file.problems, *mine),
    )


def of_no_set(
    files: Iterable[ReviewFile], outcomes: Sequence[Outcome], profile_of: Callable[[str], str | None]
) -> Outcome:
    """The rows whose key names no set of its profile, and that fit no other.

    outcomes: of the sets. profile_of: the profile of a set; None where there is no set of this name, "" where it is
    there and nothing tells its profile.
    """
    known = {grade.content for one in outcomes for grade in (*one.used, *(grade for grade, _ in one.refused))}
    lost: list[tuple[PersonGrade, Problem]] = []
    for grade in (grade for file in files for grade in file.grades if grade.content not in known):
        set_name, profile = grade.key.set_name, profile_of(grade.key.set_name)
        if profile is None:
            lost.append((grade, grade.problem("review-nowhere", set=set_name)))
        elif profile not in {"", grade.key.profile}:
            values = {"set": set_name, "profile": grade.key.profile, "own": profile}
            lost.append((grade, grade.problem("review-profile", **values)))
    return Outcome((), tuple(lost))


def corrected_texts(
    reviews: Reviews, title_of: Callable[[str], str], value_of: Callable[[str], float | None], t: Texts
) -> list[str]:
    """What people would give overall, a sentence a figure.

    `의도 충족 3.52, 사람 기준으로 3.21 (2.93–3.49, 무작위 30질의).` title_of, value_of: title of a metric, and what
    the report shows of it or of the share that passes.
    """
    found = []
    for metric in reviews.metrics:
        found.append(_corrected(metric.corrected, title_of(metric.metric), value_of(metric.metric), score, t))
        if metric.passed is not None:
            shown = partial(percent, whole=1)
            found.append(_corrected(metric.passed, t("headline.pass-rate"), value_of(PASS), shown, t))
    return [text for text in found if text]


def _corrected(one: Corrected, title: str, value: float | None, shown: Callable[[float], str], t: Texts) -> str:
    if one.cannot_tell:
        return t("review.cannot-tell", metric=title)
    if one.value is None or value is None:
        return (
            t("review.few", metric=title, queries=count(one.queries), least=str(QUERIES_FOR_VALUE))
            if one.queries
            else ""
        )
    ends = "" if one.interval is None else f"{between(shown(one.interval.low), shown(one.interval.high))}, "
    numbers = {"value": shown(value), "corrected": shown(one.value), "queries": count(one.queries)}
    return t("review.corrected", metric=title, ends=ends, **numbers)


def given_text(opinions: Sequence[Opinion]) -> str:
    """Who graded an item, with what each gave where they differ: `A 3, B 1`."""
    is_split = len({one.grade for one in opinions}) > 1
    return ", ".join(f"{one.reviewer} {one.grade}" if is_split else one.reviewer for one in opinions)


def written_text(texts: Iterable[tuple[str, str]]) -> str:
    """What reviewers wrote: once where all wrote the same, else each with the name: `A: off topic; B: no source`."""
    by_name = dict(texts)
    if len(set(by_name.values())) == 1:
        return next(iter(by_name.values()))
    return "; ".join(f"{name}: {text}" for name, text in by_name.items() if text)


def comments_text(opinions: Sequence[Opinion]) -> str:
    """`written_text` of the comments."""
    return written_text((one.reviewer, one.comment) for one in opinions)


def causes_text(opinions: Sequence[Opinion]) -> str:
    """`written_text` of the causes."""
    return written_text((one.reviewer, one.cause) for one in opinions)


def review_text(reviews: Iterable[Review], t: Texts) -> str:
    """What people graded of an item, by metric: grades before and after, who, what it had its grade from, and why."""
    of_item = list(reviews)
    return "; ".join(
        (f"{metric_word(one.metric, t)} " if len(of_item) > 1 else "")
        + t(
            "review.shown",
            before=one.before_text or NONE,
            after=one.after_text,
            names=given_text(one.opinions),
            origin=t.named("review.by", one.origin) or one.origin,
            comment="".join(f" · {text}" for text in (causes_text(one.opinions), comments_text(one.opinions)) if text),
        )
        for one in of_item
    )
