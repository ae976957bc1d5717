"""Which of several dictionaries of classifiers to use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from numpy.typing import ArrayLike

from empirisk.data.as_before import as_before
from empirisk.search.structural.base import Structural, name_all
from empirisk.search.structural.capacity import FixedClassifiers


class DictionarySelector(Structural):
    """Choose among dictionaries (sets of classifiers) by training error plus penalty.

    ``m_hat = argmin_m R_n(h_m) + pen(H_m)``, ``h_m = argmin over H_m of R_n``,
    ``pen(H) = 2 sqrt(2 log(2 S_n(H))/n)``, ``S_n`` the shattering coefficient.

    With probability ``1 - e^-t`` the choice satisfies
    ``R <= min_m (inf over H_m of R + 2 pen(H_m)) + sqrt((2 log M + 2 t)/n)``, and
    ``|R - R_n| <= pen(H_m) + sqrt((log M + t)/(2 n))`` holds in all dictionaries at once. They need not be
    nested.

    Parameters
    ----------
    dictionaries : mapping or list
        Name to dictionary. A dictionary is a class of :mod:`empirisk.hypotheses`; a list of classifiers
        that were fixed beforehand (fitted ones, or functions from rows to labels); or an estimator, for the
        linear classifiers of its features.
    vc_dimensions : mapping of str to int, optional
        Declared VC dimensions of dictionaries whose own is not known.
    delta : float in (0, 1), default 0.05
        ``e^-t``.
    penalty : {"notes", "tight"}, default "notes"
        The formula above, or the smaller one of :class:`StructuralRiskMinimizer`.

    Attributes
    ----------
    estimator_ : the chosen classifier
    chosen_ : str
    risk_certificate_ : RiskCertificate
    result_ : StructuralChoice
        Every dictionary with its error, penalty and bound, and the oracle inequality where every fit is
        proved to be a minimiser of the training error.

    Notes
    -----
    Cost: one fit for each dictionary; a list of classifiers is tried member by member.

    References
    ----------
    Giraud 2013, Mathematical foundations of statistical learning, theorem on the choice of a dictionary (with
    n in place of M in the remainder, as the proof has it).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from empirisk.hypotheses import Thresholds
    >>> x = np.random.default_rng(0).uniform(size=(5000, 1))
    >>> y = (x[:, 0] > 0.3).astype(int)
    >>> rules = [lambda x: (x[:, 0] > 0.5).astype(int), lambda x: (x[:, 0] < 0.5).astype(int)]
    >>> choice = er.selection.DictionarySelector({"rules": rules, "thresholds": Thresholds()}).fit(x, y)
    >>> choice.chosen_
    'thresholds'
    """

    def __init__(
        self, dictionaries: Any, *, vc_dimensions: Any = None, delta: float = 0.05, penalty: str = "notes"
    ) -> None:
        self.dictionaries = dictionaries
        self.vc_dimensions = vc_dimensions
        self.delta = delta
        self.penalty = penalty

    def _named(self) -> list[tuple[str, Any]]:
        return [(name, _as_estimator(name, d)) for name, d in name_all(self.dictionaries, "dictionaries")]

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the best classifier of each dictionary and choose.

        Parameters
        ----------
        X : table of shape (n, p)
            Rows, drawn independently.
        y : array of shape (n,)
            Two labels.

        Returns
        -------
        self
        """
        with as_before(self):
            X, labels = self._prepare(X, y)
            named = self._named()
            known = dict(self.vc_dimensions or {})
            strange = set(known) - {name for name, _ in named}
            if strange:
                raise ValueError(f"vc_dimensions names {sorted(strange)}, which are no dictionaries.")
            self._by_bound(X, labels, named, [known.get(name) for name, _ in named])
            self._learn_columns(self.estimator_)
        return self


def _as_estimator(name: str, dictionary: Any) -> Any:
    """Return a dictionary as something that can be fitted."""
    if hasattr(dictionary, "fit"):
        return dictionary
    if isinstance(dictionary, Sequence) and len(dictionary) and not isinstance(dictionary, str):
        bad = [m for m in dictionary if not (hasattr(m, "predict") or callable(m))]
        if not bad:
            return FixedClassifiers(_Kept(dictionary))
    raise TypeError(
        f"dictionary {name!r} must be a hypothesis class, an estimator, or a list of fitted classifiers or "
        "functions that give labels."
    )


class _Kept(tuple[Any, ...]):
    """Members that ``clone`` must not touch: they are fitted already."""

    __slots__ = ()

    def __sklearn_clone__(self) -> _Kept:
        return self
