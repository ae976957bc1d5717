"""Steps of EM for a mixture of full Gaussians: ours, and scikit-learn's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from bench.objectives.gaussian_mixture import Parts, start
from bench.solvers.base import Solver
from empirisk.data import ArrayBlocks, Design
from empirisk.mixtures import Full
from empirisk.problems import LatentProblem
from empirisk.solvers import ExpectationMaximization, solve


def _ours(X: Any, means: Any, steps: int) -> Parts:
    means = means[: max(1, len(X) // 300)]  # a part needs rows; the first call of a run has few
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


BOTH = [Solver("empirisk", "EM", _ours), Solver("scikit-learn", "GaussianMixture", _scikit_learn)]
SOLVERS = {"gmm_full": BOTH, "gmm_full_float32": BOTH}
