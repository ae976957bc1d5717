"""The fixed design of `make test`: which cases of a parametrised test run, which wait for `make test-all`.

A case is a point of a table with named columns (its loss, its penalty, its solver ...).  The faults that
users meet come from one value or from two that meet (D. R. Kuhn, D. R. Wallace, A. M. Gallo, "Software fault
interactions and implications for software testing", IEEE Transactions on Software Engineering 30, 2004), so
that the quick suite covers every value of every column and, for the pairs of columns in `PAIRS`, every two
values that occur together in some case.  The design is the same in every process and on every machine.

Two things make it smaller.  A case that takes long (``tests/long.txt``, as measured) is taken only where a
pair of values occurs in no quicker one.  And every estimator is tried by each file, but only by about a third
of its functions, another third for each estimator: a fault of an estimator is seldom seen in one place alone.
"""

from __future__ import annotations

import heapq
import zlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.facts import facts

__all__ = ["LONG", "PAIRS", "chosen", "covering", "dealt", "demands"]

# Ids of the cases that take long, a line each; `python tools/long_tests.py` writes it.
LONG = frozenset((Path(__file__).parent / "long.txt").read_text(encoding="utf-8").splitlines())
# Columns whose values are dealt to the functions of a file, and the share of the functions that take each.
DEALT, SHARE = frozenset({"estimator"}), 3

# Two columns of which the quick suite covers every pair of values that occurs.
PAIRS = frozenset(
    frozenset(pair)
    for pair in (
        ("loss", "penalty"),
        ("solver", "problem"),
        ("layout", "dtype"),
        ("estimator", "evidence"),
        ("estimator", "check"),
        ("criterion", "n_classes"),
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


def covering(
    cases: Sequence[Case],
    pairs: frozenset[frozenset[str]] = PAIRS,
    name: str = "",
    costly: Collection[int] = (),
    spared: Collection[Hashable] = (),
) -> list[int]:
    """Indices of cases that cover every demand of any case, in ascending order.

    Greedy: the case that covers most of what is still open comes next, so that at most ``1 + log m`` times as
    many are taken as the smallest choice has (m demands a case; V. Chvatal, 1979).  Among equals a hash of
    `name` and of the case decides, so that tests of different names take different cases.

    Cases in `costly` are asked only for pairs that no other case has; single values in `spared` for nothing.
    """
    wanted = [demands(case, pairs) - frozenset(spared) for case in cases]
    order = [zlib.crc32(f"{name}:{sorted(case.items(), key=str)}".encode()) for case in cases]
    cheap = [i for i in range(len(cases)) if i not in costly]
    taken = _greedy(cheap, wanted, order, set().union(*(wanted[i] for i in cheap)))
    covered = set().union(*(wanted[i] for i in taken))
    double = {d for i in costly for d in wanted[i] if isinstance(d, tuple) and len(d) == 4}
    return sorted([*taken, *_greedy(sorted(costly), wanted, order, double - covered)])


def _greedy(
    places: Sequence[int], wanted: Sequence[frozenset[Hashable]], order: Sequence[int], left: set[Hashable]
) -> list[int]:
    """Which of some cases cover what is `left`, each time the one that covers most."""
    heap = [(-len(wanted[i]), order[i], i) for i in places]
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
    return taken


def dealt(tables: Mapping[str, Sequence[Case]]) -> dict[str, set[Hashable]]:
    """Single values that each function of a file need not try, because other functions of the file do.

    Every value is tried by one function in `SHARE` of those that know it, and by one at least.
    """
    knows: dict[Hashable, list[str]] = {}
    for name, cases in tables.items():
        for value in {(c, case[c]) for case in cases for c in DEALT & case.keys()}:
            knows.setdefault(value, []).append(name)
    spared: dict[str, set[Hashable]] = {name: set() for name in tables}
    for value, names in knows.items():
        # A checksum would rank the functions alike for many values: it is linear in its bits.
        ranked = sorted(names, key=lambda name: sha256(f"{name}:{value}".encode()).digest())
        for name in ranked[-(-len(names) // SHARE) :]:
            spared[name].add(value)
    return spared


def chosen(items: Iterable[pytest.Item]) -> set[str]:
    """The node ids that the quick suite runs: for each test function the cases of its covering design."""
    files: dict[str, dict[str, list[Any]]] = {}
    quick = set()
    for item in items:
        if getattr(item, "callspec", None) is None:
            if item.nodeid not in LONG:
                quick.add(item.nodeid)
        else:
            name = item.nodeid.partition("[")[0]
            files.setdefault(name.partition("::")[0], {}).setdefault(name, []).append(item)
    for functions in files.values():
        places: dict[str, dict[tuple[str, int], int]] = {name: {} for name in functions}
        tables = {
            name: [facts(item.callspec.params, places[name]) for item in cases]
            for name, cases in functions.items()
        }
        spared = dealt(tables)
        for name, cases in functions.items():
            costly = {i for i, item in enumerate(cases) if item.nodeid in LONG}
            kept = covering(tables[name], name=name, costly=costly, spared=spared[name])
            kept = kept or covering(tables[name], name=name, costly=costly)[:1]
            quick |= {cases[i].nodeid for i in kept}
    return quick
