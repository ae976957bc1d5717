"""The models that a report compares, from the simplest: a constant, L1, elastic net, L2, with a log link
where the target suggests one; discriminants and naive Bayes; a pruned tree, boosted trees, a forest;
neighbours, a kernel machine; a network; and one from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.families import FAMILIES, Family
from empirisk.report.fit.one_rate import OneRate
from empirisk.report.fit.steps import step_of

__all__ = [
    "BASELINE",
    "COMPARES",
    "KINDS",
    "REFERENCE",
    "Candidate",
    "alpha_grid",
    "baseline_label",
    "candidates",
    "estimator_for",
]

BASELINE = "baseline"
REFERENCE = "reference"
GROWN, COMPARES = ("tree", "boosting", "forest"), ("neighbors", "kernel")
RACED = ("bayes", "network")
KINDS = ("linear", *GROWN, *COMPARES, *RACED)
UNITS = {"linear": "non-zero coefficients"} | dict.fromkeys(GROWN, "leaves")
UNITS |= dict.fromkeys(COMPARES, "kept numbers") | {"bayes": "numbers of its laws", "network": "weights"}
PARAMETERS = {"tree": "alpha", "boosting": "rounds", "neighbors": "n_neighbors"}
PARAMETERS |= dict.fromkeys(("linear", "kernel", "network"), "alpha")
LDA = "lda"
# What a model reads where that is not standardised numbers with 0/1 columns for levels and gaps.
ENCODINGS = dict.fromkeys((*GROWN, "categorical_nb", "mixed_nb"), "native")
ENCODINGS |= {"gaussian_nb": "bare", "multinomial_nb": "counts"}


@dataclass(frozen=True)
class Candidate:
    """One row of the table of candidates.

    Parameters
    ----------
    name, label : str
        For programs and for readers.
    role : {"baseline", "candidate", "reference"}
    l1_ratio : float or None
        Share of the L1 penalty; None for models without a penalty.
    family : str
        Name of a family with a log link, "" for the others.
    kind : str
        Which of :data:`KINDS`; "" for the baseline and the reference.
    step : str
        Name of a feature step before the model, "" for none.
    settings : tuple of (str, value)
        What a search chose for parameters of the estimator; empty for those that it has anyway.
    tried : tuple of float
        Values of the parameter that the search tried with them; empty for those of the grid.
    """

    name: str
    label: str
    role: str
    l1_ratio: float | None = None
    family: str = ""
    kind: str = ""
    step: str = ""
    settings: tuple[tuple[str, Any], ...] = ()
    tried: tuple[float, ...] = ()

    @property
    def linear(self) -> bool:
        """Whether there are coefficients, under a penalty that is chosen by cross-validation."""
        return self.kind == "linear"

    @property
    def weighs(self) -> bool:
        """Whether there are coefficients, however they were found."""
        return self.linear or self.name == LDA

    @property
    def raced(self) -> bool:
        """Whether the model leaves as soon as it is seen to be behind the best."""
        return self.kind in RACED

    @property
    def encoding(self) -> str:
        """What the model reads: "native" for levels and gaps as they are, "numbers" for 0/1 columns in their
        place, "bare" for numbers alone, "counts" for numbers that are not standardised.
        """
        return ENCODINGS.get(self.kind, ENCODINGS.get(self.name, "numbers"))

    @property
    def grown(self) -> bool:
        """Whether the model is made of trees."""
        return self.kind in GROWN

    @property
    def compares(self) -> bool:
        """Whether the model keeps training rows, and compares new ones with them."""
        return self.kind in COMPARES

    @property
    def fitted(self) -> bool:
        """Whether the model uses columns; the constant prediction uses none."""
        return bool(self.kind)

    @property
    def parameter(self) -> str:
        """What is chosen by cross-validation, "" for nothing."""
        return PARAMETERS.get(self.kind, "")

    @property
    def unit(self) -> str:
        """What is counted to tell simple from rich: the numbers that the model consists of."""
        if self.name == LDA:
            return UNITS["linear"]
        return step_of(self.step).unit if self.step else UNITS.get(self.kind, "")


def baseline_label(of: str) -> str:
    """Return the label of a constant prediction, under the one name that pages use.

    Examples
    --------
    >>> baseline_label("class shares")
    'Baseline (class shares)'
    """
    return f"Baseline ({of})"


def candidates(
    task: str,
    *,
    family: Family | None = None,
    reference: bool = True,
    kinds: Sequence[str] = KINDS,
    steps: Sequence[str] = (),
    rates: bool = False,
) -> list[Candidate]:
    """Return the candidates of a task, baseline first and the reference last.

    Parameters
    ----------
    task : str
    family : Family or None
        What a numeric target suggests (:func:`empirisk.report.fit.families.suggested_family`).
    reference : bool
        Whether to add the model from outside.
    kinds : sequence of str
        Which kinds of models to try, some of :data:`KINDS`.
    steps : sequence of str
        Feature steps to try before a linear model with an L2 penalty.
    rates : bool
        Whether the rows have exposures.
    """
    if task == "regression":
        rows = [
            Candidate(
                BASELINE,
                baseline_label("one rate for all rows" if rates else "mean of the target"),
                "baseline",
            ),
            Candidate("lasso", "Linear regression (L1, lasso)", "candidate", 1.0, kind="linear"),
            Candidate("elastic_net", "Linear regression (elastic net)", "candidate", 0.5, kind="linear"),
            Candidate("ridge", "Linear regression (L2, ridge)", "candidate", 0.0, kind="linear"),
        ]
        if family is not None:
            of, label = family.name, f"{family.label} ({family.how}"
            rows += [
                Candidate(f"{of}_l1", f"{label}, L1)", "candidate", 1.0, of, "linear"),
                Candidate(f"{of}_l2", f"{label}, L2)", "candidate", 0.0, of, "linear"),
            ]
    else:
        rows = [
            Candidate(BASELINE, baseline_label("class shares"), "baseline"),
            Candidate("logistic_l1", "Logistic regression (L1)", "candidate", 1.0, kind="linear"),
            Candidate("logistic_en", "Logistic regression (elastic net)", "candidate", 0.5, kind="linear"),
            Candidate("logistic_l2", "Logistic regression (L2)", "candidate", 0.0, kind="linear"),
        ]
    plain = next(c for c in rows if c.l1_ratio == 0.0)
    name, model = plain.name, plain.label.partition(" (")[0]
    rows += [
        Candidate(f"{name}_{s}", f"{model} {step_of(s).label} (L2)", "candidate", 0.0, kind="linear", step=s)
        for s in steps
    ]
    if task != "regression":
        rows += [
            Candidate(LDA, "Linear discriminant analysis (shrunk)", "candidate", kind="bayes"),
            Candidate("qda", "Quadratic discriminant analysis (shrunk)", "candidate", kind="bayes"),
            Candidate("gaussian_nb", "Naive Bayes (Gaussian)", "candidate", kind="bayes"),
            Candidate("categorical_nb", "Naive Bayes (categories)", "candidate", kind="bayes"),
            Candidate("multinomial_nb", "Naive Bayes (counts)", "candidate", kind="bayes"),
            Candidate("mixed_nb", "Naive Bayes (columns of several kinds)", "candidate", kind="bayes"),
        ]
    rows += [
        Candidate("tree", "Decision tree (pruned)", "candidate", kind="tree"),
        Candidate("boosting", "Gradient boosting", "candidate", kind="boosting"),
        Candidate("forest", "Random forest", "candidate", kind="forest"),
        Candidate("neighbors", "Nearest neighbours", "candidate", kind="neighbors"),
        Candidate("kernel_ridge", "Kernel ridge regression (Gaussian)", "candidate", kind="kernel")
        if task == "regression"
        else Candidate("svc", "Support vector machine (Gaussian kernel)", "candidate", kind="kernel"),
        Candidate("mlp", "Neural network (two hidden layers)", "candidate", kind="network"),
    ]
    if reference:
        rows.append(Candidate(REFERENCE, "Gradient boosting (scikit-learn)", "reference"))
    return [c for c in rows if not c.fitted or c.kind in kinds]


def alpha_grid(
    candidate: Candidate,
    X: Any,
    y: NDArray,
    n_classes: int,
    size: int,
    weights: NDArray[np.float64] | None = None,
    exposure: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the penalties to try, largest first.

    With an L1 part: from the smallest ``alpha`` at which all coefficients are zero,
    ``max_j |x_j'(y - mean y)| / (n l1_ratio)``, down to a ten-thousandth of it, or to a hundredth where
    there are fewer than five rows for each coefficient (less would fit the rows themselves). L2 alone:
    from 10 to 1e-6, for columns that are standardised. Of a family, both are in units of its loss.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
    y : array of shape (n,)
        Class codes or numbers.
    n_classes : int
        0 for a regression.
    size : int
        Number of penalties.
    weights : array of shape (n,), optional
        What each row counts.
    exposure : array of shape (n,), optional
        Over how much each row was counted.
    """
    ratio = candidate.l1_ratio or 0.0
    family = FAMILIES.get(candidate.family)
    mean = float(np.average(y, weights=weights))
    if ratio == 0.0:
        return np.logspace(1.0, -6.0, size) * (family.curvature_scale(mean) if family else 1.0)
    target = np.eye(n_classes)[y] if n_classes else y[:, None]
    constant = np.average(target, axis=0, weights=weights)
    if exposure is not None:  # without columns each row has its part of the whole count
        constant = constant * (exposure / np.average(exposure, weights=weights))[:, None]
    away = target - constant
    if weights is not None:
        away = away * (weights / weights.mean())[:, None]
    slope = np.asarray(X.T @ away) / y.size
    top = float(np.abs(slope).max(initial=0.0)) / ratio
    top *= family.slope_scale(mean) if family else 1.0
    return max(top, 1e-12) * np.logspace(
        0.0, -4.0 if y.size >= 5 * X.shape[1] * target.shape[1] else -2.0, size
    )


def estimator_for(candidate: Candidate, task: str, alpha: float, rates: bool = False) -> Any:
    """Return the unfitted estimator of a linear candidate, or scikit-learn's constant for the baseline.

    That of `rates`, where the rows have exposures, is one rate times the exposure of the row.
    """
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if not candidate.linear:
        if rates:
            return OneRate()
        if recent := dict(candidate.settings):
            from empirisk.report.fit.recent import RecentMean, RecentShares

            return RecentMean(**recent) if task == "regression" else RecentShares(**recent)
        return DummyRegressor() if task == "regression" else DummyClassifier(strategy="prior")
    ratio = float(candidate.l1_ratio or 0.0)
    if task != "regression":
        from empirisk.estimators.linear.glm import LogisticRegression

        return LogisticRegression(alpha=alpha, l1_ratio=ratio)
    if candidate.family:
        return FAMILIES[candidate.family].estimator(alpha, ratio)
    from empirisk.estimators.linear.linear import ElasticNet, Lasso, Ridge

    if ratio == 0.0:
        return Ridge(alpha=alpha)
    return Lasso(alpha=alpha) if ratio == 1.0 else ElasticNet(alpha=alpha, l1_ratio=ratio)
