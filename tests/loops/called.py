"""The tests that drive every compiled loop, and the loops that none of them called.

    python -m tests.loops.called [pytest arguments with tests]

Each function and method of the extension is replaced by one that notes its name, before anything else of
the package is imported. `make sanitize` runs this program with an instrumented extension: a loop that no
test called has not been looked at.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import pytest

from empirisk import _loops

# The tests of loops alone, and the rooms whose tests compare loops with plain NumPy, brute force or another
# library; the loops of some are compiled once per instruction set.
LOOPS = "tests/loops"
VECTORISED = (
    "tests/clustering",
    "tests/conformance/test_seedings.py",
    "tests/estimators/features/test_random_projection.py",
    "tests/linkage",
    "tests/neighbors",
    "tests/samplers/test_sgld.py",
    "tests/samplers/test_twins.py",
)
ROOMS = (
    *VECTORISED,
    "tests/conformance/test_clusterers.py",
    "tests/estimators/clusters",
    "tests/graphs",
    "tests/conformance/test_activations.py",
    "tests/conformance/test_normalizations.py",
    "tests/conformance/test_samplers.py",
    "tests/reduction",
    "tests/samplers",
    "tests/trees",
)
# Long cases of the rooms would bring no other loops.
QUICK = ("-m", "not slow and not full")


def _noting(name: str, loop: Callable[..., Any], seen: set[str]) -> Callable[..., Any]:
    """Return a function that adds the name to those seen, and calls the loop."""

    @functools.wraps(loop, assigned=("__doc__",))
    def noted(*arguments: Any, **named: Any) -> Any:
        seen.add(name)
        return loop(*arguments, **named)

    return noted


def exported() -> dict[str, tuple[Any, str]]:
    """Return for each function and method of the extension the object that has it, and its name there."""
    found: dict[str, tuple[Any, str]] = {}
    for name, value in vars(_loops).items():
        if isinstance(value, type):
            # A constructor is called past its name, and before any of the methods.
            methods = [
                key for key, entry in vars(value).items() if type(entry).__name__ in ("nb_func", "nb_method")
            ]
            found |= {f"{name}.{key}": (value, key) for key in methods if key != "__init__"}
        elif callable(value):
            found[name] = (_loops, name)
    return found


def note_calls() -> set[str]:
    """Replace every loop by one that notes its name, and return the set that the names go into."""
    seen: set[str] = set()
    for name, (home, key) in exported().items():
        noted = _noting(name, getattr(home, key), seen)
        static = isinstance(home, type) and type(vars(home)[key]).__name__ == "nb_func"
        setattr(home, key, staticmethod(noted) if static else noted)
    return seen


def main(arguments: list[str]) -> int:
    """Run all tests of loops and the quick ones of the rooms; 0 where they pass and call every loop.

    With arguments of pytest, these tests alone are run.
    """
    everything = set(exported())
    seen = note_calls()
    runs = [arguments] if arguments else [[LOOPS], [*QUICK, *ROOMS]]
    statuses = [pytest.main(["-q", "-p", "no:cacheprovider", *run]) for run in runs]
    left = sorted(everything - seen)
    if left:
        print(
            f"No test called {', '.join(left)}: write one in {LOOPS}, or add its file to ROOMS of {__file__}."
        )
    print("tested", _loops.variant(), _loops.__file__)
    return int(any(statuses) or bool(left))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
