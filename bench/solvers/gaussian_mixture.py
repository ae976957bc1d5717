"""Mixtures of full Gaussians, ours and scikit-learn's: steps of EM from given means, the best of four starts.

Four starts are those of k-means++ and run to the default tolerance of each library. Which of the maxima they
find is a matter of the seed, so that the row makes three fits and the worst of them is judged.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

import empirisk as er
from bench.objectives.gaussian_mixture import Parts, start
from bench.solvers.base import Solver
from empirisk.data import ArrayBlocks, Design
from empirisk.mixtures import Full
from empirisk.problems import LatentProblem
from empirisk.solvers import ExpectationMaximization, solve

# Of the fits of several starts, and rows that tell which fit is the worst.
SEEDS, JUDGES = (0, 1, 2), 10_000


def steps_from(X: Any, means: Any, steps: int) -> Parts:
    """Return the parts after some of our steps of EM from given means."""
    means = means[: _parts(X, means)]
    problem = LatentProblem(Full(), ArrayBlocks(Design(X), np.zeros(len(X)), np.ones(len(X))), len(means))
    weights, middle, spread = start(X, means)
    parts = {"means": middle, "factors": np.linalg.cholesky(spread)}
    found = solve(
        problem,
        ExpectationMaximization(accelerate=False),
        w0=problem.pack(np.log(weights), parts),
        tol=0.0,
        max_steps=steps,
    )
    factors = problem.parts(found.w)["factors"]
    shares = np.exp(problem.log_weights(found.w))
    return shares, problem.parts(found.w)["means"], factors @ factors.transpose(0, 2, 1)


def _scikit_learn(X: Any, means: Any, steps: int) -> Parts:
    weights, middle, spread = (part.astype(X.dtype) for part in start(X, means))
    model = GaussianMixture(
        len(means), tol=0.0, max_iter=steps, reg_covar=1e-12, weights_init=weights, means_init=middle,
        precisions_init=np.linalg.inv(spread), init_params="random_from_data",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    return model.weights_, model.means_, model.covariances_


def _our_starts(X: Any, means: Any, steps: int) -> Parts:
    return _worst(lambda seed: er.GaussianMixture(_parts(X, means), n_init=4, random_state=seed).fit(X), X)


def _their_starts(X: Any, means: Any, steps: int) -> Parts:
    k = _parts(X, means)
    return _worst(
        lambda seed: GaussianMixture(k, n_init=4, init_params="k-means++", random_state=seed).fit(X), X
    )


def _worst(fit: Callable[[int], Any], X: Any) -> Parts:
    """Return the parts of that fit of three seeds which likes some of the rows least."""
    models = [fit(seed) for seed in SEEDS]
    model = min(models, key=lambda m: m.score(X[:JUDGES]))
    return model.weights_, model.means_, model.covariances_


def _parts(X: Any, means: Any) -> int:
    """Return how many parts a fit has: few rows, as in the first call of a run, have few."""
    return max(1, min(len(means), len(X) // 300))


STARTS = [
    Solver("empirisk", "four starts, three seeds", _our_starts),
    Solver("scikit-learn", "four starts, three seeds", _their_starts),
]
STEPS = [Solver("empirisk", "EM", steps_from), Solver("scikit-learn", "GaussianMixture", _scikit_learn)]
SOLVERS = {"gmm_full": STEPS, "gmm_4_starts": STARTS}
