"""Rules for several starts of EM, replayed on runs that are written by hand."""

from __future__ import annotations

import math

import numpy as np

from bench.em_starts import Run, after, all_of, norm, staged


def run(losses: list[float], end: float | None = None) -> Run:
    """Return a run of one pass a step whose gradient norm falls by a factor of ten each time."""
    trace = np.array([(i + 1.0, loss, 10.0**-i) for i, loss in enumerate(losses)])
    return Run(trace, losses[-1] if end is None else end)


def test_a_rule_finishes_what_is_best_at_its_stage() -> None:
    quick, slow, lost = run([5.0, 2.0, 2.0, 2.0]), run([6.0, 4.0, 1.0, 1.0]), run([3.0, 0.0, 0.0], math.nan)
    assert all_of([quick, slow, lost]) == (1.0, 11.0)
    assert staged([quick, slow], [after(2.0, 1)]) == (2.0, 6.0)
    assert staged([quick, slow], [after(3.0, 1)]) == (1.0, 7.0)
    # The first start that is lost on its way is paid for, and the next one is finished.
    assert staged([quick, lost], [after(2.0, 1)]) == (2.0, 7.0)
    # A norm is to have fallen to a hundredth of its largest, too.
    assert staged([quick, slow], [norm(0.5, 1)]) == (1.0, 7.0)
    assert math.isnan(staged([lost], [after(2.0, 1)])[0])
