"""Two checkouts are compared on the same rows: what is slower is named, what fails is told."""

from __future__ import annotations

from typing import Any

import pytest

from bench import against


class Paced:
    """A side whose fits take what the list says."""

    def __init__(self, seconds: list[float]) -> None:
        self.seconds = iter(seconds)

    def fit(self, name: str) -> dict[str, Any]:
        """The next of the times, or a failure."""
        took = next(self.seconds)
        return {"seconds": took, "cpu": took} if took > 0 else {"why": "MemoryError: no"}


@pytest.mark.parametrize(("after", "slower"), [(1.0, False), (1.04, False), (1.2, True)])
def test_only_what_is_slower_beyond_its_spread_is_named(after: float, slower: bool) -> None:
    noise = [5.0, 1.0, 1.02, 0.98, 1.01, 1.0]
    line = against.compare(Paced(noise), Paced([after * t for t in reversed(noise[1:])] + [after]), "x", 5)  # type: ignore[arg-type]
    assert ("SLOWER" in line) == slower


def test_one_slow_run_is_no_verdict() -> None:
    line = against.compare(Paced([1.0] * 8), Paced([1.0, 1.0, 1.0, 9.0, 1.0, 1.0, 1.0, 1.0]), "x", 7)  # type: ignore[arg-type]
    assert "SLOWER" not in line
    assert "9.00" in line


def test_a_failure_is_told() -> None:
    assert "MemoryError" in against.compare(Paced([1.0, 1.0]), Paced([1.0, -1.0]), "x", 2)  # type: ignore[arg-type]
