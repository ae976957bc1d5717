"""All bounds on the risk of a fitted model, in one table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.base import check_real
from empirisk.data.frames import like_input
from empirisk.ladder.base import Problem
from empirisk.ladder.prepare import check_declared, prepare
from empirisk.ladder.rungs import FROM_TEST_ROWS, RUNGS
from empirisk.ladder.table import RiskBounds
from empirisk.results import RiskCertificate

__all__ = ["risk_bounds"]


@like_input
def risk_bounds(
    est: Any,
    X: Any,
    y: ArrayLike,
    X_test: Any = None,
    y_test: ArrayLike | None = None,
    *,
    delta: float = 0.05,
    loss: str = "auto",
    loss_range: tuple[float, float] | None = None,
    radius: float | None = None,
    prior_scale: Any = 1.0,
    prior: Any = None,
    candidates: int | None = None,
    test_candidates: int = 1,
    lipschitz: float | None = None,
    bayes_risk: float | None = None,
    simultaneous: bool = False,
) -> RiskBounds:
    """Return every theorem that bounds the risk of a fitted model: its value, or the reason why it says
    nothing.

    ``risk = E loss(y, est(x))`` on new rows: the 0-1 loss of a classifier, a clipped loss of a regression,
    never the training objective. Bounds from test rows lead, then the others, tightest first.

    Parameters
    ----------
    est : fitted estimator
        Any scikit-learn-compatible classifier or regressor, pipeline or search.
    X : array, sparse matrix or data frame, shape (n, p)
        The rows that it was fitted on.
    y : array, shape (n,)
        Their targets.
    X_test, y_test : optional
        Rows that had no part in making the model.
    delta : float in (0, 1), default 0.05
        Probability with which a bound may fail: each by itself, or all together with `simultaneous`.
    loss : {"auto", "zero_one", "squared", "absolute"}, default "auto"
        For a regression the squared error by default.
    loss_range : (float, float), optional
        Known before the rows: the loss of a regression is clipped to this range, and bounded as such.
    radius : float, optional
        Known before the rows: ``||x||`` of every row that can occur, in the columns before any fitted scaler.
    prior_scale : float, array or "alpha", default 1
        Known before the rows: standard deviations of the Gaussian prior, one for each column (that of the
        intercept is 1), and the units in which coefficients are rounded. K rows of them are a grid, paid for
        by a union bound. "alpha" reads the prior from the penalty, which must not have been tuned on the rows
        (chosen among K fixed values it is a grid).
    prior : fitted linear classifier, optional
        Made from other rows than X: the prior of PAC-Bayes is moved along its weights, which shortens the
        bound by what these rows already knew.
    candidates : int, optional
        How many settings, fixed before, were tried on X and y, cross-validation included: a union bound. What
        the estimator itself tells (a search, ``alpha="cv"`` with given alphas) is counted without it.
    test_candidates : int, default 1
        How many models were compared on the test rows.
    lipschitz, bayes_risk : float, optional
        Known before the rows: how fast the class probability changes, and the smallest possible risk (for
        nearest neighbours).
    simultaneous : bool, default False
        Divide delta among all rows of the table, so that they hold together and the smallest may be chosen.

    Returns
    -------
    RiskBounds
        A sequence of :class:`empirisk.results.RiskCertificate` with ``.to_frame()``, ``.best``,
        ``.to_dict()``.

    Raises
    ------
    ValueError
        Sizes that disagree, delta or a declared number out of range, a radius that a row refutes, labels of
        another type.
    TypeError
        `est` cannot predict.
    sklearn.exceptions.NotFittedError
        `est` is not fitted.

    Notes
    -----
    What is computed from the rows is no knowledge from before: the largest norm among them is no radius,
    scales of a fitted scaler are no prior, a strength found by cross-validation is not fixed. Where a theorem
    needs what is not there, it refuses. Cost: predictions of all rows, one refit of a support vector machine
    on its support vectors, the predictions of every tree of a forest, the neighbours of every row.

    References
    ----------
    Langford 2005, Journal of Machine Learning Research 6, 273-306: which bounds are worth their assumptions.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1.0, 1.0, size=(600, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=600) > 0.0, "yes", "no")
    >>> model = er.LogisticRegression(fit_intercept=False).fit(X[:400], y[:400])
    >>> table = er.risk_bounds(model, X[:400], y[:400], X[400:], y[400:])
    >>> [row.bound for row in table if row.applies][:2]
    ['exact binomial on test rows', 'Chernoff-kl on test rows']
    >>> table["margin"].reason.split(":")[0]
    'no a-priori bound on the norm of x'
    """
    check_real(delta, "delta", 0.0, 1.0)
    declared = check_declared(
        radius, loss_range, prior_scale, prior, candidates, test_candidates, lipschitz, bayes_risk
    )
    each = delta / len(RUNGS) if simultaneous else delta
    problem = prepare(est, X, y, X_test, y_test, each, declared, candidates, loss)
    rows = [_beside(problem, name, rung(problem)) for name, rung in RUNGS.items()]
    order = sorted(range(len(rows)), key=lambda i: _rank(rows[i], list(RUNGS)[i]))
    trivial = problem.high if problem.high < math.inf else None
    ordered = [rows[i] for i in order]
    return RiskBounds(ordered, problem.name, problem.risk, trivial, delta, simultaneous, problem.constant)


def _rank(row: RiskCertificate, name: str) -> tuple[bool, bool, bool, float]:
    """Test rows lead; then by value; what does not apply comes last, in the order of the registry."""
    return not row.applies, name not in FROM_TEST_ROWS, row.vacuous, row.value if row.applies else 0.0


def _beside(problem: Problem, name: str, row: RiskCertificate) -> RiskCertificate:
    """Return the same measured risk beside every row: that of the test rows, else of the training rows."""
    if problem.test_losses is not None:
        return replace(row, measured=float(np.mean(problem.test_losses)), measured_on="test rows")
    if problem.losses is not None:
        return replace(row, measured=float(np.mean(problem.losses)), measured_on="training rows")
    return replace(row, measured=None, measured_on="")
