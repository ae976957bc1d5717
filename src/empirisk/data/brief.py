"""Reprs of results that hold arrays: one line, arrays by their shapes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from empirisk.results.form import Form, Formed

__all__ = ["Brief"]

LONGEST = 80  # characters of a field


class Brief(Formed):
    """Base of dataclasses (with ``repr=False``) that print one line.

    Numbers and words are shown as they are, arrays and long collections by their sizes.

    Examples
    --------
    >>> import numpy as np
    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Curve(Brief):
    ...     name: str
    ...     values: np.ndarray
    >>> Curve("loss", np.zeros((3, 2)))
    Curve(name='loss', values of shape (3, 2))
    """

    def __repr__(self) -> str:
        shown = [_field(name, value) for name, value in self._told().items()]
        return f"{type(self).__name__}({', '.join(shown)})"

    def _told(self) -> dict[str, Any]:
        """Return the fields that are told, by their names."""
        told: Any = self
        return {f.name: getattr(self, f.name) for f in fields(told) if f.repr}

    def _form(self) -> Form:
        shown = {name: _field(name, value).removeprefix(name) for name, value in self._told().items()}
        said = [value.removeprefix("=").strip() for value in shown.values()]
        return Form(self._said(), {"what": list(shown), "it is": said})

    def _said(self) -> str:
        """Return the sentence of the result, the first line of its words, or its name where it has none."""
        told = getattr(self, "sentence", "")
        own = type(self).__str__ is not object.__str__
        words = told if isinstance(told, str) and told else str(self) if own else ""
        return words.splitlines()[0] if words else type(self).__name__


def _field(name: str, value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"{name} of shape {shape}"
    text = repr(value)
    if "array(" in text and not hasattr(value, "__len__"):
        return f"{name}={type(value).__name__}"
    if len(text) <= LONGEST and "\n" not in text:
        return f"{name}={text}"
    if len(str(value)) <= LONGEST and "\n" not in str(value):
        return f"{name}={value}"
    if hasattr(value, "__len__") and not isinstance(value, str):
        return f"{name} of length {len(value)}"
    first = text.splitlines()[0]
    return f"{name}={first if len(first) <= LONGEST else f'{first[:LONGEST]}...'}"
