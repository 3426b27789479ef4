"""The section about further columns of the files: figures by their values, and where the set fails."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import fsum

from msgspec import UNSET

from reporting.document.blocks import (
    BREAK,
    Block,
    Heading,
    Items,
    OnlyHtml,
    OnlyMarkdown,
    Paragraph,
    linked,
    listing,
    titled,
)
from reporting.document.tables import Column, Table, table_of
from reporting.wording import (
    LABEL_CHARS,
    NONE,
    count,
    excerpt,
    few,
    items_link,
    key_of,
    metric_title,
    percent,
    points,
    slice_keys,
    slice_text,
    slice_value,
    sort_key,
    sure_percent,
    sure_score,
)
from scoring.results import PASS, Insights, SetResult, Slice, Slices, SliceValue
from texts import Texts


def slice_blocks(result: SetResult, insights: Insights, t: Texts) -> list[Block]:
    """Where the set is worse than by chance, then in HTML a table per column; nothing without such columns."""
    slices = insights.slices
    if slices is UNSET:
        return []
    titles = {name: metric_title(result.rubric, name, t) for name in slices.columns[0].values[0].metrics}
    lost = fsum([loss.points for loss in insights.losses if loss.metric in titles])
    shown = [linked(slice_text(one, slices, titles, t)) for one in slices.weak]
    weak: list[Block] = [Heading(4, t("slices.weak")), Items(shown)] if shown else []
    blocks: list[Block] = [Heading(3, t("slices.title")), Paragraph(t("slices.told")), *weak]
    for column, key in zip(slices.columns, slice_keys(slices.columns), strict=True):
        name = excerpt(column.column, LABEL_CHARS)
        figures = _figures(key, slices, titles, t)
        blocks += [Heading(4, name), *listing(_table(column, key, figures, lost, t), name, t)]
        if column.left_out:
            blocks.append(Paragraph(t("slices.left-out", n=count(column.left_out))))
    in_template = [Items([titled(t("slices.weak"), line) for line in shown])] if shown else []
    return [OnlyMarkdown(in_template), OnlyHtml([*blocks, BREAK])]


def _figures(key: str, slices: Slices, titles: Mapping[str, str], t: Texts) -> list[Column[SliceValue]]:
    """Columns of the share that passes or is answered, and of the metrics."""

    def share(row: SliceValue) -> str:
        value = row.share.value
        shown = NONE if value is None else sure_percent(value, 1, row.share.interval)
        return items_link(shown, **{key: key_of(row.value)})

    def metric(row: SliceValue, name: str) -> str:
        mean = row.metrics[name]
        return items_link(sure_score(mean.value, mean.interval), **{key: key_of(row.value)}, sort=sort_key(name))

    rate = t("headline.pass-rate" if slices.share == PASS else "headline.answered-rate")
    return [(f">{rate}", share), *((f">{title}", partial(metric, name=name)) for name, title in titles.items())]


def _table(column: Slice, key: str, figures: Sequence[Column[SliceValue]], lost: float, t: Texts) -> Table:
    """A row a value. lost: points of all items."""

    def leading(text: str, row: SliceValue) -> str:
        return items_link(text, **{key: key_of(row.value)})

    def lost_by(row: SliceValue) -> float:
        return fsum(row.lost.values())

    return table_of(
        column.values,
        [
            (excerpt(column.column, LABEL_CHARS), lambda row: slice_value(row.value, t)),
            (f">{t('consistency.queries')}", lambda row: leading(few(count(row.queries), row.queries, t), row)),
            (f">{t('table.items')}", lambda row: leading(count(row.n), row)),
            *figures,
            (f">{t('table.lost')}", lambda row: leading(points(lost_by(row)), row)),
            (f">{t('slices.share-lost')}", lambda row: percent(lost_by(row), lost) if lost else NONE),
        ],
    )
