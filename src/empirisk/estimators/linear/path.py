"""A regularisation path: fits along a grid of strengths, each warm-started from the one before.

Friedman, Hastie and Tibshirani, Journal of Statistical Software 33 (2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from empirisk.data.frames import as_frame, like_input
from empirisk.estimators.checks import is_number
from empirisk.estimators.linear.offsets import refuse_without
from empirisk.estimators.linear.tune import alpha_grid
from empirisk.results.form import Form, Formed
from empirisk.solvers.by_target import path_by_target
from empirisk.solvers.path import solve_path
from empirisk.typing import Array

__all__ = ["Path", "path"]


@dataclass(frozen=True)
class Path(Formed):
    """Fits along decreasing strengths.

    Parameters
    ----------
    alphas : array, shape (a,)
        Decreasing strengths.
    coefs : array, shape (a, p) or (a, k, p)
        Coefficients in the layout of ``coef_``.
    intercepts : array, shape (a,) or (a, k)
        Intercepts.
    gaps : array, shape (a,)
        Certificate values; for penalised fits duality gaps, ``F(w) - min F <= gap``.
    scale : float
        What the gaps are relative to: the objective of the null model.
    feature_names : tuple of str
        Names of the columns.
    statuses : tuple of Status
        How each fit ended.
    """

    alphas: Array
    coefs: Array
    intercepts: Array
    gaps: Array
    scale: float
    feature_names: tuple[str, ...]
    statuses: tuple[Any, ...]

    def plot(self, ax: Any = None) -> Any:
        """Draw the coefficients against the strength; returns the Plot."""
        from empirisk.plots.path import PathDisplay

        return PathDisplay(self).plot(ax)

    def to_frame(self) -> Any:
        """Return one row a strength and coefficient: alpha, output, term, coef, intercept, gap."""
        coefs = self.coefs if self.coefs.ndim == 3 else self.coefs[:, None, :]
        a, k, p = coefs.shape
        return as_frame(
            {
                "alpha": np.repeat(self.alphas, k * p).tolist(),
                "output": np.tile(np.repeat(np.arange(k), p), a).tolist(),
                "term": list(self.feature_names) * (a * k),
                "coef": coefs.ravel().tolist(),
                "intercept": np.repeat(self.intercepts.reshape(a, -1), p, axis=1).ravel().tolist(),
                "gap": np.repeat(self.gaps, k * p).tolist(),
            },
            self._like,
        )

    def _form(self) -> Form:
        at = np.unique(np.linspace(0, len(self.alphas) - 1, 10).round().astype(int))
        used = np.count_nonzero(self.coefs.reshape(len(self.alphas), -1), axis=1)
        columns: dict[str, list[Any]] = {
            "alpha": self.alphas[at].tolist(),
            "coefficients that are not 0": used[at].tolist(),
            "relative gap": (self.gaps[at] / self.scale).tolist(),
        }
        return Form(repr(self), columns)

    def __repr__(self) -> str:
        worst = float(np.max(self.gaps)) / self.scale if len(self.gaps) else 0.0
        return (
            f"Path({len(self.alphas)} strengths from {self.alphas[0]:.3g} to {self.alphas[-1]:.3g}, "
            f"largest relative gap {worst:.1g})"
        )


@like_input
def path(
    est: Any, X: Any, y: Any, sample_weight: Any = None, *, alphas: Any = None, eps: float | None = None
) -> Path:
    """Fit an estimator at every strength of a grid, each warm-started from the one before.

    Parameters
    ----------
    est : Ridge, Lasso, ElasticNet or LogisticRegression
        Its own ``alpha`` is ignored; its other parameters count.
    X, y, sample_weight
        Training data.
    alphas : int or list of floats, optional
        Strengths; by default the 100 of the estimator's own grid: from the smallest alpha with all
        coefficients zero down three decades (two when n < p), or for L2 ten decades.
    eps : float, optional
        Smallest over largest strength of an L1 grid, strictly between 0 and 1.  L2 grids, and those of a
        constant target, whose coefficients are 0 at any strength, have ten decades whatever it is.

    Returns
    -------
    Path

    Raises
    ------
    TypeError
        The estimator has no ``alpha``, or is no linear model.
    ValueError
        The model was fitted with an exposure or offset, `eps` is not between 0 and 1, or `alphas` are no
        strengths.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(50, 3)); y = X @ [1.0, 0.0, 2.0]
    >>> p = er.path(er.Lasso(), X, y)
    >>> p.coefs.shape, bool(np.all(p.coefs[0] == 0.0))
    ((100, 3), True)
    """
    if "alpha" not in est.get_params(deep=False):
        raise TypeError(f"path needs an estimator with a penalty strength, {type(est).__name__} has none")
    if not hasattr(est, "_prepare") or not hasattr(est, "alphas"):
        raise TypeError(
            f"path needs a linear model with a grid of strengths (alphas), and {type(est).__name__} is none: "
            "draw er.selection.model_selection_curve over alpha, search it with er.selection.GridSearch, or "
            'fit with alpha="cv" where the estimator has it'
        )
    advice = "A path takes none: draw er.selection.model_selection_curve over alpha with exposure=."
    refuse_without(est, advice=advice)
    twin = clone(est)
    twin.set_params(alpha=1.0)
    if eps is not None and not (is_number(eps, 0.0, 1.0, closed=False) and eps < 1.0):
        raise ValueError(
            "eps must be a number strictly between 0 and 1, the smallest strength of the grid over its "
            f"largest, got {eps!r}"
        )
    problem = twin._prepare(X, y, sample_weight, fitting=True)
    grid = alpha_grid(problem, twin.alphas if alphas is None else alphas, eps)
    solutions = list(path_by_target(problem, grid, solve_path, tol=twin.tol))
    coefs, intercepts = [], []
    for solution in solutions:
        twin._unpack(problem, solution.w)
        coefs.append(twin.coef_)
        intercepts.append(twin.intercept_)
    squeeze = hasattr(twin, "classes_") and not problem.n_outputs
    coef_array, b = np.stack(coefs), np.stack(intercepts)
    return Path(
        alphas=grid,
        coefs=coef_array[:, 0] if squeeze else coef_array,
        intercepts=b[:, 0] if squeeze else b,
        gaps=np.array([s.certificate.value for s in solutions]),
        scale=solutions[0].certificate.scale,
        feature_names=twin.terms_,
        statuses=tuple(s.status for s in solutions),
    )
