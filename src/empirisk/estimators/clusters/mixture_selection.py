"""Which number of parts a criterion takes, and how far behind the others are.

``BIC = d log n - 2 L``, ``AIC = 2 d - 2 L`` and ``ICL = BIC - 2 sum_i s_i log max_k r_ik`` (Biernacki, Celeux
and Govaert, IEEE Transactions on Pattern Analysis and Machine Intelligence 22, 2000), d being the free
parameters, L the log-likelihood, r the chances of the parts; the smallest wins.  Differences of two criteria
are sums over the rows and a constant.  Their standard error is that of the sum, with both fits held as they
are (Vuong, Econometrica 57, 1989): it says what other rows of the same kind would do to the difference, not
what fitting them anew would.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.estimators.checks import check_choice, is_count
from empirisk.typing import Array

__all__ = ["MixtureSelection", "criterion_of", "numbers_of"]

WORDS = {"bic": "bic", "icl": "icl", "aic": "aic"}
MOST = 9  # numbers of components that a word alone asks for


@dataclass(frozen=True, eq=False, repr=False)
class MixtureSelection(Brief):
    """The criterion of every number of components.

    Parameters
    ----------
    criterion : {"bic", "icl", "aic"}
    n_components : tuple of int
        The numbers that have a fit.
    values : array
        The criterion of each; the smallest wins.
    log_likelihood : array
    n_parameters : tuple of int
        Free numbers.
    difference, standard_error : array
        Value less the smallest, and the standard error of that difference with both fits held as they are.
    singular : dict
        Numbers without a fit, and why.

    Examples
    --------
    >>> import numpy as np
    >>> two = np.array([0.0, 1.0])
    >>> print(MixtureSelection("bic", (1, 2), two + 9.0, -two, (2, 5), two, 3.0 * two, {}).sentence)
    BIC takes 1 component; it cannot tell 2 apart from that (1 behind, standard error 3)
    """

    criterion: str
    n_components: tuple[int, ...]
    values: Array
    log_likelihood: Array
    n_parameters: tuple[int, ...]
    difference: Array
    standard_error: Array
    singular: dict[int, str]

    @property
    def best(self) -> int:
        """The number with the smallest value."""
        return self.n_components[int(np.argmin(self.values))]

    @property
    def low(self) -> Array:
        """Lower ends of the 95 % intervals of the differences."""
        return self.difference - 1.96 * self.standard_error

    @property
    def high(self) -> Array:
        """Upper ends of the 95 % intervals of the differences."""
        return self.difference + 1.96 * self.standard_error

    @property
    def open(self) -> tuple[int, ...]:
        """Other numbers whose interval holds 0, so that these rows do not tell them from the best."""
        pairs = zip(self.n_components, self.low, strict=True)
        return tuple(k for k, low in pairs if k != self.best and low <= 0.0)

    @property
    def sentence(self) -> str:
        """What was chosen, how far the next is, and what has no fit."""
        word, best = self.criterion.upper(), self.best
        told = f"{word} takes {best} component{'' if best == 1 else 's'}"
        order = np.argsort(self.difference, kind="stable")
        if len(order) > 1:
            j = int(order[1])
            behind = f"{self.difference[j]:.3g} behind, standard error {self.standard_error[j]:.2g}"
            if self.open:
                listed = ", ".join(map(str, self.open))
                shown = behind if len(self.open) == 1 else f"the next, {self.n_components[j]}, is {behind}"
                told += f"; it cannot tell {listed} apart from that ({shown})"
            else:
                told += f"; the next, {self.n_components[j]}, is {behind}"
        if self.singular:
            told += f"; without a fit: {', '.join(map(str, self.singular))} (degenerate)"
        return told

    def plot(self, ax: Any = None) -> Any:
        """Draw the criterion against the number of components; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.mixture_criterion import MixtureCriterionDisplay

        return MixtureCriterionDisplay(
            {
                "criterion": self.criterion,
                "n_components": list(self.n_components),
                "difference": self.difference.tolist(),
                "low": self.low.tolist(),
                "high": self.high.tolist(),
                "best": self.best,
                "open": list(self.open),
                "singular": sorted(self.singular),
            }
        ).plot(ax)


def numbers_of(given: Any, criterion: Any) -> tuple[list[int], str]:
    """Return the numbers of components that are to be tried, and the criterion that chooses.

    Parameters
    ----------
    given : int, list of int, or a criterion's name
    criterion : {"bic", "icl", "aic"}
        For lists.

    Examples
    --------
    >>> numbers_of("icl", "bic")
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], 'icl')
    """
    word = check_choice("criterion", criterion, WORDS)
    if isinstance(given, str):
        if given not in WORDS:
            raise ValueError(
                f'n_components must be an integer >= 1, a list of them, "bic", "icl" or "aic", got {given!r}'
            )
        return list(range(1, MOST + 1)), given
    numbers = [given] if not isinstance(given, list | tuple | range | np.ndarray) else list(given)
    if not numbers or not all(is_count(k, 1) for k in numbers):
        raise ValueError(
            f'n_components must be an integer >= 1, a list of them, "bic", "icl" or "aic", got {given!r}'
        )
    return sorted({int(k) for k in numbers}), word


def criterion_of(
    word: str,
    values: dict[int, Array],
    weight: Array,
    log_likelihood: dict[int, float],
    free: dict[int, int],
    singular: dict[int, str],
) -> MixtureSelection:
    """Return the criterion of each number from what each row gives to it.

    Parameters
    ----------
    word : {"bic", "icl", "aic"}
    values : dict of array, shape (n,)
        ``log f``, and for ICL the logarithm of the largest chance beside.
    weight : array, shape (n,)
    log_likelihood, free : dict
    singular : dict
    """
    n = float(weight.sum())
    live = weight > 0.0
    price = 2.0 if word == "aic" else float(np.log(n))
    total = {k: free[k] * price - 2.0 * float(weight[live] @ v[live]) for k, v in values.items()}
    best = min(total, key=lambda k: (total[k], k))
    error = []
    for v in values.values():
        d = (v - values[best])[live]
        mean = float(weight[live] @ d) / n
        error.append(2.0 * float(np.sqrt(weight[live] @ (d - mean) ** 2)))
    found = np.array(list(total.values()))
    return MixtureSelection(
        word,
        tuple(values),
        found,
        np.array([log_likelihood[k] for k in values]),
        tuple(free[k] for k in values),
        found - total[best],
        np.array(error),
        singular,
    )
