"""What conformal sets promise, in a sentence with its numbers: by which theorem, for which rows."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.data.conformal_order import conformal_rank

__all__ = ["Claim", "fold_loss"]


@dataclass(frozen=True)
class Claim:
    """How sets were made, as far as their guarantee asks.

    Parameters
    ----------
    n : int
        Calibration rows.
    folds : int
        Models: 1 for a fitted one.
    groups : int
        Groups of rows that belong together; 0 where rows stand alone.
    categories : int
        Of `by`; 0 without.
    effective : float
        ``(sum w)^2 / sum w^2`` of weights under covariate shift; 0 without.

    Examples
    --------
    >>> Claim(99).sentence(0.9)[:50]
    'P(covered) >= 0.9, and <= 0.9 without ties, for ne'
    """

    n: int
    folds: int = 1
    groups: int = 0
    categories: int = 0
    effective: float = 0.0

    @property
    def scheme(self) -> str:
        """The name of the way: split, jackknife+ or CV+."""
        units = self.groups or self.n
        return "split" if self.folds == 1 else "jackknife+" if self.folds == units else "CV+"

    @property
    def made(self) -> str:
        """How the sets were made, in some words."""
        by = f", by {self.categories} categories" if self.categories else ""
        tied = f" in {self.groups} groups" if self.groups else ""
        shifted = f", weighted ({self.effective:.0f} effective rows)" if self.effective else ""
        models = f", {self.folds} models" if self.folds > 1 else ""
        return f"{self.scheme} conformal, {self.n} calibration rows{tied}{models}{by}{shifted}"

    @property
    def plain(self) -> bool:
        """Whether one model scored rows that stand alone, all alike: the case with an exact law."""
        return self.folds == 1 and not (self.groups or self.categories or self.effective)

    def least(self, level: float) -> float | None:
        """Return the proved bound of the coverage; None where no theorem is known for the way."""
        if self.scheme == "split":
            return level
        if self.scheme == "jackknife+":
            # Rows of a category are exchangeable given all categories, so that the proof holds within each.
            return max(0.0, 2.0 * level - 1.0)
        return (
            None
            if self.groups or self.categories
            else max(0.0, 2.0 * level - 1.0 - fold_loss(self.n, self.folds))
        )

    def sentence(self, level: float) -> str:
        """Return the guarantee at a level: its bound, for which rows, and what it rests on."""
        least = self.least(level)
        if least is None:
            head = f"About {level:g} of new rows are covered in practice; no bound is proved for folds"
            return f"{head} {'with categories' if self.categories else 'of several groups'}."
        tail = "; on average over rows and calibration samples, not for each x."
        inside = f" in each of {self.categories} categories" if self.categories else ""
        if self.effective:
            return (
                f"P(covered) >= {level:g}{inside} for new rows whose law of x is that of the calibration "
                "rows times `weights`, if these are the true ratio and the law of y given x is the "
                f"same{tail}"
            )
        rows = f"the {self.n} calibration rows" if self.folds == 1 else f"the {self.n} rows"
        if self.groups:
            rows = f"one row, drawn at random, of a new group like the {self.groups} groups"
        else:
            rows = f"new rows exchangeable with {rows}"
        if self.scheme != "split":
            equal = "proved for folds of equal size, " if self.scheme == "CV+" else ""
            about = f"({equal}about {level:g} in practice)"
            return f"P(covered) >= {least:.4g}{inside} {about} for {rows}, whatever the model{tail}"
        if self.groups or self.categories:
            return f"P(covered) >= {level:g}{inside} for {rows}, whatever the model{tail}"
        k = conformal_rank(self.n, level)
        most = f", and <= {min(1.0, k / (self.n + 1)):.4g} without ties," if k <= self.n else ""
        return f"P(covered) >= {level:g}{most} for {rows}, whatever the model{tail}"


def fold_loss(n: int, folds: int) -> float:
    """``min(2 (1 - 1/K) / (n/K + 1), (1 - K/n) / (K + 1))``: what CV+ may lose beyond jackknife+.

    For K folds of equal size; at most ``sqrt(2/n)``. Barber, Candes, Ramdas and Tibshirani, Annals of
    Statistics 49 (2021), theorem 4.

    Examples
    --------
    >>> fold_loss(100, 100), fold_loss(100, 10) < (2 / 100) ** 0.5
    (0.0, True)
    """
    k = float(folds)
    return min(2.0 * (1.0 - 1.0 / k) / (n / k + 1.0), (1.0 - k / n) / (k + 1.0))
