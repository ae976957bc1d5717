"""Small pictures for the table of columns: at most 40 bars, one path, no text."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from empirisk.wording import count, plain

__all__ = ["sparkline"]

WIDTH, HEIGHT = 120, 22  # pixels


def sparkline(histogram: dict[str, Any] | None) -> Markup:
    """Return a histogram as a tiny SVG with its description; empty when there is none."""
    if histogram is None or not histogram["counts"]:
        return Markup("")
    counts = list(histogram["counts"])
    if histogram["kind"] == "categories" and histogram["other"]:
        counts.append(histogram["other"])
    top, step = max(counts) or 1, WIDTH / len(counts)
    gap = min(1.0, step / 5)
    bars = []
    for i, n in enumerate(counts):
        # A bin that holds any row stays visible.
        tall = max(1.0, HEIGHT * n / top) if n else 0.0
        bars.append(f"M{i * step:.1f} {HEIGHT}v-{tall:.1f}h{step - gap:.1f}v{tall:.1f}z")
    return Markup(
        '<svg class="spark" viewBox="0 0 {} {}" role="img" aria-label="{}"><path d="{}"/></svg>'
    ).format(WIDTH, HEIGHT, _described(histogram), "".join(bars))


def _described(histogram: dict[str, Any]) -> str:
    counts = histogram["counts"]
    if histogram["kind"] == "numeric":
        at, edges = counts.index(max(counts)), histogram["edges"]
        most = f"most rows ({count(counts[at])}) between {plain(edges[at])} and {plain(edges[at + 1])}"
        return f"Histogram from {plain(edges[0])} to {plain(edges[-1])}, {most}"
    pairs = list(zip(histogram["labels"], counts, strict=True))[:3]
    said = ", ".join(f"{label} {count(n)}" for label, n in pairs)
    rest = f", and {count(len(counts) - 3)} more" if len(counts) > 3 else ""
    return f"Counts: {said}{rest}"
