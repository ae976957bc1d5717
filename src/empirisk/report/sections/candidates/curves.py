"""The curves of the score over the penalty, one for each family that was tuned."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from empirisk import plots
from empirisk.evaluation.scoring import Scoring
from empirisk.report.estimates import band as band_of
from empirisk.report.fit.choose import Choice
from empirisk.report.sections.base import Chart
from empirisk.report.shapes.checkers import Record, nullable, number, one_of, string
from empirisk.report.shapes.values import band, numbers

__all__ = ["CURVE", "penalty_charts", "penalty_curves"]

Json = dict[str, Any]


CURVE = Record(
    {
        "candidate": string,
        "parameter": string,
        "scale": one_of("log", "linear"),
        "x": numbers,
        "train": nullable(band),
        "validation": band,
        "chosen": number,
        "minimum": nullable(number),
    }
)


def penalty_curves(choice: Choice, scoring: Scoring) -> list[Json]:
    """Return ``report["selection_curves"]``: score against penalty for each tuned family."""
    out = []
    for row in choice.rows:
        result = row.result
        if not result.candidate.parameter or result.alphas.size < 2:
            continue
        # A value at which a row has an infinite loss has no point on the curve.
        order = [i for i in np.argsort(result.alphas) if np.isfinite(scoring.value(result.losses[:, :, i]))]
        points = [scoring.loss(result.losses[:, :, i], result.estimator(i)) for i in order]
        if len(points) < 2:
            continue
        method = f"pointwise; {points[0].method}"
        train = result.train.mean(axis=0)[order]
        out.append(
            {
                "candidate": result.candidate.name,
                "parameter": result.candidate.parameter,
                "scale": "log",
                "x": [float(a) for a in result.alphas[order]],
                "train": {
                    "value": [float(v) for v in train],
                    "low": None,
                    "high": None,
                    "level": scoring.level,
                    "n": points[0].n,
                    "method": f"mean over {result.train.shape[0]} fits",
                },
                "validation": band_of(points, method),
                "chosen": float(result.alphas[row.at]),
                "minimum": float(result.alphas[row.lowest]),
            }
        )
    return out


def penalty_charts(report: Json) -> Iterator[Chart]:
    """Yield the picture of each curve."""
    label = {c["name"]: c["label"] for c in report["candidates"]}
    for i, curve in enumerate(report["selection_curves"]):
        shown = partial(plots.SelectionCurveDisplay, curve, report["selection"], label[curve["candidate"]])
        yield Chart(f"selection{i}", "the losses over the penalty", shown, curve["validation"], "candidates")
