"""Structural risk minimisation over a sequence of classes.

Vapnik and Chervonenkis (1974); Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), theorem
7.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from empirisk.data.as_before import as_before
from empirisk.data.seeds import generator_of
from empirisk.evaluation.metrics.predictions import encode
from empirisk.evaluation.rows import take_rows
from empirisk.evaluation.splits.deal import deal_rows
from empirisk.results import Assumption, RiskCertificate
from empirisk.search.structural.base import Structural, name_all
from empirisk.search.structural.capacity import Capacity
from empirisk.search.structural.choice import Row, StructuralChoice
from empirisk.search.structural.penalty import validation_slack

METHODS = ("bound", "validation")


class StructuralRiskMinimizer(Structural):
    """Choose among classes of growing capacity by training error plus what the capacity costs.

    ``m_hat = argmin_m R_n(h_m) + sqrt(2 log S_n(H_m)/n) + sqrt(log(M/delta)/(2 n))``

    and the minimum bounds the risk of the choice with probability ``1 - delta``. With
    ``method="validation"`` each fit on a part of the rows is charged its error on the rest:
    ``R <= R_v + sqrt(log(2 M/delta)/(2 m_v))``.

    Parameters
    ----------
    estimators : list of estimators or of (name, estimator)
        One for each class, from the poorest to the richest: classes of :mod:`empirisk.hypotheses`, linear
        classifiers (also behind ``PolynomialFeatures`` and scalers), or any with a declared dimension.
    method : {"bound", "validation"}, default "bound"
        Charge by theorem (two classes, all rows fitted), or by held-out rows (any number of classes; usually
        far tighter).
    vc_dimensions : list of int or None, optional
        Declared VC dimensions; None entries are computed.
    delta : float in (0, 1), default 0.05
        Probability with which the certificate may fail.
    penalty : {"tight", "notes"}, default "tight"
        The formula above, or the two-sided ``2 sqrt(2 log(2 S_n)/n)`` in place of its middle term.
    validation_size : float in (0, 1), default 0.3
        Share of the rows that validate.
    random_state : int, Generator, RandomState or None, default None
        Seed of that split.

    Attributes
    ----------
    estimator_ : the chosen classifier
    chosen_ : str
    risk_certificate_ : RiskCertificate
    result_ : StructuralChoice
        Every class with its error, penalty and bound, and the oracle inequality where every fit is proved
        to be a minimiser of the training error.

    Raises
    ------
    ValueError
        A dimension that is neither known nor declared, classes that do not grow, more than two labels
        with ``method="bound"``.

    Notes
    -----
    The bound is about the 0-1 loss of any member of the classes, so it holds for fits that minimise a
    surrogate; the oracle inequality does not. Cost: one fit for each class.

    References
    ----------
    Vapnik & Chervonenkis 1974; Shalev-Shwartz & Ben-David 2014, theorem 7.4; Giraud 2013 (penalty="notes").

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from empirisk.hypotheses import Thresholds, Intervals
    >>> x = np.random.default_rng(0).uniform(size=(2000, 1))
    >>> y = (np.abs(x[:, 0] - 0.5) < 0.2).astype(int)
    >>> srm = er.selection.StructuralRiskMinimizer([Thresholds(), Intervals()]).fit(x, y)
    >>> srm.chosen_, srm.risk_certificate_.value < 0.2
    ('Intervals', True)
    """

    def __init__(
        self,
        estimators: Any,
        *,
        method: str = "bound",
        vc_dimensions: Sequence[float | None] | None = None,
        delta: float = 0.05,
        penalty: str = "tight",
        validation_size: float = 0.3,
        random_state: Any = None,
    ) -> None:
        self.estimators = estimators
        self.method = method
        self.vc_dimensions = vc_dimensions
        self.delta = delta
        self.penalty = penalty
        self.validation_size = validation_size
        self.random_state = random_state

    def _named(self) -> list[tuple[str, Any]]:
        return name_all(self.estimators, "estimators")

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit every class and choose.

        Parameters
        ----------
        X : table of shape (n, p)
            Rows, drawn independently.
        y : array of shape (n,)
            Labels.

        Returns
        -------
        self
        """
        with as_before(self):
            X, labels = self._prepare(X, y)
            named = self._named()
            declared = self.vc_dimensions
            if declared is None:
                declared = [None] * len(named)
            elif len(declared) != len(named):
                raise ValueError(f"vc_dimensions has {len(declared)} entries for {len(named)} classes.")
            if self.method not in METHODS:
                raise ValueError(f'method must be "bound" or "validation", got {self.method!r}.')
            if self.method == "bound":
                self._by_bound(X, labels, named, declared)
            else:
                self._by_validation(X, labels, named)
            self._learn_columns(self.estimator_)
        return self

    def _look_at(self, found: Sequence[Capacity], names: Sequence[str]) -> None:
        for k in range(1, len(found)):
            if found[k].vc < found[k - 1].vc:
                raise ValueError(
                    f"estimators must go from the poorest class to the richest: {names[k]} has VC dimension "
                    f"{found[k].vc:g}, {names[k - 1]} before it {found[k - 1].vc:g}. For classes in no order "
                    "use DictionarySelector."
                )

    def _by_validation(self, X: Any, y: NDArray[Any], named: Sequence[tuple[str, Any]]) -> None:
        if not 0.0 < self.validation_size < 1.0:
            raise ValueError(f"validation_size must lie in (0, 1), got {self.validation_size!r}.")
        shares = np.array([1.0 - self.validation_size, self.validation_size])
        part = deal_rows(encode(y, self.classes_), shares, generator_of(self.random_state))
        train, held = np.flatnonzero(part == 0), np.flatnonzero(part == 1)
        if min(train.size, held.size) == 0:
            raise ValueError(f"n_samples = {y.size} are too few to hold {self.validation_size:g} of it out.")
        models = [clone(est).fit(take_rows(X, train), y[train]) for _, est in named]
        slack = validation_slack(held.size, len(named), self.delta)
        X_new = take_rows(X, held)
        errors = [float(np.mean(np.asarray(m.predict(X_new)) != y[held])) for m in models]
        rows = tuple(
            Row(name, math.nan, e, slack, 2.0 * slack) for (name, _), e in zip(named, errors, strict=True)
        )
        chosen = int(np.argmin(errors))
        certificate = RiskCertificate(
            "validation set, Hoeffding and a union bound",
            min(1.0, rows[chosen].bound),
            errors[chosen],
            self.delta,
            int(held.size),
            (
                Assumption("the rows are drawn independently"),
                Assumption(f"{held.size} rows had no part in any fit", "computed"),
            ),
            rows[chosen].bound >= 1.0,
            risk="0-1 loss",
            measured_on="test rows",
        )
        self.estimator_ = models[chosen]
        self.result_ = StructuralChoice(rows, chosen, certificate, "validation error", "")
