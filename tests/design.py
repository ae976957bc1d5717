"""The fixed design of `make test`: which cases of a parametrised test run, which wait for `make test-all`.

A case is a point of a table with named columns (its loss, its penalty, its solver ...).  The faults that
users meet come from one value or from two that meet (D. R. Kuhn, D. R. Wallace, A. M. Gallo, "Software fault
interactions and implications for software testing", IEEE Transactions on Software Engineering 30, 2004), so
that the quick suite covers every value of every column and, for the pairs of columns in `PAIRS`, every two
values that occur together in some case.  The design is the same in every process and on every machine.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import pytest

from tests.facts import facts

__all__ = ["PAIRS", "chosen", "covering", "demands"]

# Two columns of which the quick suite covers every pair of values that occurs.
PAIRS = frozenset(
    frozenset(pair)
    for pair in (
        ("loss", "penalty"),
        ("solver", "problem"),
        ("layout", "dtype"),
        ("estimator", "evidence"),
        ("estimator", "check"),
    )
)

Case = Mapping[str, Hashable]


def demands(case: Case, pairs: frozenset[frozenset[str]] = PAIRS) -> frozenset[Hashable]:
    """What a case covers: its values by column, and its pairs of values in two columns of `pairs`."""
    single = ((name, value) for name, value in case.items())
    double = (
        (a, case[a], b, case[b]) for a, b in combinations(sorted(case), 2) if frozenset((a, b)) in pairs
    )
    return frozenset([*single, *double])


def covering(cases: Sequence[Case], pairs: frozenset[frozenset[str]] = PAIRS, name: str = "") -> list[int]:
    """Indices of cases that cover every demand of any case, in ascending order.

    Greedy: the case that covers most of what is still open comes next, so that at most ``1 + log m`` times as
    many are taken as the smallest choice has (m demands a case; V. Chvatal, 1979).  Among equals a hash of
    `name` and of the case decides, so that tests of different names take different cases.
    """
    wanted = [demands(case, pairs) for case in cases]
    order = [zlib.crc32(f"{name}:{sorted(case.items(), key=str)}".encode()) for case in cases]
    open_ = frozenset().union(*wanted) if wanted else frozenset()
    left = set(open_)
    heap = [(-len(w), order[i], i) for i, w in enumerate(wanted)]
    heapq.heapify(heap)
    taken = []
    # What a case still covers only shrinks, so that a count that is current and on top is the largest.
    while left:
        _, tie, i = heapq.heappop(heap)
        now = len(wanted[i] & left)
        if now and heap and (-now, tie, i) > heap[0]:
            heapq.heappush(heap, (-now, tie, i))
        elif now:
            taken.append(i)
            left -= wanted[i]
    return sorted(taken)


def chosen(items: Iterable[pytest.Item]) -> set[str]:
    """The node ids that the quick suite runs: for each test function the cases of its covering design."""
    functions: dict[str, list[Any]] = {}
    quick = set()
    for item in items:
        if getattr(item, "callspec", None) is None:
            quick.add(item.nodeid)
        else:
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, cases in functions.items():
        places: dict[tuple[str, int], int] = {}
        kept = covering([facts(item.callspec.params, places) for item in cases], name=name)
        quick |= {cases[i].nodeid for i in kept}
    return quick
