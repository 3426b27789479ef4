"""summary.html and summary.md: one sheet of paper that can be forwarded alone.

In Markdown it has at most 40 lines whatever there is to say. Of these each part has, with the empty one behind it:
title 2, what was run 2, verdict 2, sentence to hand on 2, gate 2, figures 8, answers 9, causes 7, what they stand on
5, details 1. Damaged figures have a banner (2) and what damaged them (3, and a line a code) in the place of answers
and causes.
"""

import shlex
from collections.abc import Sequence
from urllib.parse import urljoin

from reporting.data import script_json
from reporting.document import (
    DOT,
    NEW_LINE,
    SPACE,
    Block,
    Coded,
    Each,
    Html,
    Items,
    Link,
    OnlyHtml,
    OnlyMarkdown,
    Page,
    Paragraph,
    Strong,
    Text,
    banner,
    head,
    href,
    html,
    in_line,
    markdown_page,
    page_address,
    plain_text,
    titled,
    words_block,
)
from reporting.store import CHANGES_HTML, COMPARE_HTML, PROBLEM_HTML, REPORT_HTML, SUMMARY_HTML
from reporting.summary.facts import Facts
from reporting.summary.figures import badge_text, figure_blocks, figures_of, gate_blocks, term_of, track_blocks
from reporting.summary.known import COPYING, known_blocks, known_lines
from reporting.summary.parts import (
    answer_blocks,
    beside,
    cause_blocks,
    damage_blocks,
    plan_lines,
    trust_blocks,
    trust_line,
)
from reporting.summary.verdict import say_text, verdict_text
from reporting.trend import has_trend, trend_page
from reporting.wording import apart_problem, count, describe, excerpt, run_info_lines, run_text
from scoring.items import ENGINE_VERSION
from scoring.results import ANSWERED, PASS
from scoring.sets import shown
from texts import Texts

NAME_CHARS = 120
MOST_PROBLEMS = 5
PROBLEM_CHARS = 600  # its remedy comes last
SCRIPT = "summary.js"


def summary_page(facts: Facts, t: Texts) -> Page:
    """The page of one set."""
    name = excerpt(shown(facts.set_name), NAME_CHARS)
    if facts.report is None:
        title = t("summary.refused-title")
        about: list[Paragraph] = []
    else:
        title = t("summary.title", title=excerpt(facts.report.title, NAME_CHARS))
        about = [Paragraph(_size(facts, t), "muted")]
    told = "" if facts.report is None else facts.report.banner
    about += [Paragraph(line, "muted") for line in run_info_lines(facts.told.info, t)]
    about += [Paragraph(excerpt(problem, PROBLEM_CHARS), "note") for problem in facts.told.problems[:MOST_PROBLEMS]]
    top = [*banner(told), *head(title, name, *about, _badge(facts, t), _buttons(t))]
    in_markdown = [OnlyMarkdown([Paragraph(in_line([line.text for line in about], DOT))])] if about else []
    page = Page(
        title=f"{title} · {name}",
        head=[*top, *in_markdown],
        blocks=[*main_blocks(facts, t), *_words(facts, t), *_links(facts, t)],
        kind="summary",
    )
    said = {"copied": t("summary.copied"), "not-copied": t("js.not-copied")}
    place = f"{facts.set_name}/{SUMMARY_HTML}"
    data = script_json({"text": plain_text(markdown_page(page)), "place": place, "texts": said}).encode()
    return page._replace(script=SCRIPT if facts.known is None else COPYING, data=data)


def unmade_page(set_name: str, t: Texts) -> Page:
    """summary.html in the place of a front page that is not made yet."""
    told = Paragraph(t("summary.waiting"), "lead"), Paragraph(Coded(t("summary.unmade-told")))
    return _page_without_verdict(set_name, t("summary.unmade"), told, t)


def earlier_page(set_name: str, engine: int, t: Texts) -> Page:
    """The front page of a report that an earlier engine made, and that this one does not read."""
    values = {"name": excerpt(shown(set_name), NAME_CHARS), "engine": str(engine), "own": str(ENGINE_VERSION)}
    told = Paragraph(t("compare.unreadable-engine", **values), "lead")
    return _page_without_verdict(set_name, t("summary.earlier-engine", engine=str(engine)), [told], t)


def _page_without_verdict(set_name: str, title: str, told: Sequence[Block], t: Texts) -> Page:
    name = excerpt(shown(set_name), NAME_CHARS)
    link = OnlyHtml([Paragraph(Link(t("summary.report"), REPORT_HTML))])
    return Page(title=f"{title} · {name}", head=head(title, name), blocks=[*told, link])


def main_blocks(facts: Facts, t: Texts, *, is_short: bool = False, has_gate: bool = True) -> list[Block]:
    """What the page says, without its head. is_short: the verdict and the figures alone. has_gate: with the rules."""
    if facts.report is None:
        return _refused(facts, t)
    why = [] if facts.compared is not None else [facts.why]
    say = "" if facts.is_damaged else say_text(facts, t)
    one_line = [Paragraph(titled(Strong(t("summary.say-title")), say), "say")] if say else []
    verdict = verdict_text(facts, t)
    lead = Paragraph(Each(in_line([Strong(verdict), *why], SPACE), verdict), "lead")
    first: list[Block] = [lead, OnlyHtml([Paragraph(text, "muted") for text in why]), *one_line]
    if is_short:
        return [*first, *figure_blocks(facts, t)]
    first += gate_blocks(facts, t) if has_gate else []
    if facts.is_damaged:
        trust = [*trust_blocks(facts, t), OnlyMarkdown([Paragraph(trust_line(facts, t))])]
        return [*first, *damage_blocks(facts, t), *figure_blocks(facts, t), *trust]
    apart = [describe(apart_problem(facts.apart), t.language)] if facts.apart else []
    plan = plan_lines(facts, t)
    return [
        *first,
        *figure_blocks(facts, t),
        *track_blocks(facts, t),
        *answer_blocks(facts, t),
        *cause_blocks(facts, t),
        OnlyHtml(known_blocks(facts, t)),
        *trust_blocks(facts, t),
        OnlyHtml([*(Paragraph(line, "note") for line in apart), *map(Paragraph, plan)]),
        OnlyMarkdown([Paragraph(in_line([*known_lines(facts, t), trust_line(facts, t), *apart, *plan], NEW_LINE))]),
    ]


def _size(facts: Facts, t: Texts) -> str:
    """`50 queries × 2 rounds, 100 items`, and when it was run."""
    report = facts.report
    assert report is not None
    queries = t.counted("queries", count(report.headline.queries))
    items = t.counted("items", count(report.headline.n))
    if len(report.rounds) > 1:
        is_whole = report.headline.queries * len(report.rounds) == report.headline.n
        key = "summary.size" if is_whole else "summary.size-uneven"
        size = t(key, queries=queries, rounds=count(len(report.rounds)), items=items)
    else:
        size = t("summary.size-one", queries=queries)
    return " · ".join(filter(None, [size, run_text(report.insights.executed, report.insights.run_ids, t)]))


def _badge(facts: Facts, t: Texts) -> Html:
    if facts.gate is None:
        return Html("")
    state = facts.gate.state
    return html(f'<p><span class="badge {state}">{{}}</span></p>\n', badge_text(facts.gate, t))


def _buttons(t: Texts) -> Html:
    """What a script does; without one they are not there."""
    return html(
        '<p class="noprint" id="buttons" hidden><button type="button" id="copy">{}</button> '
        '<button type="button" id="print">{}</button> <span id="copied" role="status"></span></p>\n',
        t("summary.copy"),
        t("summary.print"),
    )


def _refused(facts: Facts, t: Texts) -> list[Block]:
    lines = [excerpt(problem.text, PROBLEM_CHARS) for problem in facts.problems[:MOST_PROBLEMS]]
    more = len(facts.problems) - MOST_PROBLEMS
    lines += [t("summary.problem-more", n=count(more))] if more > 0 else []
    return [Paragraph(Coded(t("summary.problem")), "lead"), Items(lines)]


def _words(facts: Facts, t: Texts) -> list[Block]:
    """What the words of the page mean, folded; nothing for a set that was refused, whose page has none of them."""
    if facts.report is None:
        return []
    figures = figures_of(facts, t)
    shares = [
        word for name, word in ((PASS, "passed"), (ANSWERED, "answered")) if name in {one.name for one in figures}
    ]
    compared = [] if facts.compared is None else ["baseline", "chance"]
    gate = [] if facts.gate is None else ["gate"]
    further = [titled(one.title, term_of(one.name, t)) for one in figures if one.name not in {PASS, ANSWERED}]
    words = ["query", "round", "item", *shares, "interval", *compared, *gate, "points-lost"]
    return [words_block(words, t, *further)]


def _links(facts: Facts, t: Texts) -> list[Block]:
    """The pages around. Without a web address it is said where they are, and a script leads to those at hand."""
    top = page_address(facts.set_name, "").top
    pages = {PROBLEM_HTML: t("summary.refused-title")} if facts.report is None else {}
    if facts.report is not None:
        pages = {REPORT_HTML: t("summary.report"), COMPARE_HTML: t("nav.compare")}
        if facts.has_changes:
            pages[CHANGES_HTML] = t("changes.title")
        if has_trend(facts.report.profile):
            pages[top + href(trend_page(facts.report.profile))] = t("trend.title")
    if facts.address:
        links: list[Text] = [Link(title, urljoin(facts.address, page)) for page, title in pages.items()]
        return [Paragraph(in_line(links, DOT), "ways")]
    first = next(iter(pages))
    pages[f"{top}index.html"] = t("nav.index")
    ways = " · ".join(html("{}", beside(title, page)) for page, title in pages.items())
    told = Paragraph(t("summary.place", path=f"{excerpt(shown(facts.set_name), NAME_CHARS)}/{first}"), "muted small")
    packed = [] if facts.report is None else [OnlyHtml([Paragraph(_pack_text(facts, t), "muted small noprint")])]
    return [OnlyHtml([html('<p class="ways noprint" id="ways" hidden>{}</p>\n', Html(ways))]), told, *packed]


def _pack_text(facts: Facts, t: Texts) -> str:
    """How all of it becomes one file. A name that cannot be shown whole is not part of the command."""
    name = shown(facts.set_name)
    return t("summary.pack", name=shlex.quote(name) if excerpt(name, NAME_CHARS) == name else "SET")
