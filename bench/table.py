"""Tables from what was measured: every solver of a row, and the ratios to the fastest peers."""

from __future__ import annotations

import math
import statistics
from typing import Any

from bench.limit import FAR, LARGE, Rates, Work
from bench.watch import Measured, Timing

# A run counts for the ratios when F - min F <= this share of the null model's F; objectives may ask for less.
ACCURACY = 1e-6
OURS = "empirisk"


def facts(measured: Measured, accuracy: float = ACCURACY, unit: str = "") -> dict[str, Any]:
    """A row as JSON; suboptimality is against the best value that anybody reached, reference included.

    `unit` says what the times are of where they are not those of a run.
    """
    known = [t.value for t in measured.timings.values() if t.value is not None]
    best = min([*known, measured.reference] if measured.reference is not None else known, default=None)
    return {
        "shape": measured.shape,
        "input_mb": measured.input_bytes / 1e6,
        "best_value": best,
        "reference_value": measured.reference,
        "null_value": measured.null,
        "problem": measured.problem,
        "accuracy": accuracy,
        "unit": unit,
        "solvers": {name: _solver(t, best, measured.null, accuracy) for name, t in measured.timings.items()},
    }


def _solver(t: Timing, best: float | None, null: float | None, accuracy: float) -> dict[str, Any]:
    out: dict[str, Any] = {"first_call_s": t.first, "problem": t.problem, "runs": len(t.seconds)}
    if t.seconds:
        wall = statistics.median(t.seconds)
        out |= {"median_s": wall, "min_s": min(t.seconds), "max_s": max(t.seconds)}
        out |= {"cpu_per_wall": statistics.median(t.cpu) / wall, "peak_extra_mb": t.peak_extra_bytes / 1e6}
    if t.value is not None and best is not None and null:
        out["suboptimality"] = max(t.value - best, 0.0) / null
        out["accuracy"] = accuracy
    return out


def reached(solver: dict[str, Any]) -> bool:
    """Whether a solver finished at the accuracy."""
    return solver["runs"] > 0 and solver.get("suboptimality", math.inf) <= solver.get("accuracy", ACCURACY)


def fastest(row: dict[str, Any], library: str | None, but: str = "") -> tuple[str, float] | None:
    """Name and median of the fastest entry (of a library) that reached the accuracy."""
    able = [
        (s["median_s"], name)
        for name, s in row["solvers"].items()
        if reached(s) and (library is None or _library(name) == library) and _library(name) != but
    ]
    return (min(able)[1], min(able)[0]) if able else None


def _library(name: str) -> str:
    return name.split(" ")[0]


def ratios(row: dict[str, Any]) -> dict[str, float | str | None]:
    """Fastest peer over ours, and scikit-learn over ours: above 1 we are faster."""
    ours = fastest(row, OURS)
    peer, sklearn = fastest(row, None, but=OURS), fastest(row, "scikit-learn")
    return {
        "ours_s": ours[1] if ours else None,
        "peer": peer[0] if peer else None,
        "peer_s": peer[1] if peer else None,
        "peer_ratio": peer[1] / ours[1] if ours and peer else None,
        "sklearn_ratio": sklearn[1] / ours[1] if ours and sklearn else None,
    }


def is_large(row: dict[str, Any]) -> bool:
    """Whether a row has a limit: its input is large, and its times are those of a fit."""
    return 1e6 * float(row["input_mb"]) >= LARGE and not row.get("unit")


def limit(name: str, row: dict[str, Any], work: Work, rates: Rates) -> tuple[float, float | None] | None:
    """Seconds that the machine needs at least for a large row, and ours over them; None of a small row."""
    if not is_large(row):
        return None
    least = work.seconds(row["shape"], 1e6 * row["input_mb"], "float32" in name, rates)
    ours = fastest(row, OURS)
    return least, ours[1] / least if ours else None


def summary(
    rows: dict[str, dict[str, Any]],
    machine: dict[str, str],
    limits: dict[str, tuple[float, float | None]] | None = None,
    why: dict[str, str] | None = None,
) -> str:
    """The ratio table as Markdown, then every solver of every row.

    `limits` are those of the large rows (:func:`limit`), `why` the reasons of those far from theirs.
    """
    limits, why = limits or {}, why or {}
    lines = ["# Benchmarks", "", *(f"- {key}: {value}" for key, value in machine.items()), ""]
    lines += [
        "Times in seconds, medians of interleaved runs in one process. A solver counts when its objective is "
        f"within {ACCURACY:g} (times the null model's objective) of the best value known, or within what the "
        "row names. Ratios above 1: ours is faster. The limit is what the machine needs at least, for rows "
        f"of {LARGE / 1e6:g} MB and more: their input read once at the bandwidth above, or the products that "
        "cannot be left out at the rate of GEMM.",
        "",
        "| row | ours | fastest peer | its time | peer / ours | scikit-learn / ours | limit | ours / limit |",
        "|---|---|---|---|---|---|---|---|",
    ]
    paired = {name for one in rows if (other := _in_single(one, rows)) for name in (one, other)}
    for name, row in rows.items():
        if name in paired:
            continue
        r = ratios(row)
        cells = [_seconds(r["ours_s"]), r["peer"] or "none reached it", _seconds(r["peer_s"])]
        cells += [_ratio(r["peer_ratio"]), _ratio(r["sklearn_ratio"]), *_limit_cells(limits.get(name))]
        lines.append(f"| {name} | {' | '.join(str(c) for c in cells)} |")
    lines += _pairs(rows, limits)
    lines += _reasons(limits, why)
    # Bootstrap rows are no fits: their ratios are of another size and have a median of their own.
    resampled = {name: row for name, row in rows.items() if name.startswith("bootstrap")}
    fits = {name: row for name, row in rows.items() if name not in resampled}
    for start, chosen in (("Median ratio", fits), ("Bootstrap rows: median ratio", resampled)):
        for key, label in (("peer_ratio", "the fastest peer"), ("sklearn_ratio", "scikit-learn")):
            found = [v for row in chosen.values() if isinstance(v := ratios(row)[key], float)]
            if found:
                lines += ["", f"{start} to {label}: {statistics.median(found):.2f} over {len(found)} rows."]
    for name, row in rows.items():
        lines += ["", *_details(name, row)]
    return "\n".join(lines) + "\n"


def _limit_cells(found: tuple[float, float | None] | None) -> list[str]:
    """The limit of a large row and ours over it; of a small row two empty cells."""
    if found is None:
        return ["", ""]
    least, ratio = found
    return [_seconds(least), "--" if ratio is None else f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}"]


def _reasons(limits: dict[str, tuple[float, float | None]], why: dict[str, str]) -> list[str]:
    """Why rows are further than three times from their limit, rows of one reason together."""
    together: dict[str, list[str]] = {}
    for name, (_, ratio) in limits.items():
        if ratio is not None and ratio > FAR:
            together.setdefault(why.get(name, "no reason was given"), []).append(name)
    if not together:
        return []
    lines = ["", f"Why rows take more than {FAR:g} times their limit:", ""]
    return lines + [f"- {'; '.join(names)}: {reason}." for reason, names in together.items()]


def _pairs(rows: dict[str, dict[str, Any]], limits: dict[str, tuple[float, float | None]]) -> list[str]:
    """The rows that were measured in both precisions, side by side."""
    both = [name for name in rows if _in_single(name, rows)]
    if not both:
        return []
    lines = [
        "",
        "In both precisions (64 and 32 bits): seconds, the fastest peer, its time over ours, and ours over "
        "the limit of large rows.",
        "",
        "| row | ours 64 | fastest peer | ratio | / limit | ours 32 | fastest peer | ratio | / limit |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name in both:
        cells = [name]
        for one in (name, _in_single(name, rows)):
            r = ratios(rows[one])
            cells += [_seconds(r["ours_s"]), r["peer"] or "none reached it", _ratio(r["peer_ratio"])]
            cells.append(_limit_cells(limits.get(one))[1])
        lines.append(f"| {' | '.join(str(c) for c in cells)} |")
    return lines


def _in_single(name: str, rows: dict[str, dict[str, Any]]) -> str:
    """The name of the same row in single precision, or nothing."""
    kind, _, size = name.rpartition(" ")
    other = f"{kind} float32 {size}"
    return other if other in rows else ""


def _details(name: str, row: dict[str, Any]) -> list[str]:
    size = " x ".join(map(str, row["shape"]))
    lines = [
        f"## {name}",
        "",
        f"{size}, {row['input_mb']:.1f} MB. {_asked(row)}{row['problem']}".strip(),
        "",
        "| solver | median | min | max | runs | cpu / wall | first call | peak extra MB | suboptimality |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    order = sorted(
        row["solvers"], key=lambda n: (not reached(row["solvers"][n]), row["solvers"][n].get("median_s", 9e9))
    )
    for solver in order:
        s = row["solvers"][solver]
        if not s["runs"]:
            lines.append(f"| {solver} | -- | | | 0 | | {_seconds(s['first_call_s'])} | | {s['problem']} |")
            continue
        gap = s.get("suboptimality")
        words = "unknown" if gap is None else f"{gap:.1e}" + ("" if reached(s) else " (not reached)")
        times = " | ".join(_seconds(s[k]) for k in ("median_s", "min_s", "max_s"))
        lines.append(
            f"| {solver} | {times} | {s['runs']} | {s['cpu_per_wall']:.2f} | {_seconds(s['first_call_s'])} "
            f"| {s['peak_extra_mb']:.1f} | {words} |"
        )
    return lines


def _asked(row: dict[str, Any]) -> str:
    """The accuracy and the unit of a row that has others than most."""
    accuracy, unit = row.get("accuracy", ACCURACY), row.get("unit", "")
    counts = "" if accuracy == ACCURACY else f"Counts within {accuracy:g}. "
    return counts + (f"Times are {unit}. " if unit else "")


def _seconds(value: Any) -> str:
    return "--" if value is None else f"{value:.3g}"


def _ratio(value: Any) -> str:
    return "--" if value is None else f"{value:.2f}"
