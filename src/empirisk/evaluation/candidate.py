"""A recipe from rows to fitted models: an estimator, and the values of one parameter that are tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.evaluation.before import Before
from empirisk.evaluation.outputs import model_name
from empirisk.evaluation.parts import parts_of, together
from empirisk.evaluation.sample import Sample, check_estimator

__all__ = ["Candidate", "one_model"]


class Candidate:
    """A recipe from rows to fitted models: an estimator, and the values of one parameter that are tried.

    The steps before the model of a pipeline are fitted once for all values, where these are values of the
    model.  A model that can fit them together does: a linear model along the path of its penalty strengths,
    a tree by its prunings, boosting by its first rounds.

    Parameters
    ----------
    estimator : estimator
        Unfitted (or fitted: it is cloned) scikit-learn-compatible classifier, regressor or pipeline.
    parameter : str, optional
        The name of what varies, as in ``set_params``; "" for the estimator as it is.
    values : sequence, optional
        What the parameter is set to, in the order in which the fits come.
    name : str, optional
        What to call it; the class name by default.

    Raises
    ------
    TypeError
        What is no estimator: a class, None, another candidate.
    ValueError
        An unknown parameter, a parameter without values, or values without a parameter.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> sample = er.selection.Sample(X, X[:, 0] + rng.normal(size=60))
    >>> recipe = er.selection.Candidate(er.Ridge(), "alpha", [1.0, 0.1])
    >>> [round(float(model.alpha_), 3) for model in recipe.fits(sample, np.arange(40))]
    [1.0, 0.1]
    """

    of_all = False  # whether its fits take further targets along, which the sample does not hold

    def __init__(
        self, estimator: Any, parameter: str = "", values: Sequence[Any] = (), name: str = ""
    ) -> None:
        check_estimator(estimator)
        self.estimator, self.parameter = estimator, parameter
        if len(values) and not parameter:
            raise ValueError("values belong to a parameter; name it.")
        self.values = tuple(_checked(estimator, parameter, values)) if parameter else ()
        self.name = name or model_name(estimator)

    @property
    def n_values(self) -> int:
        """How many models come out of a fit: one for each value, and one where nothing varies."""
        return len(self.values) if self.parameter else 1

    @property
    def together(self) -> bool:
        """Whether the model fits all values for little more than the price of one."""
        return len(self.values) > 1 and together(parts_of(self.estimator, self.parameter), self.values)

    @property
    def model(self) -> Any:
        """The unfitted estimator where one model comes out of a fit.

        Raises
        ------
        ValueError
            There are several values.
        """
        self.check_one()
        if not self.parameter:
            return self.estimator
        return clone(self.estimator).set_params(**{self.parameter: self.values[0]})

    def check_one(self) -> None:
        """Refuse several values, where one model is judged."""
        if self.n_values != 1:
            raise ValueError(
                f"{self!r} makes {self.n_values} models, and one is judged here: leave one value of "
                f"{self.parameter}, or choose among them with GridSearch or model_selection_curve."
            )

    def fits(self, sample: Sample, rows: NDArray[np.intp], before: Before | None = None) -> Iterator[Any]:
        """Yield the models that are fitted on some rows of a sample, one for each value in their order.

        Weights, groups and exposures of the rows reach the fits.  Value v is solved when its model is asked
        for at the earliest, so that work that is cut short there leaves v models.

        Parameters
        ----------
        sample : Sample
            The rows.
        rows : int array
            Which of them are fitted on.
        before : Before, optional
            Shares the fitted steps before the model with other candidates that hold the same step objects.
        """
        parts = parts_of(self.estimator, self.parameter)
        told = sample.arguments(self.estimator, rows)
        steps, X = (Before() if before is None else before).fitted(parts, sample, rows)
        told = {name.removeprefix(parts.prefix): held for name, held in told.items()}
        for model in parts.fit_each(X, sample.y[rows], self.values, **told):
            fitted = parts.whole(steps, model)
            sample.fitted_on(fitted, rows)
            yield fitted

    def __repr__(self) -> str:
        if not self.parameter:
            return f"Candidate({self.name})"
        shown = ", ".join(f"{v:.3g}" if isinstance(v, float) else repr(v) for v in self.values[:3])
        more = ", ..." if len(self.values) > 3 else ""
        return f"Candidate({self.name}, {self.parameter} = {shown}{more})"


def _checked(est: Any, param: str, values: Sequence[Any]) -> list[Any]:
    """Return the values as plain Python objects; an unknown parameter or no values are refused."""
    tried = list(values)
    if not tried:
        raise ValueError("values is empty; give the values of the parameter to try.")
    if param not in est.get_params(deep=True):
        known = ", ".join(sorted(est.get_params(deep=True))[:20])
        raise ValueError(f"param = {param!r} is no parameter of {model_name(est)}; it has {known}.")
    clone(est).set_params(**{param: tried[0]})
    return [v.item() if isinstance(v, np.generic) else v for v in tried]


def one_model(est: Any) -> Candidate:
    """Return the candidate of one model that `est` is: itself, or an estimator as it is.

    Raises
    ------
    ValueError
        A candidate with several values.
    """
    candidate = est if isinstance(est, Candidate) else Candidate(est)
    candidate.check_one()
    return candidate
