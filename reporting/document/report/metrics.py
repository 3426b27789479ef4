"""The sections about scores and speed, and the tables that sections share."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from reporting.document.blocks import Passage
from reporting.document.tables import Table, scope_table, shown_groups, table
from reporting.wording import (
    LABEL_CHARS,
    NONE,
    count,
    excerpt,
    few,
    items_link,
    key_of,
    measure_title,
    metric_title,
    percent,
    pointed_bands,
    quantity,
    round_name,
    round_numbers,
    score,
    seconds,
    sort_key,
    status_names,
    sure_quantity,
    sure_score,
    track_key,
    track_name,
)
from scoring.results import Distribution, Group, Mean, SetResult
from scoring.rubric import Measure, ScoreRule, Status, is_score
from texts import Texts


def score_table(result: SetResult, name: str, t: Texts) -> Table:
    """Scores of a metric: a row per round and one for the set, a column for all items and per track."""
    columns = _columns(result, t)
    groups = [group for _, group in columns]
    of_set = [Mean(None, 0) if group is None else group.figure(name) for group in groups]
    queries = [
        _in_scope(few(count(mean.queries), mean.queries, t) if mean.n else NONE, result, group, None)
        for mean, group in zip(of_set, groups, strict=True)
    ]
    return scope_table(
        result.rounds,
        [title for title, _ in columns],
        lambda index: [
            _in_scope(score_cell(group, name, index), result, group, index, sort=sort_key(name)) for group in groups
        ],
        t,
        first=[[t("consistency.queries"), *queries]],
    )


def _in_scope(text: str, result: SetResult, group: Group | None, index: int | None, **filters: str) -> str:
    """A figure that leads to the items of a group in a round, None for all rounds."""
    if group is None:
        return text
    of_round = "" if index is None or len(result.rounds) < 2 else key_of(result.rounds[index].label)
    return items_link(text, track=track_key(group.key), round=of_round, **filters)


def _columns(result: SetResult, t: Texts, *, with_all: bool = True) -> list[tuple[str, Group | None]]:
    """Title and group of the columns about all items and about each track."""
    tracks = [(track_name(key, t), group) for key, group in shown_groups(result)]
    return [(t("everything"), result.groups[0]), *tracks] if with_all or not tracks else tracks


def counted_table(
    result: SetResult, codes: Sequence[str], titles: Mapping[str, str], facet: str, t: Texts, *, keep: bool = False
) -> Table:
    """Items by a code, which `codes` has one of per item. facet: by which the page of the report filters them.

    keep: show codes without any item as well.
    """
    everything = result.groups[0]
    total = Counter(codes)
    counted = Counter(zip([one.round for one in result.table.traits()], codes, strict=True))
    shown = [code for code in titles if keep or total[code]]
    labels = [entry.label for entry in result.rounds]
    return scope_table(
        result.rounds,
        [titles[code] for code in shown],
        lambda at: [
            _in_scope(
                count(total[code] if at is None else counted[labels[at], code]),
                result,
                everything,
                at,
                **{facet: key_of(code)},
            )
            for code in shown
        ],
        t,
    )


def score_cell(group: Group | None, name: str, index: int | None) -> str:
    """A metric of one round, None for the set: `3.63 (3.21–3.98)`.

    With the number of items of the set, `n=82`, and with `n=61/82` wherever not every item has a value.
    """
    if group is None:
        return NONE
    metric = group.metrics[name]
    mean = metric.set if index is None else metric.rounds[index]
    of_class = group.classes.get(name.partition(".")[2])
    items = group.items if of_class is None else of_class.items
    total = sum(items) if index is None else items[index]
    if mean.n < total:
        return f"{sure_score(mean.value, mean.interval)} n={count(mean.n)}/{count(total)}"
    if not mean.n:
        return NONE
    return sure_score(mean.value, mean.interval) + (f" n={count(mean.n)}" if index is None else "")


def status_table(result: SetResult, t: Texts) -> Table:
    """Items per status: a row per round and track, then the set."""
    statuses = status_names(t)

    def cells(group: Group, index: int | None) -> list[str]:
        counts = _summed(group.statuses) if index is None else group.statuses[index]
        total = _in_scope(count(sum(counts.values())), result, group, index)
        return [
            total,
            *(_in_scope(count(counts.get(one, 0)), result, group, index, status=one.value) for one in statuses),
        ]

    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    return table([t("table.scope"), ">n", *(f">{title}" for title in statuses.values())], rows)


def scopes(
    result: SetResult, cells: Callable[[Group, int | None], list[str]], t: Texts
) -> Iterator[tuple[str, list[str]]]:
    """Title and cells of each round, of each track if several have items, and of the set if it has several rounds.

    cells: of a group in a round by its index, in the set by None.
    """
    everything = result.groups[0]
    for index, entry in enumerate(result.rounds):
        yield round_name(entry, t), cells(everything, index)
    tracks = [(key, group) for key, group in shown_groups(result) if group is not None]
    for key, group in tracks if len(tracks) > 1 else ():
        yield t("set.track", track=track_name(key, t)), cells(group, None)
    if len(result.rounds) > 1:
        yield t("set.everything"), cells(everything, None)


def speed_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """Seconds and scores by round and track, the spread of the seconds, all distributions."""
    title = t("speed.heading", rounds=round_numbers(result.rounds, t))
    return [
        Passage(heading=title, table=_speed_table(result, "latency", t)),
        seconds_block(result, t),
        *(
            Passage(
                heading="" if index else t("speed.scores"),
                text=_distribution_title(result, entry, t),
                table=_distribution_table(result, entry, t),
            )
            for index, entry in enumerate(result.distributions)
        ),
    ]


def seconds_block(result: SetResult, t: Texts) -> Passage:
    """The spread of the seconds."""
    return Passage(text=t("speed.seconds", rule=t("speed.percentiles")), table=_details(result, t))


def class_speed_blocks(result: SetResult, name: str, t: Texts) -> list[Passage]:
    """Seconds and scores of the items of one latency class, and their distribution."""
    entry = next(found for found in result.distributions if found.name == name)
    return [
        Passage(table=_speed_table(result, f"latency.{name}", t)),
        Passage(text=t("speed.scores"), table=_distribution_table(result, entry, t)),
    ]


def _speed_table(result: SetResult, metric: str, t: Texts) -> Table:
    """A pair of columns per track, or one pair for all where there are no tracks."""
    columns = _columns(result, t, with_all=metric != "latency")
    return scope_table(
        result.rounds,
        [t(key, name=name) for name, _ in columns for key in ("table.seconds-of", "table.points-of")],
        lambda index: [cell for _, group in columns for cell in _speed_cells(result, group, metric, index)],
        t,
    )


def _summed(statuses: Sequence[dict[Status, int]]) -> dict[Status, int]:
    return {status: sum(of_round.get(status, 0) for of_round in statuses) for status in Status}


def _speed_cells(result: SetResult, group: Group | None, metric: str, index: int | None) -> tuple[str, str]:
    if group is None:
        return NONE, NONE
    class_name = metric.partition(".")[2]
    of_class = group.classes.get(class_name)
    of_set, of_rounds = (
        (group.set_seconds, group.seconds) if of_class is None else (of_class.set_seconds, of_class.seconds)
    )
    mean = seconds((of_set if index is None else of_rounds[index]).mean)
    filters = {"class": key_of(class_name) if class_name else "", "sort": "-seconds"}
    points = score_cell(group, metric, index)
    return _in_scope(mean, result, group, index, **filters), _in_scope(points, result, group, index, **filters)


def _details(result: SetResult, t: Texts) -> Table:
    """The spread of the seconds of each round, track and the set; that of a track in a round is in report.json."""

    def cells(group: Group, index: int | None) -> list[str]:
        spread = group.set_seconds if index is None else group.seconds[index]
        figures = (spread.mean, spread.p50, spread.p95, spread.max)
        shown = [count(spread.n), *map(seconds, figures)]
        return [*(_in_scope(text, result, group, index, sort="-seconds") for text in shown), count(spread.missing)]

    titles = [
        t("table.scope"),
        ">n",
        f">{t('table.mean')}",
        ">p50",
        ">p95",
        f">{t('table.most')}",
        f">{t('table.no-time')}",
    ]
    return table(titles, [[title, *found] for title, found in scopes(result, cells, t)])


def _distribution_title(result: SetResult, entry: Distribution, t: Texts) -> str:
    latency_class = next(found for found in result.rubric.latency_classes if found.name == entry.name)
    if not result.rubric.has_tracks:
        return t("speed.of-class", class_name=entry.title)
    tracks = "+".join(map(str, latency_class.tracks))
    with_others = latency_class.name == result.rubric.default_class and any(
        not result.rubric.names_track(group.track) for group in result.groups[1:]
    )
    key = "speed.of-tracks-others" if with_others else "speed.of-tracks"
    return t(key, tracks=tracks, class_name=entry.title)


def _distribution_table(result: SetResult, entry: Distribution, t: Texts) -> Table:
    """Items per score: the seconds that have it, each round, and the set with shares."""
    total = sum(entry.set)
    bands = next(found.bands for found in result.rubric.latency_classes if found.name == entry.name)
    spans: defaultdict[float, list[str]] = defaultdict(list)
    for given, span in pointed_bands(bands, t, missing=t("basis.no-time")):
        spans[given].append(span)

    everything = result.groups[0]
    of_class = {"class": key_of(entry.name)}

    def cells(index: int | None) -> list[str]:
        counts = (
            [count(n) for n in entry.rounds[index]] if index is not None else [share_cell(n, total) for n in entry.set]
        )
        whole = count(total if index is None else sum(entry.rounds[index]))
        ranges = zip(counts, entry.points, [*entry.points[1:], None], strict=True)
        return [
            *(
                _in_scope(text, result, everything, index, **of_class, **_range(points_of, above))
                for text, points_of, above in ranges
            ),
            _in_scope(whole, result, everything, index, **of_class),
        ]

    titles = [*(t.counted("points", f"{given:g}") for given in entry.points), "n"]
    band_row = [t("speed.band"), *(", ".join(spans[given]) for given in entry.points), ""]
    return scope_table(result.rounds, titles, cells, t, first=[band_row])


def _range(points_of: float, above: float | None) -> dict[str, str]:
    """Filters that leave the items of one latency score. above: the next higher one, None for the highest."""
    return {"metric": "latency", "from": f"{points_of:g}", "below": "" if above is None else f"{above:g}"}


def share_cell(n: int, total: int) -> str:
    """`19 (11.0%)`, and 0 alone."""
    return f"{count(n)} ({percent(n, total)})" if n else count(n)


def copied_block(result: SetResult, name: str, base: str, t: Texts) -> Passage:
    """A metric that is another one's value: that it is, and its scores in one line."""
    everything = result.groups[0].metrics[name]
    rule = t(
        "basis.copied-for-now" if base == "intent" else "basis.copied", metric=metric_title(result.rubric, base, t)
    )
    means = [(t("round.short", number=str(e.number)), m) for e, m in zip(result.rounds, everything.rounds, strict=True)]
    if len(means) > 1:
        means.append((t("set"), everything.set))
    means += [(track_name(key, t), group.metrics[name].set) for key, group in shown_groups(result) if group is not None]
    scores = ", ".join(f"{title}={score(mean.value)}" for title, mean in means)
    return Passage(text=t("metric.copied", rule=rule, scores=scores))


def measure_blocks(result: SetResult, t: Texts) -> list[Passage]:
    """What the figures mean, then a table per measure."""
    told = t("measures.told", rule=t("speed.percentiles")) + "."
    if len(result.rounds) > 1:
        told += " " + t("measures.of-rounds")
    shown = [measure for measure in result.rubric.measures if not is_score(measure.name)]
    return [Passage(text=told), *(_block(result, measure, t) for measure in shown)]


def source_text(measure: Measure, t: Texts) -> str:
    """Where the values are."""
    if isinstance(measure.score, ScoreRule) and measure.score.match is not None:
        return t("scores.match", kind=measure.score.match.kind)
    if measure.column:
        return t("measures.column", places=excerpt(measure.column, LABEL_CHARS))
    return t("measures.payload", places=", ".join(excerpt(path, LABEL_CHARS) for path in measure.paths))


def _block(result: SetResult, measure: Measure, t: Texts) -> Passage:
    def cells(group: Group, index: int | None) -> list[str]:
        found = group.measures[measure.name]
        figures = found.set if index is None else found.rounds[index]
        places = measure.decimals
        shown = [quantity(value, places) for value in (figures.p50, figures.p95, figures.max, figures.per_answered)]
        mean = sure_quantity(figures.mean, figures.interval, places, t)
        return [count(figures.n), quantity(figures.sum, places), mean, *shown, count(figures.missing)]

    titles = [
        t("table.scope"),
        ">n",
        f">{t('measures.sum')}",
        f">{t('measures.mean')}",
        ">p50",
        ">p95",
        f">{t('measures.max')}",
        f">{t('measures.per-answered')}",
        f">{t('measures.missing')}",
    ]
    rows = [[title, *found] for title, found in scopes(result, cells, t)]
    return Passage(
        heading=measure_title(measure.title, measure.unit, t), text=source_text(measure, t), table=table(titles, rows)
    )
