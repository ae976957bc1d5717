"""The one place where a section of a report may fail without taking the report with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from empirisk.data.deadline import Deadline, OutOfTime
from empirisk.report.errors import DataError
from empirisk.report.render.schema import check_section

__all__ = ["SECTIONS", "Guard", "failure"]

T = TypeVar("T")
Json = dict[str, Any]

# What may fail, in the words of a sentence; dotted keys are those of report.json, plain ones are stages.
SECTIONS = {
    "suspects": "The score without a suspected column",
    "diagnosis": "The diagnosis of the model",
    "learning_curve": "The learning curve",
    "selection_curves": "The curves over the penalty",
    "attribution": "The table of where the error comes from",
    "bounds": "The table of bounds",
    "model.certificate": "The certificate",
    "model.coefficients": "The table of coefficients",
    "model.importances": "The table of importances",
    "model.dependence": "The curves of partial dependence",
    "test.roc": "The ROC curve",
    "test.pr": "The precision-recall curve",
    "test.calibration": "The calibration",
    "test.confusion": "The confusion matrix",
    "test.scores": "The histogram of the scores",
    "test.observed": "The chart of observed against predicted values",
    "test.residuals": "The chart of the residuals",
    "test.quantiles": "The chart of the normal quantiles",
    "test.coverage": "The coverage of the prediction intervals",
    "test.subgroups": "The scores by group",
}
_LONGEST = 200
LATE = "was left out to keep the time limit."
# What takes long is not begun when no time is left; the rest has a second.
LONG = ("suspects", "diagnosis", "learning_curve", "model.importances", "model.dependence")
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

    def __call__(self, key: str, make: Callable[[], T], name: str = "") -> T | None:
        """Return what `make` returns; None, and a sentence in `failed` or `late`, when it raises or is too
        slow.
        """
        seconds = max(self.deadline.left(self.reserve), 0.0 if key in LONG else GRACE)
        try:
            with self.deadline.within(seconds):
                return make()
        except OutOfTime:
            self.late[key] = f"{name or SECTIONS[key]} {LATE}"
            return None
        except DataError:
            raise
        except Exception as error:
            self.errors.append(error)
            self.failed[key] = failure(name or SECTIONS[key], error)
            return None

    def section(self, key: str, make: Callable[[], T]) -> T | None:
        """Return the same for a key of the report, which must follow the schema, and whose stage may have
        failed.
        """
        if key in self.failed or key in self.late:
            return None

        def checked() -> T:
            made = make()
            check_section(made, key)
            return made

        return self(key, checked)

    def tell(self, report: Json) -> Json:
        """Put the sentence of each section that failed where the section would stand."""
        if "diagnosis" in self.failed:
            row = {"code": None, "name": SECTIONS["diagnosis"], "outcome": "not_run"}
            report["checks"].append(row | {"sentence": self.failed["diagnosis"]})
            report["absent"]["attribution"] = self.failed["diagnosis"]
        if "diagnosis" in self.late:
            row = {"code": None, "name": SECTIONS["diagnosis"], "outcome": "not_run"}
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
