"""A fit that fails or is interrupted leaves an object as it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["as_before"]


@contextmanager
def as_before(est: Any) -> Iterator[dict[str, Any]]:
    """Return a context that gives an object the attributes back that it had, when what is inside ends early.

    The context is the attributes as they were, for those who go on from an earlier fit.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> est = SimpleNamespace(coef_=1)
    >>> try:
    ...     with as_before(est):
    ...         est.coef_, est.intercept_ = 2, 3
    ...         raise KeyboardInterrupt
    ... except KeyboardInterrupt:
    ...     print(est)
    namespace(coef_=1)
    """
    before = dict(est.__dict__)
    try:
        yield before
    except BaseException:
        est.__dict__.clear()
        est.__dict__.update(before)
        raise
