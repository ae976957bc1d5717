"""Functions of a user that change their arrays in place change what is theirs alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.convex import ConvexProblem, check_convexity
from empirisk.distributions import Gaussian
from empirisk.hypotheses import FiniteClass
from empirisk.kernels import UserKernel
from empirisk.losses import user_loss
from empirisk.neighbors.metrics.user import UserMetric
from empirisk.resampling.adversary import train_on
from empirisk.typing import Array

Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
X = np.random.default_rng(0).normal(size=(40, 2))
Y = X[:, 0] - X[:, 1]
LABELS = (Y > 0.0).astype(int)


def plain(f: Callable[..., Any]) -> Callable[..., Any]:
    return f


def spoiling(f: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function, which leaves sevens in all arrays that it was given."""

    def call(*args: Any, **more: Any) -> Any:
        out = f(*args, **more)
        out = np.array(out) if isinstance(out, np.ndarray) else out
        for a in args:
            if isinstance(a, np.ndarray) and a.flags.writeable:
                a[...] = 7
        return out

    return call


class Law:
    """A Gaussian with the methods that a law of a user needs."""

    def __init__(self, mean: float, wrap: Wrap) -> None:
        law = Gaussian(mean)
        self.log_prob = wrap(lambda x: law.log_prob(x[:, 0]))
        self.sample = lambda size, random_state: law.sample(size, random_state)[:, None]


def bootstrapped(wrap: Wrap) -> Any:
    return er.bootstrap(wrap(lambda x: float(np.median(x))), Y, n_resamples=200, random_state=0).value


def scored(wrap: Wrap) -> Any:
    score = wrap(lambda est, rows, y: float(((est.predict(rows) - y) ** 2).mean()))
    found = er.cross_evaluate(er.Ridge(0.1), X, Y, metrics={"own": score, "r2": "r2"}, cv=3, random_state=0)
    return [found["own"].value, found["r2"].value]


def checked(wrap: Wrap) -> Any:
    d = er.sample(er.Ridge(0.1).fit(X, Y), draws=20, warm_up=20, dispersion=1.0, random_state=0)
    return d.predictive_check(X, Y, {"first": wrap(lambda y: float(y[0])), "mean": "mean"}).replicated


def convex(wrap: Wrap) -> Any:
    problem = ConvexProblem(wrap(lambda x: float((x**2).sum())), 2, gradient=wrap(lambda x: 2.0 * x))
    return [problem.gradient_of(0, np.ones(2)), problem.value_of(0, np.ones(2))]


def traced(wrap: Wrap) -> Any:
    problem = er.LogisticRegression(alpha=0.1).problem(X, LABELS)
    return er.solvers.solve(problem, "lbfgs", callback=wrap(lambda step, w, certificate: False)).w


USES: dict[str, Callable[[Wrap], Any]] = {
    "statistic of the bootstrap": bootstrapped,
    "statistic of a predictive check": checked,
    "metric of an evaluation": scored,
    "kernel": lambda wrap: [
        er.KernelRidge(0.1, kernel=wrap(lambda A, B: A @ B.T)).fit(X, Y).predict(X),
        UserKernel(wrap(lambda A, B: A @ B.T)).block(X, X[:3]),
    ],
    "distance": lambda wrap: UserMetric(wrap(lambda a, b: float(np.abs(a - b).sum()))).distances(X, X),
    "weights of neighbours": lambda wrap: (
        er.KNeighborsRegressor(3, weights=wrap(lambda d: 1.0 / (1.0 + d))).fit(X, Y).predict(X)
    ),
    "members of a finite class": lambda wrap: (
        FiniteClass([wrap(lambda P, j=j: P[:, j] > 0.0) for j in (1, 0)]).fit(X, LABELS).hypothesis_.index
    ),
    "learner against an adversary": lambda wrap: train_on(wrap(lambda A, y, domain: domain[:, 0] > 0))(
        X[:5].copy(), LABELS[:5], X
    ),
    "function whose convexity is tried": lambda wrap: str(
        check_convexity(wrap(lambda x: float(np.sin(x[0]))), 0.0, 6.0, random_state=0)
    ),
    "objective of a convex problem": convex,
    "callback of a solver": traced,
    "law of a joint model": lambda wrap: (
        er.BayesClassifier({0: Law(0.0, wrap), 1: Law(1.0, wrap)}, n_draws=100).fit().predict_proba(X[:, :1])
    ),
}


@pytest.mark.parametrize("name", list(USES))
def test_answers_are_those_of_a_function_that_leaves_its_arrays(name: str) -> None:
    rows, targets, labels = X.copy(), Y.copy(), LABELS.copy()
    wanted, found = USES[name](plain), USES[name](spoiling)
    assert all(np.array_equal(a, b) for a, b in ((X, rows), (Y, targets), (LABELS, labels)))
    if isinstance(wanted, list):
        for a, b in zip(wanted, found, strict=True):
            np.testing.assert_array_equal(a, b)
    else:
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("which", ["value", "grad", "hess", "mean"])
def test_a_loss_whose_functions_change_scores_is_refused(which: str) -> None:
    def spoils(*args: Array) -> Array:
        args[-1][...] -= 1.0
        return args[-1]

    given: dict[str, Any] = {
        "value": lambda y, z: 0.5 * (z - y) ** 2,
        "grad": lambda y, z: z - y,
        "hess": lambda y, z: np.ones_like(z),
        "mean": lambda z: z,
    }
    user_loss(**given)
    with pytest.raises(ValueError, match=rf"^{which} changes its (arguments|scores) in place"):
        user_loss(**given | {which: spoils})
