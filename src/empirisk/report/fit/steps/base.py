"""What a feature step of the report is: new columns made from the encoded ones, before a linear model.

A step is a transformer inside the pipeline of a candidate, so that every fold fits it on its training rows
alone, and the rows of the fold that is scored only pass through it.  Whether a step is tried is decided once,
on training rows; whether it is taken, by the losses of the folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.encode import Origin

__all__ = ["FeatureStep", "Suggestion"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Suggestion:
    """A step that a table suggests.

    Parameters
    ----------
    step : str
        Its name in the registry.
    why : str
        What about the training rows suggests it, in the words of half a sentence.
    numbers : int
        Encoded columns that it is made from, the first ones.
    """

    step: str
    why: str
    numbers: int


class FeatureStep(Protocol):
    """A step between the encoder and a linear model; it has no state of its own.

    A subclass sets, beside the methods:

    - ``name``, ``label``: for programs, and what stands behind the name of a model;
    - ``title``, ``unit``: what it is called in a sentence (a plural), and what the numbers of a model with it
      are;
    - ``weighted``: whether the model stays a weighted sum of the encoded columns;
    - ``reading``: how the coefficients are to be read, and ``why_none``: why they have no intervals.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    title: ClassVar[str]
    unit: ClassVar[str]
    weighted: ClassVar[bool]
    reading: ClassVar[str]
    why_none: ClassVar[str]

    def suggested(self, X: Floats, y: NDArray[Any], numbers: int, n: int, n_classes: int) -> str:
        """Return why the step may win on a table, "" where it cannot.

        Parameters
        ----------
        X : array of shape (m, p)
            Encoded training rows, or the first of them.
        y : array of shape (m,)
            Their targets: class codes or numbers.
        numbers : int
            How many of the columns, from the first, are standardised numbers.
        n : int
            Training rows in all.
        n_classes : int
            0 for a regression.
        """

    def transformer(self, numbers: int) -> Any:
        """Return the unfitted transformer of encoded rows, whose first `numbers` columns are numbers."""

    def seconds(self, n: float, numbers: int) -> float:
        """Return the predicted seconds of one fit on n rows."""

    def n_numbers(self, fitted: Any) -> int:
        """Return how many numbers a fitted transformer holds."""

    def inputs(self, fitted: Any, origins: Sequence[Origin]) -> list[str]:
        """Return readable names of the columns that the estimator gets, in their order."""

    def terms(self, fitted: Any, origins: Sequence[Origin]) -> list[Origin]:
        """Return what the sums of the model are told in: the encoded columns, and more where it takes
        more.
        """

    def of_terms(self, fitted: Any, X: Floats) -> Floats:
        """Return the terms of encoded rows, shape (m, number of terms)."""

    def told(self, fitted: Any, coef: Floats) -> tuple[Floats, Floats]:
        """Return the coefficients of the terms, and what the intercept gains, from those of the estimator.

        Parameters
        ----------
        fitted : transformer
        coef : array of shape (q,) or (q, k)
            Of the columns that the estimator gets.

        Returns
        -------
        coef : array of shape (p,) or (p, k)
        shift : array of shape () or (k,)
            What is added to the intercept.
        """

    def sentence(self, fitted: Any, origins: Sequence[Origin]) -> str:
        """Return what the fitted step does, in whole sentences."""
