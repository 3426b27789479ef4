"""The section of conversations: how many pass by round and track, and the turns of those that do not."""

from __future__ import annotations

from reporting.document.blocks import Passage
from reporting.document.headline import share_of
from reporting.document.report.item_tables import ID_CHARS, MAX_QUERIES, QUESTION_CHARS
from reporting.document.report.repeatability import pass_kind
from reporting.document.tables import Table, scope_table, shown_groups, table_of
from reporting.wording import NONE, count, excerpt, round_name, status_name, track_name, track_names
from scoring.results import Session, Sessions, SessionShare, SetResult, turn_labels
from scoring.rubric import ALL
from texts import Texts

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
