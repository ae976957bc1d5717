"""The exact path: quantiles, and differences of quantiles of two independent samples."""

from __future__ import annotations

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.bootstrap.distribution import AtomDifference, Distribution
from empirisk.resampling.bootstrap.order import left_out_quantiles, quantile_atoms, quantile_position
from empirisk.resampling.bootstrap.resampled import Resampled

__all__ = ["exact_quantiles"]

# Share of samples that may miss the quantile altogether.
BEYOND = 0.01


def exact_quantiles(samples: list[Floats], q: float, label: str) -> Resampled:
    """Return the q-quantile of one sample, or that of the first less that of the second.

    Cost O(n log n) for sorting; a difference is inverted by bisection.
    """
    ordered = [np.sort(s) for s in samples]
    atoms = [quantile_atoms(s, q) for s in ordered]
    values = [_quantile(s, q) for s in ordered]
    distribution: Distribution = atoms[0] if len(atoms) == 1 else AtomDifference(atoms[0], atoms[1])

    def left_out() -> list[Floats]:
        signs = (1.0, -1.0)[: len(ordered)]
        return [sign * left_out_quantiles(s, q)[:, None] for sign, s in zip(signs, ordered, strict=True)]

    value = values[0] - (values[1] if len(values) > 1 else 0.0)
    units = tuple(s.size for s in samples)
    refusal = _out_of_reach(min(units), q)
    return Resampled(
        (label,), np.array([value]), [distribution], left_out, units, exact=True, refusal=refusal
    )


def _out_of_reach(n: int, q: float) -> str:
    """Return the resamples never leave the range of the data, and the quantile may lie outside it."""
    outside = max(q**n, (1.0 - q) ** n)
    if outside <= BEYOND:
        return ""
    share = f"{100 * outside:.{0 if outside >= 0.1 else 1}f}"
    return (
        f"the {q:g}-quantile lies beyond all of {n} rows in {share} % of samples, which resamples cannot show"
    )


def _quantile(ordered: Floats, q: float) -> float:
    k, g = quantile_position(ordered.size, q)
    # The same products as the atoms have, so that ties with the value are seen.
    return float((1.0 - g) * ordered[k - 1] + g * ordered[k]) if g > 0.0 else float(ordered[k - 1])
