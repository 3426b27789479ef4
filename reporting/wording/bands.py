"""What the bands of a rubric span, in words of one language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from scoring.rubric import Bands
from texts import Texts


@lru_cache(maxsize=256)  # bands are in every table and rule of a report, and in every report of their document
def band_texts(bands: Bands, t: Texts, *, unit: str = "unit.seconds") -> tuple[str, ...]:
    """What each band spans, as `5초 초과 8초 이하`, in the order of its points. unit: key of its text, "" for none."""
    texts = []
    lower: str | None = None
    starts_in = False
    uppers: Sequence[bool] = bands.upper or (False,) * len(bands.edges)
    for edge, ends_below in zip(bands.edges, uppers, strict=True):
        shown = t(unit, n=f"{edge:g}") if unit else f"{edge:g}"
        if lower == shown:
            texts.append(shown)
        else:
            upper = t("band.below" if ends_below else "band.to", edge=shown)
            texts.append(_between(lower, upper, starts_in=starts_in, t=t))
        lower, starts_in = shown, ends_below
    texts.append(_between(lower, None, starts_in=starts_in, t=t))
    return tuple(texts)


def pointed_bands(bands: Bands, t: Texts, *, missing: str, unit: str = "unit.seconds") -> list[tuple[float, str]]:
    """(points, span) per band, the lowest numbers first, and last for a missing value, which `missing` names."""
    return [*zip(bands.points, band_texts(bands, t, unit=unit), strict=True), (bands.missing, missing)]


def _between(lower: str | None, upper: str | None, *, starts_in: bool, t: Texts) -> str:
    ends = [] if lower is None else [t("band.from" if starts_in else "band.above", edge=lower)]
    ends += [] if upper is None else [upper]
    return t("band.joint").join(ends) if ends else t("band.any")
