"""Methods that an object has under a condition alone, whose absence is explained."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, TypeVar, cast

__all__ = ["Offered", "offered"]

Method = TypeVar("Method", bound=Callable[..., Any])


class Offered:
    """A method behind a check; the class itself always has it, for the sake of its documentation."""

    def __init__(self, method: Callable[..., Any], check: Callable[[Any], bool]) -> None:
        self.method, self.check = method, check
        self.__doc__, self.__name__ = method.__doc__, method.__name__
        self.__wrapped__ = method

    def __get__(self, obj: Any, owner: type | None = None) -> Any:
        if obj is None:
            return self.method
        if not self.check(obj):
            raise AttributeError(f"this {type(obj).__name__} has no {self.__name__}")
        return MethodType(self.method, obj)


def offered(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Return a decorator of methods that an object has only when `check` says so.

    scikit-learn's ``available_if`` says "This 'SVC' has no attribute 'predict_proba'" and hides what the
    check said; here the message of the check is the message.

    Parameters
    ----------
    check : callable
        Of the object; returns False, or raises AttributeError with the reason, where there is no method.

    Examples
    --------
    >>> def lit(lamp):
    ...     if not lamp.on:
    ...         raise AttributeError("this lamp is off: give on=True")
    ...     return True
    >>> class Lamp:
    ...     on = False
    ...     @offered(lit)
    ...     def shine(self):
    ...         return "light"
    >>> hasattr(Lamp(), "shine")
    False
    >>> Lamp().shine()
    Traceback (most recent call last):
    ...
    AttributeError: this lamp is off: give on=True
    """

    def decorate(method: Method) -> Method:
        return cast("Method", Offered(method, check))

    return decorate
