"""The pruning sequence of a tree as users read it, with its cross-validated risk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from empirisk.data.tabular import Tabular
from empirisk.results import Estimate
from empirisk.typing import Array, IndexArray

__all__ = ["CostComplexityPath"]

SHOWN = 10  # subtrees in the table of a notebook
# Risks that differ by less, relative to the largest one, differ by rounding alone.
TIE = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class CostComplexityPath(Tabular):
    """The nested subtrees that minimise ``R(T) + alpha |leaves of T|``, from the largest to the root.

    Parameters
    ----------
    alpha : array, shape (K,)
        Increasing; entry k is optimal for every strength in ``[alpha[k], alpha[k + 1])``.  rpart's ``cp`` is
        ``alpha / risk[-1]``, scikit-learn's ``ccp_alpha`` is alpha when `loss` is the criterion.
    n_leaves : array, shape (K,)
        Leaves of each subtree.
    risk : array, shape (K,)
        Mean loss on the training rows.
    loss : str
        Which loss: "misclassification" or a criterion.
    cv_alpha : array, shape (K,), or None
        Geometric means of neighbouring strengths, at which the trees of the folds were pruned.
    cv_risk, cv_se : arrays, shape (K,), or None
        Mean loss on held-out rows, and its standard error over rows.
    n, folds : int
        Rows (equal ones that are left out together count once), and folds.
    rule : {"one_se", "min"}
        Which entry `index` is.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(40.0)[:, None]
    >>> path = er.DecisionTreeRegressor().cost_complexity_path(X, (X[:, 0] > 19.5) * 1.0)
    >>> path.n_leaves, path.risk
    (array([2, 1]), array([0.  , 0.25]))
    """

    alpha: Array
    n_leaves: IndexArray
    risk: Array
    loss: str
    cv_alpha: Array | None = None
    cv_risk: Array | None = None
    cv_se: Array | None = None
    n: int = 0
    folds: int = 0
    rule: str = "one_se"

    @property
    def index_min(self) -> int:
        """The entry of the smallest held-out risk; of equal ones the smallest tree."""
        risk = self._held_out()[0]
        return int(np.flatnonzero(risk <= risk.min() + TIE * risk.max())[-1])

    @property
    def index_one_se(self) -> int:
        """The smallest tree whose held-out risk is within one standard error of the smallest one."""
        risk, se = self._held_out()
        best = self.index_min
        return int(np.flatnonzero(risk <= risk[best] + se[best] + TIE * risk.max())[-1])

    @property
    def index(self) -> int:
        """The entry that the rule chooses."""
        return self.index_one_se if self.rule == "one_se" else self.index_min

    def estimate(self, entry: int | None = None, level: float = 0.95) -> Estimate:
        """Held-out risk of an entry (default: of the chosen one), ``R -+ z se sqrt(1 + K / (K - 1))``.

        The factor is Nadeau and Bengio's for K folds that share their training rows; with `se` alone the
        interval would cover the risk of the pruned tree in 80 to 92 of 100 cases instead of 95, since the
        folds are dependent and the same rows choose the size.

        Parameters
        ----------
        entry : int, optional
            Which one.
        level : float, default 0.95
            Coverage.

        References
        ----------
        C. Nadeau, Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003).
        """
        risk, se = self._held_out()
        k = self.index if entry is None else entry
        shared = np.sqrt(1.0 + self.folds / (self.folds - 1.0)) if self.folds > 1 else 1.0
        value, half = float(risk[k]), float(ndtri(0.5 + 0.5 * level) * se[k] * shared)
        method = f"{self.folds}-fold cross-validation, Nadeau-Bengio"
        target = f"{self.loss} of a tree grown and pruned so, on new rows"
        if half == 0.0:
            reason = "all held-out rows have the same loss"
            return Estimate(value, None, None, level, self.n, method, reason, target)
        return Estimate(value, max(0.0, value - half), value + half, level, self.n, method, "", target)

    def plot(self, ax: Any = None) -> Any:
        """Draw the training and the held-out risk against the number of leaves; returns the Plot."""
        from empirisk.plots.cost_complexity import CostComplexityDisplay

        return CostComplexityDisplay(self).plot(ax)

    def _held_out(self) -> tuple[Array, Array]:
        if self.cv_risk is None or self.cv_se is None:
            raise ValueError('this path has no held-out risk: ask for it by alpha="cv", or pass cv=10')
        return self.cv_risk, self.cv_se

    def _columns(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {
            "alpha": self.alpha.tolist(),
            "n_leaves": self.n_leaves.tolist(),
            "risk": self.risk.tolist(),
        }
        if self.cv_risk is not None and self.cv_se is not None:
            out |= {"cv_risk": self.cv_risk.tolist(), "cv_se": self.cv_se.tolist()}
            out["chosen"] = [k == self.index for k in range(len(self))]
        return out

    def _shown(self) -> dict[str, list[Any]]:
        spread = np.linspace(0, len(self) - 1, min(SHOWN, len(self))).round().astype(int).tolist()
        known = self.cv_risk is not None
        rows = sorted({*spread, *([self.index, self.index_min] if known else [])})
        table: dict[str, list[Any]] = {
            name: getattr(self, name)[rows].tolist() for name in ("n_leaves", "alpha", "risk")
        }
        if known:
            table["held-out risk"] = [self.estimate(k) for k in rows]
            table["which"] = ["chosen" if k == self.index else "" for k in rows]
        return table

    def _notes(self) -> list[str]:
        more = len(self) - len(self._shown()["alpha"])
        return [f"... and {more} more; .to_frame() holds them all."] if more > 0 else []

    def __len__(self) -> int:
        return len(self.alpha)

    @property
    def title(self) -> str:
        """The sizes, the loss, and which subtree the rule takes."""
        said = f"{len(self)} subtrees from {self.n_leaves[0]} leaves to 1, {self.loss}"
        if self.cv_risk is not None:
            said += f"; {self.n_leaves[self.index]} leaves by rule {self.rule!r}: {self.estimate()}"
        return said

    def __repr__(self) -> str:
        return f"CostComplexityPath({self.title})"
