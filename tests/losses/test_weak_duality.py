"""The gap of a problem is never smaller than the distance from its minimum, at any point of any loss."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from empirisk.data import ArrayBlocks, Design
from empirisk.losses import REGISTRY
from empirisk.penalties import L2, ElasticNetPenalty
from empirisk.problems import LinearProblem
from empirisk.results import Kind
from tests.conformance.loss_samples import ALL, SAMPLES, loss_of

CONVEX = [name for name in ALL if loss_of(name).convex and loss_of(name).offers and not SAMPLES[name].k]


def lowest(problem, rng):
    """The smallest value that downhill simplices from many starts find: no smaller than the minimum."""
    starts = [problem.null, problem.zeros(), *rng.normal(size=(4, problem.n_params))]
    starts = [np.nan_to_num(start, posinf=5.0, neginf=-5.0) for start in starts]
    options = {"xatol": 1e-9, "fatol": 1e-13, "maxiter": 4000}
    return min(minimize(problem.value, w, method="Nelder-Mead", options=options).fun for w in starts)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("penalty", [L2(0.2), ElasticNetPenalty(0.2, 0.5)], ids=lambda p: p.name)
@pytest.mark.parametrize("name", CONVEX)
def test_gap_is_never_too_small(name, penalty, intercept, rng):
    y = rng.choice([t for t in SAMPLES[name].targets if abs(t) < 10.0], size=12)
    s = rng.integers(0, 3, size=12).astype(float)
    problem = LinearProblem(
        loss_of(name), penalty, ArrayBlocks(Design(rng.normal(size=(12, 2))), y, s), intercept
    )
    best = lowest(problem, rng)
    for w in (problem.null, problem.zeros(), *rng.normal(size=(6, problem.n_params))):
        if not np.isfinite(w).all():
            continue
        excess = problem.value(w) - best
        for certificate in (problem.certify(w), problem.certify(w, problem.evaluate(w))):
            assert certificate.kind is Kind.DUALITY_GAP
            assert certificate.scale > 0.0
            assert excess <= certificate.value + certificate.floor + 1e-12
            assert math.isfinite(certificate.scale)


def test_every_convex_loss_is_here():
    convex = {name for name, make in REGISTRY.items() if make().convex}
    lacking = sorted(convex - {*CONVEX, "softmax", "one_versus_rest"})
    assert not lacking, f"add a sample of each to SAMPLES in tests/conformance/loss_samples.py: {lacking}"
