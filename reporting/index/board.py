"""The board above the list of all sets: a card for each profile, and what somebody has to do.

A card is drawn again when one of the runs that it shows has changed. Everything else is said by the lines below it.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import UNSET

from reporting.document import (
    DOT,
    Block,
    Coded,
    Details,
    Each,
    Heading,
    Html,
    Items,
    Link,
    OnlyHtml,
    OnlyMarkdown,
    Paragraph,
    Text,
    href,
    html,
    in_line,
    large,
    titled,
)
from reporting.document.charts import Chart
from reporting.index.cells import NAME_CHARS, figure_mark, moment, set_title
from reporting.index.rows import Rows
from reporting.store import (
    COMPARE_HTML,
    COMPARE_MD,
    REPORT_HTML,
    SUMMARY_HTML,
    SUMMARY_MD,
    Headline,
    IndexEntry,
    KnownSets,
    link,
    read_summary,
)
from reporting.trend import (
    figure_chart,
    figure_text,
    figures_of,
    has_trend,
    latest_runs,
    metric_title,
    since_text,
    time_text,
    trend_page,
)
from reporting.wording import MOST_GROUPED, count, describe, excerpt, excerpt_words, group_command, in_words
from scoring import Problem
from scoring.results import ANSWERED, PASS
from scoring.rubric import TOTAL
from texts import Texts

RUNS = 12  # of a card
MOST_CARDS = 9
MOST_TO_DO = 3  # of a kind; the rest opens on demand
MAX_LISTED = 100
TEXT_CHARS = 400
REASON_CHARS = 4_000
REVIEW_CODES = "review-"  # how the codes of all that is wrong with review files begin


class ToDo(NamedTuple):
    """What somebody has to do beside the refused sets, as people see the paths.

    unclaimed: files that are not scored for their names, with the name to use where it is known. unread: path -> why it
    cannot be read. waiting: path -> since when it is waited for, in seconds since the epoch. patterns: profile -> names
    of files that are scored. changed: what happens since documents or rules have changed, "" for nothing. unused: what
    of review files, tables and run info does not count, and why. apart: names of sets that look like the rounds of one
    run.
    """

    unclaimed: Sequence[str] = ()
    unread: Mapping[str, str] = {}
    waiting: Mapping[str, float] = {}
    patterns: Mapping[str, Sequence[str]] = {}
    changed: str = ""
    unused: Sequence[Problem] = ()
    apart: Sequence[Sequence[str]] = ()


class Card(NamedTuple):
    """What a card says. mark: of the verdict of its figure. gate, verdict, new (`5 newly failing`): "" for none.

    failed: how many items do not pass, "" for none. Both numbers lead to a workbench with these, the worst first.
    is_damaged: the verdict is that the figures are not to be used. known: how many failures are, "" without a file.
    changed: with which run something else than the answers did the last time, which the chart marks; "" for none.
    """

    profile: str
    entry: IndexEntry
    title: str
    figure: str
    mark: str
    gate: str
    verdict: str
    new: str
    failed: str
    chart: Chart
    is_damaged: bool = False
    known: str = ""
    changed: str = ""


class Board:
    """The cards of one folder of reports."""

    def __init__(self, known: KnownSets, t: Texts) -> None:
        self._known, self._t = known, t
        self._changes = known.follow()
        self._cards: dict[str, Card] = {}

    def cards(self) -> list[Card]:
        """The cards of the profiles whose runs are the latest, at most MOST_CARDS."""
        known = self._known
        names, spots = self._changes.take()
        for profile in set(spots) | {known.entries[name].profile for name in names if name in known.entries}:
            self._cards.pop(profile, None)
        profiles = sorted(filter(has_trend, known.runs), key=lambda profile: known.runs[profile][-1], reverse=True)
        return [self._card(profile) for profile in profiles[:MOST_CARDS]]

    def _card(self, profile: str) -> Card:
        card = self._cards.get(profile)
        if card is None:
            card = self._cards[profile] = self._draw(profile)
        return card

    def _draw(self, profile: str) -> Card:
        t, runs = self._t, latest_runs(self._known, profile, RUNS)
        entry = self._known.entries[runs[-1].name].unpack()
        status = entry.status
        compared = entry.compared if entry.compared is not None and entry.compared.is_about(status) else None
        metric = _leading(entry)
        title = metric_title(metric, [run.status for run in runs], t)
        gate = None if entry.gate is None else entry.gate.result
        banner = status.shown_banner
        made = read_summary(self._known.out / entry.set_name, status)
        verdict = (
            f"⚠ {banner}"
            if banner
            else ("" if made is None else made.verdict) or ("" if compared is None else compared.sentence)
        )
        return Card(
            profile=profile,
            entry=entry,
            title=title,
            figure=figure_text(metric, runs[-1]),
            mark="" if banner else figure_mark(compared, metric),
            gate="" if gate is None else f"{t('gate.title')} {t(f'gate.state.{gate.state}')}",
            verdict=excerpt_words(verdict, TEXT_CHARS),
            new=""
            if banner or compared is None or not compared.now_fails
            else t("index.new", n=count(compared.now_fails)) + _of_them(compared.known_fails or 0, t),
            failed="" if banner else _failed_text(status.headline, t),
            chart=figure_chart(f"card-{profile}", title, metric, runs, t, gate=gate, is_small=True),
            is_damaged=bool(banner),
            known="" if made is None or made.failures is UNSET else _known_text(*made.failures, t),
            changed=next(filter(None, (since_text(run, t) for run in reversed(runs))), ""),
        )


def _failed_text(headline: Headline | None, t: Texts) -> str:
    if headline is None:
        return ""
    failed = headline.n - headline.answered if headline.passed is None else headline.assessed - headline.passed
    return t("index.failed", n=count(failed)) if failed else ""


def _of_them(known: int, t: Texts) -> str:
    return f" ({t('known.known', n=count(known))})" if known else ""


def _known_text(new: int, known: int, t: Texts) -> str:
    """`5 failing without a ticket · 12 known`."""
    return f"{t('known.new', n=count(new))} · {t('known.known', n=count(known))}"


def _leading(entry: IndexEntry) -> str:
    """The figure that a comparison is told by, else the one that leads."""
    headline, compared = entry.status.headline, entry.compared
    names = figures_of(headline)
    if compared is not None and compared.is_about(entry.status) and compared.headline in names:
        return compared.headline
    leading = None if headline is None else headline.leading
    return next((name for name in (leading, TOTAL, PASS) if isinstance(name, str) and name in names), ANSWERED)


def card_blocks(cards: Sequence[Card], profiles: Sequence[str], t: Texts) -> list[Block]:
    """The cards. profiles: that have a trend; those without a card are named below."""
    if not cards:
        return []
    drawn = {card.profile for card in cards}
    others = [_trend_link(profile) for profile in profiles if profile not in drawn]
    more = [Paragraph(titled(t("index.more-profiles"), in_line(others[:MAX_LISTED], DOT)))] if others else []
    return [
        Heading(2, t("index.profiles")),
        OnlyHtml([Html(f'<div class="cards">\n{"".join(_card_html(card) for card in cards)}</div>\n')]),
        OnlyMarkdown([Items([_card_line(card) for card in cards])]),
        *more,
    ]


def _trend_link(profile: str) -> Link:
    return Link(excerpt(profile, NAME_CHARS), href(trend_page(profile)))


def _card_html(card: Card) -> Html:
    name, status = card.entry.set_name, card.entry.status
    gate = "" if card.entry.gate is None else card.entry.gate.result.state.value
    new = html('<a class="down" href="{}#preset=now_fails">{}</a>', link(name, COMPARE_HTML), card.new)
    failed = html('<a href="{}#preset=fails">{}</a>', link(name, REPORT_HTML), card.failed)
    failing = " · ".join([way for way, said in ((new, card.new), (failed, card.failed)) if said])
    kind = {"▲": "up", "▽": "down", "▼": "down"}.get(card.mark, "muted")
    return html(
        '<article class="card"><h3><a href="{}">{}</a></h3>\n<p><a href="{}">{}</a>{} {}</p>\n'
        '<p class="figure">{} {} <span class="{}">{}</span></p>\n{}\n{}\n<figure>{}</figure>{}</article>\n',
        href(trend_page(card.profile)),
        excerpt(card.profile, NAME_CHARS),
        link(name, SUMMARY_HTML),
        set_title(name),
        html(' <span class="badge {}">{}</span>', Html(gate), card.gate) if gate else Html(""),
        html("<small>{}</small>", time_text(status.executed)) if status.executed else Html(""),
        card.title,
        large(card.figure, is_damaged=card.is_damaged),
        Html(kind),
        card.mark,
        html('<p class="down">{}</p>' if card.is_damaged else "<p>{}</p>", card.verdict),
        Html("".join(f"<p>{said}</p>" for said in (failing, html("{}", card.known)) if said)),
        Html(card.chart.inline()),
        html("<small>┊ {}</small>", card.changed) if card.changed else Html(""),
    )


def _card_line(card: Card) -> Text:
    name = card.entry.set_name
    said = [
        Link(set_title(name), link(name, SUMMARY_MD)),
        card.gate,
        f"{card.title} {card.figure} {card.mark}".rstrip(),
    ]
    new = [Link(card.new, link(name, COMPARE_MD))] if card.new else []
    line = in_line(
        [*filter(None, said), *filter(None, [card.verdict, card.known]), *new, *filter(None, [card.failed])], DOT
    )
    return titled(_trend_link(card.profile), line)


def to_do_blocks(rows: Rows, todo: ToDo, t: Texts) -> list[Block]:
    """What is to be done, each kind with its remedy; nothing where there is nothing."""
    paths = [excerpt(path, TEXT_CHARS) for path in todo.unclaimed[:MAX_LISTED]]
    names = [f"{_names(taken)} ({profile})" for profile, taken in sorted(todo.patterns.items())]
    told: Text = t("index.unclaimed-told")
    folded: list[Block] = []
    if names:
        long = f"{told} {t('index.unclaimed-names', names=excerpt(', '.join(names), REASON_CHARS))}"
        is_folded = len(names) > MOST_TO_DO
        told = Each(long, told) if is_folded else long
        title = t("index.unclaimed-names", names=count(len(names)))
        folded = [OnlyHtml([Details(title, [Items([excerpt(one, TEXT_CHARS) for one in names])])])] if is_folded else []
    unread = [
        t("index.unread-file", path=excerpt(path, NAME_CHARS), reason=excerpt(in_words(reason, t), TEXT_CHARS))
        for path, reason in islice(todo.unread.items(), MAX_LISTED)
    ]
    waiting = [
        t("index.waiting-file", path=excerpt(path, NAME_CHARS), since=moment(since))
        for path, since in todo.waiting.items()
    ]
    reviews = [problem for problem in todo.unused if problem.code.startswith(REVIEW_CODES)]
    others = [problem for problem in todo.unused if not problem.code.startswith(REVIEW_CODES)]
    apart = [_group_text(group, t) for group in todo.apart if rows.gone.isdisjoint(group)]
    total, reports = rows.counts()
    refused = [_refused(rows, name) for name in islice(rows.refused(), MAX_LISTED)]
    blocks: list[Block] = [
        *([Paragraph(t("index.sample", name=rows.sample()), "note")] if rows.sample() else []),
        *([Paragraph(excerpt(todo.changed, REASON_CHARS), "note")] if todo.changed else []),
        *_kind("unreadable", Coded(t("index.unreadable-told")), refused, total - reports, t),
        *_kind("unread", t("index.unread-told"), unread, len(todo.unread), t),
        *_kind("unclaimed", told, paths, len(todo.unclaimed), t, below=folded),
        *_kind("reviews", t("index.reviews-told"), _described(reviews, t), len(reviews), t),
        *_kind("tables", t("index.tables-told"), _described(others, t), len(others), t),
        *_kind("rounds-apart", t("index.rounds-apart-told"), apart[:MAX_LISTED], len(apart), t),
        *_kind("waiting", t("index.waiting-told"), waiting[:MAX_LISTED], len(waiting), t),
    ]
    return [Heading(2, t("index.to-do")), *blocks] if blocks else []


def _described(problems: Sequence[Problem], t: Texts) -> list[str]:
    return [excerpt(describe(problem, t.language), REASON_CHARS) for problem in problems[:MAX_LISTED]]


def _group_text(names: Sequence[str], t: Texts) -> str:
    """The sets, and the command that puts them together."""
    titles = ", ".join(map(set_title, names[:MOST_GROUPED]))
    return t("index.rounds-apart-line", names=titles, n=count(len(names)), command=group_command(names))


def _refused(rows: Rows, name: str) -> Text:
    """A set that was refused, and what to do."""
    findings = rows.row(name).entry.status.findings
    said = (findings[0].short or findings[0].text) if findings else ""
    return titled(Link(set_title(name), link(name, SUMMARY_HTML), link(name, SUMMARY_MD)), excerpt(said, TEXT_CHARS))


def _kind(
    name: str, told: Text, lines: Sequence[Text], total: int, t: Texts, *, below: Sequence[Block] = ()
) -> list[Block]:
    """One kind: its title with the number, what it means, the first lines, and the others on demand."""
    if not lines:
        return []
    rest = lines[MOST_TO_DO:]
    more = [t("quality.more-files", n=count(total - len(lines)))] if total > len(lines) else []
    fewer = [t("quality.more-files", n=count(total - MOST_TO_DO))] if total > MOST_TO_DO else []
    listed: Iterable[Text] = lines[:MOST_TO_DO]
    return [
        Heading(3, f"{t(f'index.{name}')} ({count(total)})"),
        *([Paragraph(told)] if told else []),
        OnlyHtml([Items(list(listed)), *([Details(fewer[0], [Items([*rest, *more])])] if rest else [])]),
        OnlyMarkdown([Items([*listed, *fewer])]),
        *below,
    ]


def _names(patterns: Sequence[str]) -> str:
    """`a_*.csv/.tsv/.xlsx`: in one those that differ by the kind of file alone; what leaves out files is not named."""
    kinds: dict[str, list[str]] = {}
    for pattern in patterns:
        if not pattern.startswith("!"):
            stem, dot, kind = pattern.rpartition(".")
            kinds.setdefault(stem + dot, []).append(kind)
    return ", ".join(f"{stem}{f'/{stem[-1:]}'.join(found)}" for stem, found in kinds.items())
