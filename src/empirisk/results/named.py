"""Enumerations that are stored by the names of their members, which last when values are reworded."""

from __future__ import annotations

from enum import Enum
from typing import Any, Self

__all__ = ["NamedEnum"]


class NamedEnum(Enum):
    """An enumeration whose members are written to files as a call of the class with their name.

    Pickles, copies and the files of skops, which store what ``__reduce__`` says, all read this form; the
    sentence that is the value of a member may be reworded in between.

    Examples
    --------
    >>> import pickle
    >>> class Colour(NamedEnum):
    ...     RED = "the colour of a rose"
    >>> Colour("RED") is Colour("the colour of a rose")
    True
    >>> Colour.RED.__reduce__()[1]
    ('RED',)
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls.__members__.get(value) if isinstance(value, str) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name,)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return self.__reduce__()
