"""What every estimator shares: parameters that are kept and named, and words that say how good a fit is."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache, wraps
from html import escape
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator, clone

from empirisk.data.frames import remember_kind
from empirisk.estimators.elsewhere import strength_of, under_another_name
from empirisk.estimators.several_targets import join_methods, of_one_target
from empirisk.wording import counted

__all__ = ["Estimator"]


class Estimator(BaseEstimator):
    """Base of the estimators, feature maps and searches.

    A parameter that does not exist is refused by the name of the public class, with the parameter that was
    probably meant.  A fitted estimator shows the claim of its certificate, where it has a ``solution_``.

    Examples
    --------
    >>> class Line(Estimator):
    ...     def __init__(self, slope: float = 1.0, *, level: float = 0.0) -> None:
    ...         self._set(locals())
    >>> Line(2.0, level=1.0).get_params()
    {'level': 1.0, 'slope': 2.0}
    >>> Line(slpoe=2.0)
    Traceback (most recent call last):
    ...
    TypeError: Line has no parameter 'slpoe', did you mean 'slope'? It has slope, level.
    """

    # Why a fit of a class without a certificate has nothing to verify.
    _without_optimum: ClassVar[str] = "its fit seeks no optimum"
    # Names that other libraries give to a parameter, and what to write here; those of bases count, too.
    _elsewhere: ClassVar[Mapping[str, str]] = {}
    # Whether a fit takes y of shape (n, k) as one problem; else each column gets a fit of its own.
    _fits_together: bool = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        join_methods(cls)
        if isinstance(vars(cls).get("fit"), FunctionType):
            cls.fit = _counting(vars(cls)["fit"])
        if isinstance(vars(cls).get("_fit_each"), FunctionType):
            cls._fit_each = _counting_each(vars(cls)["_fit_each"])  # type: ignore[method-assign]

    if not TYPE_CHECKING:  # type checkers know the parameters from __init__

        def __getattr__(self, name: str) -> Any:
            said = of_one_target(self, name)
            if said is not None:
                raise AttributeError(said)
            return object.__getattribute__(self, name)  # raises what was raised before

        def __new__(cls, *by_position: Any, **by_name: Any) -> Self:
            if by_position or by_name:
                cls._refuse_unknown(len(by_position), by_name)
            return super().__new__(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Return the sorted names of the parameters; scikit-learn reads the signature anew at every call, and
        each fit of a search asks several times.
        """
        return list(_sorted_names(cls))  # type: ignore[arg-type]  # every class is hashable

    @classmethod
    def _refuse_unknown(cls, n_by_position: int, by_name: Mapping[str, Any]) -> None:
        """Name the parameter that ``__init__`` does not have; its own message would name a private class."""
        first, names = _parameters(cls)  # type: ignore[arg-type]  # every class is hashable
        if names is None:
            return
        for name in by_name:
            if name not in names:
                raise TypeError(cls._unknown(name, names, by_name[name]))
        if n_by_position > len(first):
            named = f"{', '.join(first)} alone" if first else "no parameter"
            raise TypeError(
                f"{cls.__name__} takes {named} by position, got {n_by_position}; give the others by name"
            )

    @classmethod
    def _unknown(cls, name: str, names: tuple[str, ...], value: Any = None) -> str:
        """Return what to write in the place of a parameter: its name here, or the nearest one."""
        known = [vars(base).get("_elsewhere", {}) for base in cls.__mro__]
        said = next((table[name] for table in known if name in table), "") or under_another_name(name, names)
        if said:
            more = strength_of(name, value) if "1/(S C)" in said and "1/(2 S C)" not in said else ""
            return f"{cls.__name__} has no {name}: {said}{more}"
        near = get_close_matches(name, names, n=1)
        meant = f", did you mean {near[0]!r}?" if near else "."
        listed = ", ".join(names) if names else "none"
        return f"{cls.__name__} has no parameter {name!r}{meant} It has {listed}."

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; ``name__inner`` reaches those of an estimator inside.

        Parameters
        ----------
        **params
            New values.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For a name that is no parameter, with the nearest one.
        """
        names = tuple(self._get_param_names())
        for name in params:
            if name.partition("__")[0] not in names:
                raise ValueError(self._unknown(name, names, params[name]))
        super().set_params(**params)
        return self

    def _set(self, given: Mapping[str, Any]) -> None:
        """Set the parameters of a constructor as attributes; ``self._set(locals())`` is its body."""
        for name, value in given.items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    def _prepare_target(self, model: Any, number: int, count: int, lent: dict[str, Any]) -> None:
        """Hook that gives the model of one of `count` targets what is its own; models find in `lent` what
        they
        share.
        """

    def _put_together(self, models: Sequence[Any]) -> None:
        """Hook for what the models of several targets say side by side, once all of them are fitted."""

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether fits at these values of a parameter cost little more than one of them.

        Who answers yes also says how, by :meth:`_fit_each`.  Searches, curves and candidates ask.
        """
        return False

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield a new fitted model for each value of a parameter, in the order in which they are given.

        Each is what a fit of its own would be, certificate included; models may share arrays.  Value v is
        solved when it is asked for at the earliest, so that work that is cut short there leaves v models.

        Parameters
        ----------
        X, y
            Rows and targets.
        parameter : str
            Name of a parameter of this estimator, which stays as it is.
        values : sequence
            What to set it to.
        **rows
            What ``fit`` takes of the rows beside these: weights, exposures.
        """
        for value in values:
            yield clone(self).set_params(**{parameter: value}).fit(X, y, **rows)

    def _fit_targets(
        self, X: Any, columns: Mapping[Any, Any], *args: Any, **rows: Any
    ) -> dict[Any, Any] | None:
        """Return a fitted model for each target, where one fit makes them all; None leaves them to a fit
        each.
        """
        return None

    @property
    def _targets_apart(self) -> bool:
        """Whether the model of one of several targets is what a fit on its column alone would be."""
        return not self._fits_together

    def _learn_columns(self, fitted: Any) -> None:
        """Take the number and the names of the columns from a member of a fit, and forget those before."""
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def _headline(self) -> str:
        """What a fit is worth, in a sentence that stands behind its repr; "" before the fit."""
        return str(self.solution_.certificate.claim) if hasattr(self, "solution_") else ""

    def _html_repr(self) -> str:
        # What a notebook asks for; `_repr_html_`, for pages that ask for that, goes through it too.
        html, said = str(super()._html_repr()), self._headline()
        items = "".join(f"<li>{escape(item)}</li>" for item in self._told())
        if not said and not items:
            return html
        head = f"<p><strong>{escape(said)}</strong></p>" if said else ""
        return f"<div>{head}<ul>{items}</ul>{html}</div>"

    def _told(self) -> list[str]:
        """Return what a page shows without a click: the strength, and the size of the training table."""
        told = []
        selection, strength = getattr(self, "selection_", None), getattr(self, "alpha_", None)
        chosen = getattr(selection, "title", "") or getattr(selection, "sentence", "")
        if chosen:
            told.append(f"Chosen: {chosen}.")
        elif isinstance(strength, float):
            told.append(f"Strength: alpha = {strength:.4g}.")
        rows, columns = self._size_of_fit()
        size = [counted(n, noun) for n, noun in ((rows, "row"), (columns, "column")) if n]
        return [*told, f"Fitted on {' and '.join(size)}."] if size else told

    def _size_of_fit(self) -> tuple[int, int]:
        """Return the rows and columns of the fit; 0 where the fit did not keep their number."""
        rows: Any = getattr(self, "_rows_of_fit", 0)
        for name in ("n_samples_fit_", "_n_rows", "_rows_fitted"):
            rows = rows or getattr(self, name, 0)
        for name in ("labels_", "margins_"):
            rows = rows or len(getattr(self, name, ()))
        training = getattr(self, "_training", None)
        rows = rows or len(getattr(training, "weight", ()))
        return int(rows), int(getattr(self, "n_features_in_", 0))

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text, said = str(super().__repr__(N_CHAR_MAX=N_CHAR_MAX)), self._headline()
        return f"{text}  # {said}" if said else text


def _counting(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``fit`` that remembers how many rows it was given, and in which kind of frame."""

    @wraps(fit)
    def counted_fit(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = fit(self, *args, **kwargs)
        _remember_rows(self, args[0] if args else kwargs.get("X"))
        return found

    return counted_fit


def _counting_each(fit_each: Callable[..., Any]) -> Callable[..., Any]:
    """Return a ``_fit_each`` whose models remember their rows as those of single fits do."""

    @wraps(fit_each)
    def counted_fits(self: Any, X: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        for model in fit_each(self, X, *args, **kwargs):
            _remember_rows(model, X)
            yield model

    return counted_fits


def _remember_rows(model: Any, X: Any) -> None:
    """Write the number of rows of a fit and the kind of their frame into a model."""
    shape = getattr(X, "shape", None)
    rows = len(X) if isinstance(X, list | tuple) else int(shape[0]) if shape else 0
    model._rows_of_fit = rows  # 0 for rows that are read block by block
    remember_kind(model, X)


@lru_cache(maxsize=512)
def _sorted_names(cls: type[Estimator]) -> tuple[str, ...]:
    """Return what scikit-learn finds in the signature of the constructor of a class, read once."""
    return tuple(super(Estimator, cls)._get_param_names())  # type: ignore[misc]  # scikit-learn's own


@lru_cache(maxsize=256)
def _parameters(cls: type) -> tuple[tuple[str, ...], tuple[str, ...] | None]:
    """Those that a constructor takes by position, and all; None where it takes any name."""
    takes = list(inspect.signature(cls.__init__).parameters.values())[1:]  # type: ignore[misc]
    if any(p.kind is p.VAR_KEYWORD for p in takes):
        return (), None
    first = tuple(p.name for p in takes if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    return first, tuple(p.name for p in takes)
