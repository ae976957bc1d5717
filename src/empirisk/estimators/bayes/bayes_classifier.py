"""The best rule for a joint law that is known, with the risk that no rule can do better than."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.seeds import check_seed
from empirisk.data.validated import validated
from empirisk.estimators.bayes.bayes_risk import bayes_risk, drawn, posterior
from empirisk.estimators.bayes.joint_law import JointLaw
from empirisk.estimators.checks import check_count, check_finite, check_weights
from empirisk.estimators.discriminant.posterior_answers import PosteriorAnswers
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.label_codes import encode_labels
from empirisk.results import Certificate, Estimate, Solution, Status, unconfirmed
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["BayesClassifier"]


class BayesClassifier(PosteriorAnswers, Estimator):
    """The rule of the least risk under a joint law that is known, and that risk.

    ``g(x) = argmin_a sum_k c_ka P(k | x)`` with ``P(k | x) = pi_k p_k(x) / sum_l pi_l p_l(x)``; with costs 0
    and 1 this is the likeliest class, and the Bayes risk is ``R* = 1 - E max_k P(k | x)``.

    Parameters
    ----------
    model : mapping from labels to laws
        For each of at least 2 labels the law of its rows: one of :mod:`er.distributions`, or an object with
        ``log_prob(X)`` and ``sample(size, random_state)``.
    priors : mapping or array, shape (K,), optional
        Chances of the classes, by label or in sorted order of the labels; all equal by default.
    costs : array, shape (K, K), optional
        Row k, column a: the cost of answering a for a row of class k, in sorted order of the labels; 0 on the
        diagonal and 1 elsewhere by default.
    n_draws : int >= 2, default 100000
        Draws of the law for the Bayes risk, where it is not known exactly.
    level : float in (0, 1), default 0.95
        Of the interval of the Bayes risk from draws.
    random_state : int, Generator, RandomState or None, default None
        Seed of the draws; None is 0.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    priors_ : array, shape (K,)
        Chances of the classes.
    costs_ : array, shape (K, K)
        Costs of the answers.
    bayes_risk_ : Estimate
        The least risk: exact for two Gaussians of one covariance (closed form) and for laws of whole numbers
        (a sum), to about 1e-12 for laws of one number with a ``cdf`` and a ``quantile``, and a mean over
        draws with an interval for others.  Where a density has a pole beside which floats lie far apart, such
        as that of ``Beta(0.5, 0.5)`` at 1, the mass between two floats stays open, as ``low`` tells.
    certificate_ : Certificate
        EXACT or MONTE_CARLO: how far ``bayes_risk_`` can be from the least risk.

    Raises
    ------
    ValueError
        For laws with rows of unlike lengths, densities beside chances, priors and costs that fit no classes;
        in ``fit`` for rows of another length than the laws', and labels that are no class of the model.

    Notes
    -----
    Nothing is learned: ``fit()`` takes no rows, and where it is given some it checks their columns and labels
    alone.  The mean over draws does not use their labels: ``1 - E max_k P(k | x)`` has the expectation of the
    share of errors and less variance, because it is that share's expectation at each x.  Its interval holds
    for any number of draws, by the bound of Maurer and Pontil.

    References
    ----------
    Devroye, Gyorfi and Lugosi, A Probabilistic Theory of Pattern Recognition (1996), chapter 2.

    Examples
    --------
    >>> import empirisk as er
    >>> from empirisk.distributions import Gaussian
    >>> rule = er.BayesClassifier({"low": Gaussian(-1.0), "high": Gaussian(1.0)}).fit()
    >>> rule.predict([[-0.3], [0.2]]).tolist(), round(rule.bayes_risk_.value, 4)  # Phi(-1)
    (['low', 'high'], 0.1587)
    """

    classes_: Any
    priors_: Array
    costs_: Array
    bayes_risk_: Estimate
    n_features_in_: int
    solution_: Solution
    _why_lost = "has the density 0 in every class of the model"
    _mend = "give a model that can draw it"

    def __init__(
        self,
        model: Any = None,
        priors: Any = None,
        costs: Any = None,
        *,
        n_draws: int = 100_000,
        level: float = 0.95,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Self:
        """Compute the Bayes risk of the model; rows are checked against it, and nothing is learned from them.

        Parameters
        ----------
        X : array or data frame, shape (n, p), optional
            Rows of as many numbers as the laws have.
        y : array, shape (n,), optional
            Labels, all of them classes of the model.
        sample_weight : array, shape (n,), optional
            Weights >= 0, which change nothing.

        Returns
        -------
        self
        """
        with as_before(self):
            law = JointLaw.of(self.model, self.priors)
            draws = check_count("n_draws", self.n_draws, 2)
            level = check_level(self.level)
            self.costs_ = checked_costs(self.costs, len(law.labels))
            self._law, self.classes_, self.priors_ = law, law.labels, law.priors
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = law.columns
            if X is not None:
                self._check_rows(X, y, sample_weight)
            self.bayes_risk_, certificate = bayes_risk(
                law, self.costs_, draws, level, check_seed(self.random_state)
            )
            self.solution_ = Solution(np.zeros(0), Status.COMPLETED, certificate, 0)
        return self

    def _check_rows(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Refuse rows of another length than the laws', and labels that are no class of the model."""
        X = self._read(X, reset=True)
        if X.shape[1] != self._law.columns:
            raise ValueError(
                f"X has {X.shape[1]} columns and the laws of model have rows of {self._law.columns} numbers; "
                "give the columns that the model is about"
            )
        if y is not None:
            encode_labels(y, self.classes_, unknown="is no class of the model")
        check_weights(sample_weight, X.shape[0])
        if y is not None and np.shape(y)[0] != X.shape[0]:
            raise ValueError(f"y has {np.shape(y)[0]} labels and X {X.shape[0]} rows; one label each")

    def _read(self, X: Any, reset: bool) -> Any:
        with numbers_only(X):
            X = validated(self, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        return X

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._read(X, reset=False)

    def _joint(self, X: Any) -> Array:
        return self._law.log_joint(X)

    def decision_function(self, X: Any) -> Array:
        """Return what decides: with costs 0 and 1 ``log P(1 | x) - log P(0 | x)`` of two classes, else
        scores.

        With other costs it is what the second answer saves of two, or minus the expected cost of each answer.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        if self.costs is None:
            return super().decision_function(X)
        cost = posterior(self._scores(self._checked(X))) @ self.costs_
        return np.asarray(cost[:, 0] - cost[:, 1] if cost.shape[1] == 2 else -cost)

    def predict_proba(self, X: Any) -> Array:
        """Return the posterior chances ``P(k | x)``, shape (m, K), in the order of ``classes_``.

        Parameters
        ----------
        X : array or data frame, shape (m, p)
        """
        return super().predict_proba(X) if self.costs is None else posterior(self._scores(self._checked(X)))

    def sample(self, size: int, random_state: Any = None) -> tuple[Array, Any]:
        """Return rows and labels that are drawn from the model, shapes (size, p) and (size,).

        Parameters
        ----------
        size : int >= 1
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed; None is 0.
        """
        check_is_fitted(self)
        rng = np.random.default_rng(check_seed(random_state))
        X, codes = self._law.sample(check_count("size", size, 1), rng)
        return X, self.classes_[codes]

    @property
    def certificate_(self) -> Certificate:
        """How far ``bayes_risk_`` can be from the least risk, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate where draws of the law agree with the exact risk."""
        self._read(X, reset=False)
        again, error = drawn(self._law, self.costs_, 100_000, 0.999_999, check_seed(self.random_state) + 1)
        stated = self.bayes_risk_.value
        if not abs(again.value - stated) <= 6.0 * error.value + 1e-9:
            return unconfirmed(f"bayes_risk_ is {again.value:.6g} by 100,000 draws, not {stated:.6g}")
        return self.certificate_


def checked_costs(costs: Any, K: int) -> Array:
    """Return the costs of answers: as given, or 0 for the right one and 1 for others.

    Examples
    --------
    >>> checked_costs(None, 2).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if costs is None:
        return np.ones((K, K)) - np.eye(K)
    try:
        told = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError):
        told = np.zeros(0)
    if told.shape != (K, K) or not np.isfinite(told).all():
        raise ValueError(f"costs must be {K} by {K} finite numbers, a row for each class, got {costs!r}")
    return told
