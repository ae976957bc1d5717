"""The quick suite: its design covers what it promises, and its cases are the same wherever it is computed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Hashable
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from empirisk.estimators import REGISTRY
from empirisk.solvers import REGISTRY as SOLVERS
from tests.conformance.problems import TABLE
from tests.design import LONG, PAIRS, SHARE, covering, dealt, demands
from tests.facts import columns, of_row
from tests.oracles.structure import ROOT
from tools.long_tests import there

ABC = frozenset({frozenset("ab"), frozenset("bc")})


def grid(**levels: int) -> list[dict[str, Hashable]]:
    """Every combination of so many values of each column."""
    names = list(levels)
    return [dict(zip(names, values, strict=True)) for values in product(*map(range, levels.values()))]


def covered(cases: list[dict[str, Hashable]], kept: list[int], pairs: Any = ABC) -> bool:
    wanted = {d for case in cases for d in demands(case, pairs)}
    return wanted == {d for i in kept for d in demands(cases[i], pairs)}


def test_demands_are_the_values_and_the_named_pairs() -> None:
    case = {"a": 1, "b": 2, "c": 3}
    assert demands(case, ABC) == {("a", 1), ("b", 2), ("c", 3), ("a", 1, "b", 2), ("b", 2, "c", 3)}


@pytest.mark.parametrize(("a", "b", "c"), [(3, 4, 2), (1, 1, 1), (5, 2, 5)])
def test_a_full_grid_takes_little_more_than_its_largest_pair(a: int, b: int, c: int) -> None:
    cases = grid(a=a, b=b, c=c)
    kept = covering(cases, ABC)
    assert covered(cases, kept)
    # With b in common the two pairs fit into each other: the smallest design has this many cases.
    assert max(a * b, b * c) <= len(kept) <= max(a * b, b * c) + 2


def test_random_tables_are_covered_with_no_case_that_brings_nothing(rng: np.random.Generator) -> None:
    for _ in range(8):
        cases = grid(a=4, b=3, c=3, d=2)
        some = [cases[i] for i in rng.choice(len(cases), size=30, replace=False)]
        kept = covering(some, ABC, name=str(rng.random()))
        assert covered(some, kept)
        assert kept == sorted(set(kept))
        # Chvatal's bound on the greedy choice against brute force over small choices.
        smallest = next(
            size
            for size in range(1, len(kept) + 1)
            if size >= 3 or any(covered(some, list(few)) for few in combinations(range(len(some)), size))
        )
        most = max(len(demands(case, ABC)) for case in some)
        assert len(kept) <= max(smallest, len({(c["a"], c["b"]) for c in some})) * (1.0 + np.log(most))


def test_nothing_and_one_case() -> None:
    assert covering([]) == []
    assert covering([{}]) == []
    assert covering([{"a": 1}]) == [0]
    assert covering([{"a": 1}, {"a": 1}, {"a": 1}])


def test_tests_of_different_names_take_different_cases() -> None:
    cases = grid(a=4, d=9)  # any value of d with any of a
    assert len({tuple(covering(cases, ABC, name=name)) for name in "pqrstu"}) > 3


def test_long_cases_are_taken_for_pairs_that_no_other_has(rng: np.random.Generator) -> None:
    for _ in range(20):
        cases = [dict(case) for case in grid(a=4, b=3, c=3, d=2)]
        costly = {int(i) for i in rng.choice(len(cases), size=50, replace=False)}
        kept = covering(cases, ABC, costly=costly)
        cheap = [i for i in range(len(cases)) if i not in costly]
        assert covered([cases[i] for i in cheap], list(range(len(cheap))))
        found = {d for i in kept for d in demands(cases[i], ABC)}
        assert found >= {d for i in cheap for d in demands(cases[i], ABC)}
        assert found >= {d for case in cases for d in demands(case, ABC) if len(d) == 4}
        # None of the long ones is there without a pair of its own.
        for i in costly.intersection(kept):
            others = {d for j in kept if j != i for d in demands(cases[j], ABC)}
            assert any(len(d) == 4 for d in demands(cases[i], ABC) - others)


def test_every_estimator_is_tried_by_a_third_of_the_functions_of_its_file() -> None:
    names = [f"e{i}" for i in range(40)]
    tables = {f"test_{k}": [{"estimator": name, "x": 1} for name in names] for k in range(7)}
    tables["test_alone"] = [{"estimator": "only here"}]
    spared = dealt(tables)
    for name in names:
        assert sum(("estimator", name) not in spared[f"test_{k}"] for k in range(7)) == -(-7 // SHARE)
    assert not spared["test_alone"]
    kept = {k: covering(cases, name=k, spared=spared[k]) for k, cases in tables.items()}
    assert all(5 <= len(kept[f"test_{k}"]) <= 25 for k in range(7)), "no function has all or none of them"


def test_the_list_of_long_cases_names_cases_that_are_there() -> None:
    gone = sorted(case for case in LONG if not there(case))
    assert not gone, f"take these lines out of tests/long.txt, or write their new names: {gone}"


def test_every_pair_of_the_table_of_problems_is_solved() -> None:
    cases = [{"solver": solver, **of_row(row)} for solver in SOLVERS for row in TABLE]
    kept = covering(cases, name="test_certifies_or_refuses")
    assert covered(cases, kept, PAIRS)
    for a, b in (("loss", "penalty"), ("solver", "problem"), ("layout", "dtype")):
        assert {(c[a], c[b]) for c in cases} == {(cases[i][a], cases[i][b]) for i in kept}
    assert len(kept) < 0.4 * len(cases)


def test_arguments_have_their_names() -> None:
    ridge = REGISTRY["Ridge"]()
    assert columns("est", ridge, 0) == columns("kind", "Ridge", 3) == {"estimator": "Ridge"}
    assert columns("name", "newton", 0) == columns("solver", SOLVERS["newton"](), 0) == {"solver": "newton"}
    assert columns("storage", "csr", 0) == {"layout": "csr"}
    assert columns("n", 7, 1) == {"n": "7"}
    assert columns("anything", np.zeros(3), 4) == {"anything": 4}


@pytest.mark.full
def test_the_quick_suite_and_the_rest_are_all_tests() -> None:
    # The file with most cases: what runs is decided by ids alone, in any process.
    file = "tests/conformance/test_certificates.py"

    def collected(marks: str) -> list[str]:
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", marks, file]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return [line for line in run.stdout.splitlines() if "::" in line]

    quick, rest, both = collected("not slow and not full"), collected("full"), collected("not slow")
    assert sorted(quick + rest) == sorted(both)
    assert 0 < len(quick) < len(both)


# -- planted faults -----------------------------------------------------------------------------


def test_every_planted_fault_has_its_place() -> None:
    run = subprocess.run(
        [sys.executable, "tools/mutants.py", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, f"mend tools/mutants.toml, whose texts have moved:\n{run.stdout}"
