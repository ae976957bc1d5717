"""The one place where a section of a report may fail without taking the report with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.report.errors import DataError

__all__ = ["STAGES", "Guard", "failure"]

T = TypeVar("T")
Json = dict[str, Any]

# What may fail before the sections are made, in the words of a sentence; a section names its own parts.
STAGES = {
    "simplest": "The test score of the simplest model",
    "suspects": "The score without a suspected column",
    "diagnosis": "The diagnosis of the model",
    "learning_curve": "The learning curve",
}
_LONGEST = 200
LATE = "was left out to keep the time limit."
# What takes long (every stage, some parts) is not begun when no time is left; the rest has a second.
GRACE = 1.0


class Guard:
    """Makes sections; one that fails is left out, and the report says which and why.

    Parameters
    ----------
    deadline : Deadline, optional
        What cuts a section that takes too long.
    reserve : float, default 0
        Seconds that are kept for what comes after all sections.

    Errors of the user's data (:class:`DataError`) and Ctrl-C still end the run.

    Attributes
    ----------
    late : dict of str to str
        Key of each section or stage that the time did not suffice for, and its sentence.
    failed : dict of str to str
        Key of each section or stage that failed, and the sentence that stands in its place.
    errors : list of Exception
        What was raised, in order.

    Examples
    --------
    >>> guard = Guard()
    >>> guard("diagnosis", lambda: 1 / 0), guard("suspects", lambda: 3)
    (None, 3)
    >>> guard.failed["diagnosis"]
    'The diagnosis of the model could not be made (ZeroDivisionError: division by zero).'
    """

    def __init__(self, deadline: Deadline | None = None, reserve: float = 0.0) -> None:
        self.deadline, self.reserve = deadline or Deadline(None), reserve
        self.late: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.errors: list[Exception] = []

    def __call__(self, key: str, make: Callable[[], T], name: str = "", *, long: bool = False) -> T | None:
        """Return what `make` returns; None, and a sentence in `failed` or `late`, when it raises or is too
        slow.
        """
        said = name or STAGES[key]
        seconds = max(self.deadline.left(self.reserve), 0.0 if long or key in STAGES else GRACE)
        try:
            with self.deadline.within(seconds):
                return make()
        except OutOfTime:
            self.late[key] = f"{said} {LATE}"
            return None
        except DataError:
            raise
        except Exception as error:
            self.errors.append(error)
            self.failed[key] = failure(said, error)
            return None

    def tell(self, report: Json) -> Json:
        """Put the sentence of each section that failed where the section would stand."""
        if "diagnosis" in self.failed:
            row = {"code": None, "name": STAGES["diagnosis"], "outcome": "not_run"}
            report["checks"].append(row | {"sentence": self.failed["diagnosis"]})
            report["absent"]["attribution"] = self.failed["diagnosis"]
        if "diagnosis" in self.late:
            row = {"code": None, "name": STAGES["diagnosis"], "outcome": "not_run"}
            report["checks"].append(row | {"sentence": self.late["diagnosis"]})
            report["absent"]["attribution"] = self.late["diagnosis"]
        both = self.late | self.failed
        keys = {key: said for key, said in both.items() if key.split(".")[0] in report}
        report["absent"] |= keys
        report["failed"] = [{"section": key, "sentence": said} for key, said in self.failed.items()]
        return report


def failure(name: str, error: Exception) -> str:
    """The sentence that stands where a section should be.

    Examples
    --------
    >>> failure("The ROC curve", OverflowError("too large"))
    'The ROC curve could not be made (OverflowError: too large).'
    """
    text = " ".join(str(error).split())
    text = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    said = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return f"{name} could not be made ({said})."
