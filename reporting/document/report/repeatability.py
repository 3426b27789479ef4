"""The section of repeatability: how many queries always pass, how likely k attempts do, and which ones vary."""

from collections.abc import Container, Sequence
from functools import partial

from reporting.document.blocks import SPACE, Block, Heading, Items, Link, Paragraph, Passage, linked
from reporting.document.headline import share_of
from reporting.document.report.item_tables import ID_CHARS, MAX_QUERIES, QUESTION_CHARS, query_table
from reporting.document.tables import Table, scope_table, shown_groups, table, table_of
from reporting.wording import (
    NONE,
    between,
    count,
    excerpt,
    filled,
    items_link,
    joined,
    percent,
    round_name,
    status_name,
    track_name,
    track_names,
)
from scoring.results import QueryAttempts, Repeatability, Session, Sessions, SessionShare, SetResult, turn_labels
from scoring.rubric import ALL, Rubric
from scoring.statistics import Reliability, Repeats, Share
from texts import Texts

ROUNDS_OF_TABLE = 3  # from so many on; of two rounds the sentence says it all


def repeatability_blocks(result: SetResult, below: Sequence[int], t: Texts) -> list[Block]:
    """What the attempts at each query say: the counts, how likely all attempts pass or one does, and which ones vary.

    below: indices of the items that do not pass by the points that the document names.
    pass^k and pass@k for each k from three rounds on. All of it is bounded.
    """
    found, kind = result.repeatability, pass_kind(result.rubric)
    if not found.is_repeated:
        return [Items([linked(t("repeat.once"))])]
    lines = [_counts_text(found, kind, t)]
    if len(result.rounds) > 1:
        # The largest k that some query has attempts for; k = 1 has queries, because something was repeated.
        most = next(entry for entry in reversed(found.reliability) if entry.queries)
        lines.append(_reliability_text(most, kind, t))
    if not found.flaky:
        lines.append(t("repeat.no-flaky"))
    blocks: list[Block] = [Items([*map(linked, lines)])]
    if len(result.rounds) >= ROUNDS_OF_TABLE:
        blocks.append(_rates(found, kind, t))
    place = {entry.label: index for index, entry in enumerate(result.rounds)}
    rounds = {(result.table.query_id_at(at), place[result.table.traits_at(at).round]) for at in below}
    return [*blocks, *_queries(result, found.flaky, t("findings.disagreeing"), t, rounds)]


def never_blocks(result: SetResult, t: Texts) -> list[Block]:
    """The queries that no attempt passed, where there was more than one."""
    found = result.repeatability
    if not found.never or not found.is_repeated:
        return []
    title = t(f"repeat.never.{pass_kind(result.rubric)}")
    return [Heading(3, title), *_queries(result, found.never, title, t, with_rounds=False)]


def pass_kind(rubric: Rubric) -> str:
    """What passing means for an item: "passed" by points that the document names, else "answered" by its status."""
    return "answered" if rubric.pass_points is None else "passed"


def share_text(share: Share) -> str:
    """`85.2% (75.9–91.3%)`."""
    if share.value is None or share.interval is None:
        return NONE
    low, high = (percent(end, 1.0) for end in share.interval)
    return f"{percent(share.value, 1.0)} ({between(low, high)})"


def _counts_text(found: Repeatability, kind: str, t: Texts) -> str:
    numbers = {name.value: items_link(count(found.counts[name]), repeat=name.value) for name in Repeats}
    queries = t.counted("queries", count(sum(found.counts.values())))
    text = filled(partial(t, f"repeat.counts.{kind}"), n=queries, **numbers)
    return joined([text, t("repeat.left-out", n=count(found.left_out))], " ") if found.left_out else text


def _reliability_text(most: Reliability, kind: str, t: Texts) -> str:
    times = t.named("repeat.times", str(most.k)) or t("repeat.times", k=str(most.k))
    shares = {"all_pass": share_text(most.all_pass), "any_passes": share_text(most.any_passes)}
    text = t(f"repeat.reliable.{kind}", times=times, **shares)
    return f"{text} {t('repeat.too-few', k=str(most.k), n=count(most.left_out))}" if most.left_out else text


def _rates(found: Repeatability, kind: str, t: Texts) -> Table:
    rows = [
        [str(entry.k), share_text(entry.all_pass), share_text(entry.any_passes), *map(count, entry[1:3])]
        for entry in found.reliability
    ]
    titles = [t("repeat.k"), t(f"repeat.all.{kind}"), t("repeat.any"), t("consistency.queries"), t("repeat.fewer")]
    return table([f">{title}" for title in titles], rows).named(titles[0])


def _queries(
    result: SetResult,
    queries: Sequence[QueryAttempts],
    name: str,
    t: Texts,
    below: Container[tuple[str, int]] = (),
    *,
    with_rounds: bool = True,
) -> list[Block]:
    """Queries with their number of passes; nothing without any. below: as of `query_table`."""
    if not queries:
        return []
    wanted = {query.query_id for query in queries}
    known = {query.query_id: query for query in result.queries if query.query_id in wanted}
    shown = query_table(
        result,
        queries,
        lambda entry: known[entry.query_id],
        t,
        more=[(f">{t(f'repeat.passes.{pass_kind(result.rubric)}')}", _passes)],
        below=below,
        with_rounds=with_rounds,
    ).named(name)
    if not shown.more:
        return [shown]
    left_out = t("repeat.more", n=shown.more_text), SPACE, Link("queries.csv", "queries.csv")
    return [shown, Paragraph(left_out, "muted")]


def _passes(query: QueryAttempts) -> str:
    """`1/3`."""
    return f"{count(query.attempts.passed)}/{count(query.attempts.n)}"


MAX_TURNS = 12  # of a conversation that a table shows
_TURN_CHARS = 20


def session_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """The share that passes, and the sessions that do not pass; none where no item has a session."""
    found = result.sessions
    if found is None:
        return []
    blocks = [Passage(text=_told(found, result, t), table=_shares(found, result, t))]
    if found.failing:
        blocks.append(Passage(heading=t("sessions.failing"), table=_failing(found, result, t)))
    return blocks


def session_rule(rule: str, kind: str, t: Texts) -> str:
    """What makes a session pass. rule: "last" or "every". kind: what passing means for an item, see `pass_kind`."""
    return t(f"sessions.rule.{rule}.{kind}")


def _share(share: SessionShare) -> str:
    return share_of(share.passed, share.n, share.interval)


def _told(found: Sessions, result: SetResult, t: Texts) -> str:
    pieces = [
        t("sessions.counts", n=count(len(found.entries)), share=_share(found.all)),
        session_rule(found.rule, pass_kind(result.rubric), t),
    ]
    if found.all.left_out:
        pieces.append(t("sessions.left-out", n=count(found.all.left_out)))
    if found.outside:
        pieces.append(t("sessions.outside", n=count(found.outside)))
    return " ".join(pieces)


def _shares(found: Sessions, result: SetResult, t: Texts) -> Table:
    """A row per round and one for the set, a column for all sessions and per track."""
    groups = {group.key: group for group in found.groups}
    keys = [ALL, *(key for key, _ in shown_groups(result))]

    def cell(key: str, index: int | None) -> str:
        group = groups.get(key)
        if group is None:
            return NONE
        return _share(group.set if index is None else group.rounds[index])

    return scope_table(
        result.rounds, [track_name(key, t) for key in keys], lambda index: [cell(key, index) for key in keys], t
    )


def _failing(found: Sessions, result: SetResult, t: Texts) -> Table:
    tracks, items = track_names(t), result.items

    def turns(entry: Session) -> str:
        labels = turn_labels(items, entry.turns)
        ends = [t(f"sessions.end.{end}".lower()) for end in entry.ends]
        shown = [f"{excerpt(label, _TURN_CHARS)} {end}" for label, end in zip(labels, ends, strict=True)]
        more = [t("sessions.more", n=count(len(shown) - MAX_TURNS))] if len(shown) > MAX_TURNS else []
        return " → ".join([*shown[:MAX_TURNS], *more])

    def first(entry: Session) -> int:
        assert entry.first_failing is not None, "the session does not pass"
        return entry.first_failing

    return table_of(
        found.failing,
        [
            (t("sessions.session"), lambda entry: excerpt(entry.session, ID_CHARS)),
            (t("items.round"), lambda entry: round_name(result.rounds[entry.round], t)),
            (t("items.track"), lambda entry: tracks[entry.track]) if shown_groups(result) else None,
            (
                t("sessions.first"),
                lambda entry: t(
                    "sessions.of",
                    turn=excerpt(turn_labels(items, entry.turns)[first(entry)], _TURN_CHARS),
                    n=count(len(entry.turns)),
                ),
            ),
            ("Query ID", lambda entry: excerpt(items[entry.turns[first(entry)]].query_id, ID_CHARS)),
            (t("table.question"), lambda entry: excerpt(items[entry.turns[first(entry)]].question, QUESTION_CHARS)),
            (t("items.status"), lambda entry: status_name(items[entry.turns[first(entry)]].status, t)),
            (t("sessions.turns"), turns),
        ],
        limit=MAX_QUERIES,
    )
