"""An ensemble as a sequence of its members: their number, each by its place, and all in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.utils.validation import check_is_fitted

__all__ = ["MemberAccess"]


class MemberAccess:
    """``len(ensemble)``, ``ensemble[3]``, ``ensemble[:10]`` and ``for member in ensemble``, after the fit."""

    n_estimators_: int

    def _member(self, number: int) -> Any:
        """Return member number 0, 1, ...; who keeps no list of members makes it here."""
        return self.estimators_[number]  # type: ignore[attr-defined]

    def __len__(self) -> int:
        check_is_fitted(self, "n_estimators_")
        return int(self.n_estimators_)

    def __bool__(self) -> bool:
        # The truth of an object with a length is asked of its length, which is not there before the fit.
        return True

    def __getitem__(self, which: int | slice) -> Any:
        numbers = range(len(self))[which]
        return [self._member(t) for t in numbers] if isinstance(numbers, range) else self._member(numbers)

    def __iter__(self) -> Iterator[Any]:
        return (self._member(t) for t in range(len(self)))
