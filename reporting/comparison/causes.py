"""Why a run lost points of a figure: the causes that cost most, each with its items, and how many it had before."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from reporting.wording import count, excerpt, pattern_text, points, status_name, why_text
from scoring.comparison import Answer, Basis, Losses, Query
from scoring.results import PASS, FailurePattern, MetricLoss, cause_of, without_request_id
from scoring.rubric import CONSISTENCY, TOTAL, Status
from texts import Texts

MOST_CAUSES = 3
ERROR_CHARS = 60
_ERROR_READ = 1_000


def metric_behind(figure: str, basis: Basis, losses: Losses, *, is_repeated: bool) -> str:
    """The metric in points behind a figure that leads: what costs the total most, what an item passes by.

    is_repeated: has the run several rounds? Else nothing is lost by answers that differ.
    """
    if figure == TOTAL:
        among = [name for name in basis.weights if is_repeated or name != CONSISTENCY]
        return costliest_metric(losses.of_metrics, basis.weights, among)
    if figure == PASS and basis.passes is not None:
        return basis.passes.metric
    if figure in basis.metrics:
        return figure
    return next((name for name in ("stability", "intent") if name in basis.metrics), next(iter(basis.metrics), ""))


def costliest_metric(losses: Iterable[MetricLoss], weights: Mapping[str, float], among: Iterable[str]) -> str:
    """Of these metrics that have a weight the one that costs the total most; "" for none."""
    lost = {loss.metric: loss.points / loss.possible for loss in losses if loss.possible}
    return max(among, key=lambda name: weights[name] * lost.get(name, 0.0), default="")


def why_title(loss: MetricLoss, name: str, share: str, items: int, t: Texts) -> str:
    """What the causes of a loss are about. name: of the metric, or of the share that it repeats, then with its value.

    share: that value, else "". items: of the run.
    """
    if share:
        failed = sum(place.n for place in loss.places)
        return t("summary.why-failed", metric=name, value=share, n=count(failed), all=count(items))
    return t("summary.why-lost", metric=name, points=t.counted("points", points(loss.points)))


class Cause(NamedTuple):
    """By what items lost points: as `Loss` has it, wherever they are."""

    kind: str
    cause: str
    status: Status | None


class CauseText(NamedTuple):
    """A cause in words, and the status that is one; None for another cause."""

    text: str
    status: Status | None


def cause_texts(
    loss: MetricLoss,
    now: Losses,
    before: Losses | None,
    *,
    queries: Collection[Query],
    is_share: bool,
    is_repeated: bool,
    t: Texts,
) -> Iterator[CauseText]:
    """At most three causes with their items and points, those that cost most first.

    before: of the run compared with, None without it. queries: whose errors are examples. is_share: are items told
    without points, as of a share?
    """
    lost, items = _counted(loss)
    earlier = None
    if before is not None:
        of_metric = next((one for one in before.of_metrics if one.metric == loss.metric), None)
        earlier = Counter[Cause]() if of_metric is None else _counted(of_metric)[1]
    ordered = sorted(lost, key=lambda cause: (-lost[cause], *map(str, cause)))
    for cause in ordered[:MOST_CAUSES]:
        told = {"items": t.counted("items", count(items[cause]))}
        if cause.status is not None:
            new = None if earlier is None else items[cause] - earlier[cause]
            named = _status_text(cause.status, items[cause], new, queries, now=now, before=before, t=t)
        elif not cause.kind:
            named = t("lost.rounds" if is_repeated else "lost.single")
        else:
            named = t(f"lost.{cause.kind}", cause=t.named("reach", cause.cause) or excerpt(cause.cause, ERROR_CHARS))
        told["cause"] = named[:1].upper() + named[1:]
        if earlier is not None:
            told["items"] = t("summary.cause-before", items=told["items"], before=count(earlier[cause]))
        if is_share:
            text = t("summary.cause-items", **told)
        else:
            text = t("summary.cause", **told, points=t.counted("points", points(lost[cause])))
        yield CauseText(text, cause.status)


def failing_answers(query: Query) -> list[Answer]:
    """The answers that do not pass; where all that were assessed do, those that are none."""
    return [one for one in query.answers if one.passes is False] or [one for one in query.answers if one.fails]


def error_of(query: Query) -> str:
    """The first error among the answers that do not pass, without its request; "" for none."""
    errors = (answer.error for answer in failing_answers(query) if answer.error)
    return without_request_id(next(errors, "")[:_ERROR_READ])


def _counted(loss: MetricLoss) -> tuple[dict[Cause, float], Counter[Cause]]:
    """The points that each cause took, and the items that lost them."""
    lost: defaultdict[Cause, float] = defaultdict(float)
    items: Counter[Cause] = Counter()
    for place in loss.places:
        cause = Cause(place.kind, place.cause, place.status)
        lost[cause] += place.points
        items[cause] += place.n
    return lost, items


def _alike(patterns: Iterable[FailurePattern], status: Status) -> Counter[str]:
    """Items with this status by the cause that their error texts name; of errors without a text, by their rule."""
    alike: Counter[str] = Counter()
    for one in patterns:
        if one.status is status and (one.text or status is Status.ERROR):
            alike[_named_by(one)] += one.n
    return alike


def _named_by(pattern: FailurePattern) -> str:
    return cause_of(pattern.text) or pattern.why


def _most(alike: Counter[str], of: int) -> str:
    """The cause of most of so many items; "" for none, and for one of twice as many, which came as others went."""
    text, n = alike.most_common(1)[0] if alike else ("", 0)
    return text if of < 2 * n < 4 * of else ""


def _status_text(
    status: Status, n: int, new: int | None, queries: Collection[Query], *, now: Losses, before: Losses | None, t: Texts
) -> str:
    """What happened to n items, with the error of most of them, else the most frequent: of new ones, of most of these.

    new: how many more they are than in the run compared with; None without it.
    """
    what = t.named("summary.cause", status) or t("summary.cause-status", status=status_name(status, t))
    alike = _alike(now.patterns, status)
    text = _most(alike, n)
    if before is not None and new is not None and new > 0:
        text = _most(alike - _alike(before.patterns, status), new) or text
    text, most = (text, alike[text]) if text else next(iter(alike.most_common(1)), ("", 0))
    if not 0 < most < 2 * n:
        return what
    found = {error for error in map(error_of, queries) if cause_of(error) == text}
    pattern = next(one for one in now.patterns if _named_by(one) == text)
    error = found.pop() if len(found) == 1 else pattern_text(pattern.text, t)
    error = excerpt(error, ERROR_CHARS) or why_text(pattern.why, t)
    if most < n:
        return t("summary.cause-most", cause=what, items=t.counted("items", count(most)), error=error)
    return t("summary.cause-error", cause=what, error=error)
