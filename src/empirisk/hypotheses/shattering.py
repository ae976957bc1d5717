"""Does a class label the points in every way?  The answer, with a witness."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.frames import as_frame
from empirisk.hypotheses.points import check_labelling
from empirisk.results.form import Form, Formed
from empirisk.typing import Array

__all__ = ["Shattering"]

SHOWN = 12  # points in the table of a notebook

Labelling = NDArray[np.bool_]


class Shattering(Formed):
    """The answer of ``shatters(points)``: true or false, with a witness when false.

    Parameters
    ----------
    what : str
        The class in words.
    points : array, shape (n, d)
        The points.
    witness : array of bool, shape (n,), or None
        A labelling that no hypothesis of the class makes; None when there is none.
    argument : str
        Why.
    realise : callable
        Gives a hypothesis with a labelling, or None.

    Examples
    --------
    >>> from empirisk.hypotheses import Intervals
    >>> answer = Intervals().shatters([1.0, 2.0, 3.0])
    >>> bool(answer), answer.witness.astype(int)
    (False, array([1, 0, 1]))
    >>> two = Intervals().shatters([1.0, 2.0])
    >>> bool(two), str(two.hypothesis([False, True]))
    (True, '2 <= x <= 2')
    """

    def __init__(
        self,
        what: str,
        points: Array,
        witness: Labelling | None,
        argument: str,
        realise: Callable[[Labelling], Any],
    ) -> None:
        self.what = what
        self.points = points
        self.witness = witness
        self.argument = argument
        self._realise = realise

    def __bool__(self) -> bool:
        return self.witness is None

    def hypothesis(self, labelling: Any) -> Any:
        """Return a hypothesis of the class with this labelling of the points.

        Parameters
        ----------
        labelling : array of bool, shape (n,)
            The label of each point.

        Returns
        -------
        Hypothesis
            Callable on points.

        Raises
        ------
        ValueError
            When no hypothesis of the class has this labelling.
        """
        wanted = check_labelling(labelling, len(self.points))
        found = self._realise(wanted)
        if found is None:
            raise ValueError(f"none of the {self.what} labels these points {_digits(wanted)}")
        return found

    def to_frame(self) -> Any:
        """Return the points with the witness (column missing when there is none), as a data frame.

        A pandas data frame; a polars one where pandas is not installed; a dict of lists without either.
        """
        table: dict[str, list[Any]] = {
            f"x{j}": [float(v) for v in self.points[:, j]] for j in range(self.points.shape[1])
        }
        if self.witness is not None:
            table["witness"] = [bool(v) for v in self.witness]
        return as_frame(table, self._like)

    @property
    def sentence(self) -> str:
        """The answer in one sentence, with the argument or the labelling that no hypothesis gives."""
        n = len(self.points)
        if self.witness is None:
            return f"{self.what.capitalize()} shatter these {n} points: {self.argument}."
        return (
            f"{self.what.capitalize()} do not shatter these {n} points: none labels them "
            f"{_digits(self.witness)} ({self.argument})."
        )

    def __repr__(self) -> str:
        return self.sentence

    def _form(self) -> Form:
        table: dict[str, list[Any]] = {
            f"x{j}": [float(v) for v in self.points[:SHOWN, j]] for j in range(self.points.shape[1])
        }
        if self.witness is not None:
            table["witness"] = [int(v) for v in self.witness[:SHOWN]]
        more = len(self.points) - SHOWN
        return Form(self.sentence, table, [f"... and {more} more points."] if more > 0 else [])


def _digits(labelling: Labelling) -> str:
    """Return 0 and 1 in the order of the points; the middle is left out when there are many."""
    text = "".join("1" if v else "0" for v in labelling)
    return text if len(text) <= 60 else f"{text[:28]}....{text[-28:]}"
