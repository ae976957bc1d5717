"""The optimality certificate of a linear problem: the duality gap, else the KKT residual.

With ``theta_i = -loss'(z_i)`` moved into ``sum_i s_i theta_i = 0`` (intercept) and scaled into the
domain of the penalty's conjugate,

    D(theta) = -(1/S) sum_i s_i loss*(y_i, -theta_i) - penalty*(v),    v = (1/S) sum_i s_i theta_i x_i

is a lower bound of the objective whatever w is, so that ``F(w) - D(theta)`` proves how far w is from
the minimum.  Without an `evaluation` only NumPy is used: the argument does not depend on how w was found.
With one (inside a solve) the gap comes from its sums, or from its scores.

Rows on a kink of the loss carry multipliers that their scores do not determine: there theta is the solver's.

All of it is computed near the rows (:mod:`problems.origin`) and, but for passes that a solver has made, in
float64.  What rounding can do to the sums that are added up is the floor of the certificate:

    8 eps (|F| + |D's two parts| + slope * sum of the sizes of a score's terms)

Every error is at most a few eps times one of these, because the derivative of a gap in a score is a slope.
Half of it is added to every gap, so that the sum bounds what exact arithmetic would find.
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.intercept import best_intercept, intercept_step
from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.newton_dual import newton_duals
from empirisk.problems.proofs import gap_certificate, standardised_residual, why_no_gap
from empirisk.problems.quick_gap import by_shift, quick_gap
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = [
    "certify",
    "correlation",
    "dual_point",
    "gap_scale",
    "kkt_residual",
    "plain_scores",
    "sharpened",
    "slopes",
]


WIDENED = 1 << 17  # numbers of float32 that are widened at a time: they stay in the cache


def certify(
    problem: LinearObjective,
    w: Array,
    evaluation: Evaluation | None = None,
    target: float = 0.0,
    theta: Array | None = None,
    scores: Array | None = None,
) -> Certificate:
    """The strongest certificate that the problem admits at w.

    `target` is the relative gap that is asked for: while it is out of reach, a bound that costs O(p) does.
    `theta` are dual values that a solver offers; whatever they are, the certificate is true.
    `scores` are the :func:`plain_scores` of w, for callers that ask about one w several times.
    """
    if problem.data.total_weight == 0.0 or problem.data.n_cols + int(problem.intercept) == 0:
        return Certificate(Kind.EXACT, 0.0, 1.0, "nothing to fit: no parameters or no rows with weight")
    if problem.loss.convex and problem.penalty.coercive(problem.data.n_cols):
        if evaluation is not None and theta is None:
            quick = quick_gap(problem, w, evaluation)
            if quick is not None and _settles(problem, quick, target * gap_scale(problem)):
                size = (
                    abs(evaluation.loss)
                    + abs(problem.penalty.value(problem.split(w)[0]))
                    + _own_rounding(problem)
                    + _score_rounding(problem, w, evaluation.scores, exact=False)
                )
                return _gap_certificate(problem, max(quick[0], 0.0), size)
        return duality_gap(problem, w, evaluation, theta, scores)
    if theta is not None and problem.loss.convex:
        return kkt_with_multipliers(problem, w, theta, evaluation, scores)
    return kkt_residual(problem, w, evaluation, scores)


def _settles(problem: LinearObjective, quick: tuple[float, float], wanted: float) -> bool:
    """Whether the quick bound will do: it is small enough, or another step is cheaper than the full gap.

    The full gap costs about three passes.  It is worth them when the intercept alone is what is left.  The
    quick bound of several classes is far above the full gap until their intercepts are exact.
    """
    bound, ideal = quick
    near = 0.5 if problem.loss.multinomial else 0.01
    return math.isfinite(bound) and (bound <= wanted or ideal > near * wanted)


def plain_scores(problem: LinearObjective, w: Array) -> Array:
    """``X w + b`` in plain NumPy and in float64."""
    coef, b = problem.split(np.asarray(w, dtype=np.float64))
    X = problem.design.X
    if X.dtype == np.float64 or problem.design.sparse:
        z = np.asarray(X @ coef, dtype=np.float64)
    elif _columns_lie_together(X):
        z = np.zeros((len(X), *coef.shape[1:]))
        step = max(WIDENED // max(len(X), 1), 1)
        for j in range(0, X.shape[1], step):
            z += X[:, j : j + step].astype(np.float64) @ coef[j : j + step]
    else:
        step = max(WIDENED // max(X.shape[1], 1), 1)
        blocks = [X[i : i + step].astype(np.float64) @ coef for i in range(0, len(X), step)]
        z = np.concatenate(blocks) if blocks else np.zeros((0, *coef.shape[1:]))
    return problem.data.without_absent(z + b)


def _columns_lie_together(X: Array) -> bool:
    """Return whether X is stored column by column: a block of its rows would be gathered number by number."""
    return X.strides[0] == X.itemsize and X.strides[1] != X.itemsize


def sharpened(
    problem: LinearObjective,
    w: Array,
    own: Certificate,
    enough: float = 0.0,
    scores: Array | None = None,
) -> Certificate:
    """Return the certificate of w (`own` is what it is so far) with the best of dual points near the
    optimum, or the first whose relative gap is `enough`; `scores` as in :func:`certify`.
    """
    if own.kind is not Kind.DUALITY_GAP or own.at_floor:
        return own
    z = plain_scores(problem, w) if scores is None else scores
    for theta in newton_duals(problem, w, z):
        own = min(own, duality_gap(problem, w, None, theta, z), key=lambda c: c.value)
        if own.relative <= enough:
            break
    return own


def slopes(problem: LinearObjective, w: Array) -> Array:
    """``-loss'(z)`` of each row at w: what :func:`certify` makes its dual point of."""
    return -problem.loss.grad(problem.data.y, plain_scores(problem, w))


def _plain_evaluation(problem: LinearObjective, w: Array, scores: Array | None) -> Evaluation:
    """Return loss, gradient and scores by plain NumPy, without the loops that the solvers use."""
    z = plain_scores(problem, w) if scores is None else scores
    slope = problem.loss.grad(problem.data.y, z)
    mean = weighted_sum(problem.data.weight, slope) / problem.data.total_weight
    return Evaluation(problem.mean_loss(z), problem.join(correlation(problem, slope), mean), z)


def dual_point(
    problem: LinearObjective, scores: Array, grad: Array | None = None, theta: Array | None = None
) -> tuple[Array, Array]:
    """Dual values theta, shape of the scores, and ``v``, shape of the coefficients; both feasible.

    Without a `theta` it is ``-loss'(z)``, or with an intercept ``-loss'(z + b)`` at the best b (for classes,
    a Newton step to it) where that is better than to balance theta.  Minus the gradient of the mean loss is
    v then already, unless an intercept off its optimum makes theta move.
    """
    data, loss = problem.data, problem.loss
    if theta is None:
        raw = theta = -loss.grad(data.y, scores)
        if problem.intercept and by_shift(problem):
            b = best_intercept(loss, data.y, data.weight, scores, np.zeros(()))
            theta = -loss.grad(data.y, scores + b) if b else theta
        elif problem.intercept and loss.multinomial:
            theta = -loss.grad(data.y, scores + intercept_step(loss, data.y, data.weight, scores))
    else:
        grad, raw = None, np.asarray(theta, dtype=np.float64)
        theta = raw
    if problem.intercept:
        theta = loss.balance(data.y, theta, data.weight)
    # A dual point that balancing did not move is minus the slopes: the gradient holds its sums already, and a
    # pass over the rows is saved.
    moved = float(np.abs(raw - theta).max(initial=0.0)) if grad is not None else math.inf
    if grad is not None and moved <= 1e-13 * float(np.abs(theta).max(initial=0.0)):
        return _feasible(problem, theta, -problem.split(grad)[0])
    return _feasible(problem, theta, correlation(problem, theta))


def correlation(problem: LinearObjective, theta: Array) -> Array:
    """``v = (1/S) sum_i s_i theta_i x_i``, computed in float64 whatever the format of X."""
    weighted = ((problem.data.weight / problem.data.total_weight) * theta.T).T
    X = problem.design.X
    if X.dtype == np.float64 or problem.design.sparse:
        return np.asarray(X.T @ weighted, dtype=np.float64)
    # An L1 penalty compares v with a strength that may be small: products in float32 would not do.
    out = np.zeros((X.shape[1], *weighted.shape[1:]))
    if _columns_lie_together(X):
        step = max(WIDENED // max(len(X), 1), 1)
        for j in range(0, X.shape[1], step):
            out[j : j + step] = X[:, j : j + step].T.astype(np.float64) @ weighted
        return out
    step = max(WIDENED // max(X.shape[1], 1), 1)
    for i in range(0, len(X), step):
        out += X[i : i + step].T.astype(np.float64) @ weighted[i : i + step]
    return out


def _feasible(problem: LinearObjective, theta: Array, v: Array) -> tuple[Array, Array]:
    scale = problem.penalty.feasible_scale(v)
    return (theta * scale, v * scale) if scale < 1.0 else (theta, v)


def duality_gap(
    problem: LinearObjective,
    w: Array,
    evaluation: Evaluation | None = None,
    theta: Array | None = None,
    scores: Array | None = None,
) -> Certificate:
    """``F(w) - D(theta)``, clipped at 0, with its rounding floor."""
    data, penalty = problem.data, problem.penalty
    if evaluation is not None:
        scores = evaluation.scores
    elif scores is None:
        scores = plain_scores(problem, w)
    coef = np.asarray(problem.split(w)[0], dtype=np.float64)
    loss = problem.mean_loss(scores)
    primal = loss + penalty.value(coef)
    if not math.isfinite(primal):
        return Certificate(Kind.NONE, math.inf, 1.0, "none: the objective is not finite at this point")
    theta, v = dual_point(problem, scores, None if evaluation is None else evaluation.grad, theta)
    conjugates = _conjugates(problem, theta)
    conjugate = float(weighted_sum(data.weight, conjugates)) / data.total_weight
    penalty_conjugate = penalty.conjugate(v)
    gap = primal + conjugate + penalty_conjugate
    gap = max(gap, 0.0) if math.isfinite(gap) else math.inf
    size = (
        abs(primal)
        + abs(conjugate)
        + abs(penalty_conjugate)
        + _own_rounding(problem)
        + _score_rounding(problem, w, scores, exact=evaluation is None)
    )
    return _gap_certificate(problem, gap, size)


def _conjugates(problem: LinearObjective, theta: Array) -> Array:
    """``loss*(-theta)`` of each row; rounding beyond the end of the domain is forgiven."""
    y = problem.data.y
    out = problem.loss.conjugate(y, -theta)
    if np.isfinite(out).all():
        return out
    inwards = 1.0 - 8.0 * float(np.finfo(np.float64).eps)
    return np.where(np.isfinite(out), out, problem.loss.conjugate(y, -theta * inwards))


def _score_rounding(problem: LinearObjective, w: Array, scores: Array, *, exact: bool) -> float:
    """What rounding of ``X w + b`` and ``X' theta`` can do to the gap, in units of 8 times float64's eps.

    Terms ``w_j x_ij`` and b that cancel in a score leave errors of their own size.  Scores that are not
    `exact` are a solver's, in the precision of X.
    """
    coef, b = problem.split(w)
    coef = np.abs(coef)
    known = exact or problem.facts.known_moments is not None
    if known:
        mean, variance = problem.moments
        # A size whose square overflows counts as the largest number: a column that no parameter uses adds 0.
        size = np.minimum(np.sqrt(variance + mean**2), np.finfo(np.float64).max)
        with np.errstate(over="ignore"):
            terms = float(weighted_sum(size, coef).sum()) + float(np.abs(b).sum())
    else:
        terms = float(np.abs(scores).max(initial=0.0)) + float(np.abs(b).sum())
    slope = problem.loss.lipschitz if math.isfinite(problem.loss.lipschitz) else problem.facts.null_slope
    eps = float(np.finfo(np.float64).eps)
    out = terms * slope
    if not exact and problem.design.dtype != np.float64:
        # Errors of single rows have random signs: their mean is smaller by the root of the rows.
        precision = float(np.finfo(problem.design.dtype).eps) / eps
        out *= max(precision / math.sqrt(max(len(problem.data.y), 1)), 1.0)
    if problem.penalty.l2 > 0.0 and known:
        # The conjugate squares what rounding leaves of v, which grows with the columns.
        squares = float((variance + mean**2).sum())
        out += eps * slope**2 * squares / (16.0 * problem.penalty.l2)
    return out


def _own_rounding(problem: LinearObjective) -> float:
    """Return the size of what a row's loss and its conjugate have in common where a perfect fit does not cost
    0.
    """
    return abs(problem.facts.saturated) if math.isfinite(problem.facts.saturated) else 0.0


def _gap_certificate(problem: LinearObjective, gap: float, size: float) -> Certificate:
    """`size` is what was added up: its rounding is part of the gap, and the smallest that can be claimed."""
    scale, mu = gap_scale(problem), problem.penalty.strong_convexity
    return gap_certificate(gap, size, scale, scale == problem.null_excess, mu)


def gap_scale(problem: LinearObjective) -> float:
    """Return the loss of the null model above that of a perfect fit; the size of the targets where that is 0,
    else 1.
    """
    null, size = problem.null_excess, problem.facts.target_square
    # Targets that are constant up to 1e-14 of their size leave only rounding as the null model's loss.
    if problem.loss.quadratic and null <= 1e-28 * size:
        null = 0.0
    return null or 0.5 * size or 1.0


def kkt_residual(
    problem: LinearObjective, w: Array, evaluation: Evaluation | None = None, scores: Array | None = None
) -> Certificate:
    """``max_j dist(-g_j, dP(w_j)) / sd_j``, against the root mean square of loss' at the null model.

    g is the gradient with the intercept's part projected out, so that both numbers are free of the
    scale and of the origin of the columns: for least squares the value over the scale is the largest
    correlation-like number between a column and the residual.
    """
    e = _plain_evaluation(problem, w, scores) if evaluation is None else evaluation
    exact = evaluation is None or problem.design.dtype == np.float64
    return standardised_residual(
        problem.split(w), problem.split(e.grad), problem.penalty, problem.intercept, problem.facts,
        problem.design.dtype, exact, why_no_gap(problem.loss, problem.penalty),
    )  # fmt: skip


def kkt_with_multipliers(
    problem: LinearObjective,
    w: Array,
    theta: Array,
    evaluation: Evaluation | None = None,
    scores: Array | None = None,
) -> Certificate:
    """What the multipliers of the rows prove where no finite duality gap exists.

    The larger of two shares: the Fenchel gap ``mean(l(z) + l*(-theta) + theta z)`` as a share of the null
    model's excess, and the KKT residual with ``-theta`` in place of the derivative.  For every w' it gives
    ``F(w) - F(w') <= gap + g.(w - w')``, g what is left of the gradient.
    """
    data = problem.data
    if evaluation is not None:
        scores = evaluation.scores
    elif scores is None:
        scores = plain_scores(problem, w)
    theta = np.asarray(theta, dtype=np.float64)
    rows = problem.loss.value(data.y, scores) + _conjugates(problem, theta) + theta * scores
    gap = float(weighted_sum(data.weight, rows)) / data.total_weight
    slope = -weighted_sum(data.weight, theta) / data.total_weight
    at = Evaluation(problem.mean_loss(scores), problem.join(-correlation(problem, theta), slope), scores)
    residual = kkt_residual(problem, w, at)
    if not math.isfinite(gap) or residual.kind is Kind.NONE:
        return Certificate(Kind.NONE, math.inf, 1.0, "none: the multipliers are not feasible at this point")
    rounding = (
        abs(at.loss) + _own_rounding(problem) + _score_rounding(problem, w, scores, exact=evaluation is None)
    )
    floor = 8.0 * float(np.finfo(np.float64).eps) * rounding / gap_scale(problem) * residual.scale
    share = max(gap / gap_scale(problem), floor / residual.scale)
    value = max(share * residual.scale, residual.value)
    claim = (
        f"with the multipliers of the rows the gradient is at most {residual.relative:.1g} of its size at "
        f"the null model and their Fenchel gap {share:.1g} of its excess loss, by {Kind.KKT_RESIDUAL.value}; "
        f"{why_no_gap(problem.loss, problem.penalty)}"
    )
    return Certificate(Kind.KKT_RESIDUAL, value, residual.scale, claim, 0.0, max(floor, residual.floor))
