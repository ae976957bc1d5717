"""Small tables: a smaller plan or one sentence, whatever the target, the groups, the times and the gaps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from empirisk.evaluation.folds import deal_units
from empirisk.evaluation.intervals.grouped import cr2_variance
from empirisk.report.errors import DataError
from empirisk.report.fit.engine import prepare
from empirisk.report.options import Options
from empirisk.report.read.read import read_table
from empirisk.report.run import run_report

SIZES = [2, 3, 4, 5, 6, 8, 9, 10, 10, 11, 12, 12, 14, 16, 20, 25, 30, 40]
COLUMNS = {
    "number": lambda g, n: g.normal(size=n).round(2),
    "count": lambda g, n: g.integers(0, 9, n),
    "level": lambda g, n: g.choice(["p", "q", "r"], n),
    "flag": lambda g, n: g.integers(0, 2, n),
}


def small_table(seed: int) -> tuple[str, dict[str, Any]]:
    """A table of 2 to 40 rows as text, and the options of its dependence."""
    g = np.random.default_rng(seed)
    n = int(g.choice(SIZES))
    columns: dict[str, Any] = {}
    for j in range(int(g.integers(1, 4))):
        x = COLUMNS[str(g.choice(list(COLUMNS)))](g, n).astype(str).astype(object)
        if g.random() < 0.4:
            x[g.random(n) < g.choice([0.1, 0.5, 0.9])] = ""
        columns[f"x{j}"] = x
    options: dict[str, Any] = {}
    if g.random() < 0.3:
        columns["g"] = [f"g{v}" for v in g.integers(0, int(g.integers(1, 7)), n)]
        options["group"] = "g"
    elif g.random() < 0.3:
        columns["t"] = g.permutation(n) if g.random() < 0.6 else g.integers(0, 3, n)
        options["time"] = "t"
    columns["y"] = target(g, n)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n", options


def target(g: np.random.Generator, n: int) -> Any:
    kind = str(g.choice(["classes", "rare", "number", "count", "truth", "gaps"]))
    if kind == "classes":
        k = int(g.integers(2, 5))
        return g.choice(["a", "b", "c", "d"][:k], n, p=g.dirichlet(np.ones(k) * g.choice([0.3, 1.0, 5.0])))
    if kind == "rare":
        return np.where(np.arange(n) == g.integers(n), "yes", "no")
    if kind == "truth":
        return g.random(n) < 0.5
    y = (g.normal(size=n).round(3) if kind != "count" else g.poisson(3.0, n)).astype(str).astype(object)
    y[g.random(n) < (0.2 if kind == "gaps" else 0.0)] = ""
    return y


@pytest.mark.parametrize("block", [0, *(pytest.param(b, marks=pytest.mark.full) for b in range(1, 5))])
def test_small_tables_are_planned_or_refused_in_a_sentence(tmp_path: Path, block: int) -> None:
    planned = 0
    for seed in range(30 * block, 30 * (block + 1)):
        text, options = small_table(seed)
        (tmp_path / "t.csv").write_text(text)
        try:
            p = prepare(read_table(tmp_path / "t.csv", target="y", **options), None, seed=0, level=0.95)
        except DataError:
            continue
        planned += 1
        told = p.folds.sentence
        # Few moments in time give fewer blocks, and the sentence says how many.
        blocks = p.train.time is not None and told.startswith(f"{p.folds.n_folds} block")
        assert p.folds.n_folds == p.plan.n_folds or blocks or "left out" in told, (seed, options)
        assert all(fit.size and score.size for fit, score in p.folds.plan.splits), (seed, options)
        if p.train.counts is not None:
            assert all(np.unique(p.train.y[fit]).size > 1 for fit, _ in p.folds.plan.splits), (seed, options)
        assert p.train.counts is None or sum(c >= 2 for c in p.train.counts) >= 2
    assert planned >= 5


@pytest.mark.parametrize("k", [2, 3, 5])
def test_no_fold_stays_empty_and_units_stay_whole(k: int) -> None:
    for seed in range(200):
        g = np.random.default_rng(seed)
        units = np.unique(g.integers(0, k + int(g.integers(0, 4)), 20), return_inverse=True)[1]
        if units.max() + 1 < k:
            continue
        fold = deal_units(units, g.integers(0, 3, 20), k, g)
        assert set(fold) == set(range(k))
        assert all(len(set(fold[units == u])) == 1 for u in range(units.max() + 1))


def run(folder: Path, text: str, **options: Any) -> str:
    """Run a report; the sentence of a refusal, "" for a report without a failed section."""
    (folder / "t.csv").write_text(text)
    given: dict[str, Any] = {"models": "linear", "time_limit": 1.0, "quiet": True, "out": folder / "out"}
    try:
        outcome = run_report(Options(folder / "t.csv", "y", **{**given, **options}), lambda line: None)
    except DataError as error:
        return str(error)
    assert outcome.report["failed"] == []
    return ""


def rows(n: int, label: Any, groups: int = 0) -> str:
    g = np.random.default_rng(0)
    first = [f"g{i % groups}," if groups else "" for i in range(n)]
    return "".join(f"{first[i]}{g.normal():.3f},{i},{label(i)}\n" for i in range(n))


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("a,b,y\n" + rows(10, lambda i: "ny"[i % 2]), {}, ""),
        ("a,b,y\n" + rows(12, lambda i: "pqr"[i % 3]), {}, ""),
        ("a,b,y\n" + rows(10, lambda i: "ny"[i == 9]), {}, "too few rows of y: 'y' 1"),
        ("a,b,y\n" + rows(200, lambda i: "ny"[i == 7]), {}, "at least 2 rows of each of two classes"),
        (
            "g,a,b,y\n" + rows(60, lambda i: "pq"[i % 2], 2),
            {"group": "g"},
            "at least 3 groups",
        ),
        ("g,a,b,y\n" + rows(60, lambda i: "pq"[i % 5 == 0], 3), {"group": "g"}, ""),
    ],
    ids=["5+5", "3 classes", "9+1", "one in 200", "2 groups", "3 groups"],
)
def test_small_reports(tmp_path: Path, text: str, options: dict[str, Any], said: str) -> None:
    found = run(tmp_path, text, **options)
    assert said in found
    assert (found == "") == (said == "")


@pytest.mark.slow
@pytest.mark.parametrize("models", ["linear", "tree,boosting,forest"])
def test_random_small_tables_end_in_a_report_or_a_sentence(tmp_path: Path, models: str) -> None:
    for seed in range(1000, 1030):
        text, options = small_table(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert "\n" not in run(folder, text, models=models, **options)


@pytest.mark.filterwarnings("error")
def test_one_group_shows_no_variance() -> None:
    variance, effective = cr2_variance(np.array([1.0, 2.0, 4.0]), np.zeros(3, dtype=np.intp), 1)
    assert (np.isnan(variance), effective) == (True, 1.0)
