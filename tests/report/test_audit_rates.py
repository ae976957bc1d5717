"""How often the tests of the audit speak, without and with a fault: the rates that docs/findings quotes.

``make test-slow`` runs it; each test prints its rates (``pytest -s``).
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable

import numpy as np
import pytest

from empirisk.report.audit.checks import Audited
from empirisk.report.audit.checks_rows import undeclared_dates
from empirisk.report.audit.leak import leak_suspects
from empirisk.report.audit.missingness import informative_missingness
from empirisk.report.fit.split import split_rows
from tests.report.tables import table_of

pytestmark = pytest.mark.slow

LEVEL = 0.05


def audited(columns: dict[str, object]) -> Audited:
    table = table_of(columns)
    return Audited(table, split_rows(table))


def rate(speaks: Callable[[np.random.Generator], bool], n_runs: int, told: str) -> float:
    rng = np.random.default_rng(11)
    found = float(np.mean([speaks(rng) for _ in range(n_runs)]))
    print(f"{told}: {100 * found:.1f} % of {n_runs} runs")
    return found


def at_most_level(found: float, n_runs: int) -> bool:
    return found <= LEVEL + 3.0 * math.sqrt(LEVEL * (1.0 - LEVEL) / n_runs)


@pytest.mark.parametrize(
    ("n", "share", "least"), [(80, 0.9, None), (250, 0.9, None), (80, 0.99, 0.9), (250, 0.95, 0.8)]
)
def test_serious_leaks(n: int, share: float, least: float | None) -> None:
    def speaks(rng: np.random.Generator) -> bool:
        x = rng.normal(size=(n, 6))
        y = math.sqrt(share) * x[:, 0] + math.sqrt(1 - share) * rng.normal(size=n)
        found = leak_suspects(audited({**{f"x{j}": x[:, j] for j in range(6)}, "y": y})).findings
        return any(f.level == "serious" for f in found)

    n_runs = 150 if least is None else 30
    found = rate(speaks, n_runs, f"serious, {n} rows, {100 * share:.0f} % explained")
    assert at_most_level(found, n_runs) if least is None else found >= least


@pytest.mark.parametrize(("share", "least"), [(0.9, None), (0.95, None), (1.0, 0.8)])
def test_columns_to_which_the_others_add_nothing(share: float, least: float | None) -> None:
    def speaks(rng: np.random.Generator) -> bool:
        x = rng.normal(size=(300, 4))
        y = math.sqrt(0.8 * share) * x[:, 0] + math.sqrt(0.8 * (1 - share)) * x[:, 1]
        y = y + math.sqrt(0.2) * rng.normal(size=300)
        return bool(leak_suspects(audited({**{f"x{j}": x[:, j] for j in range(4)}, "y": y})).findings)

    found = rate(speaks, 15, f"warning, 300 rows, {100 * share:.0f} % of what all explain")
    assert at_most_level(found, 15) if least is None else found >= least


@pytest.mark.parametrize(("n", "drift", "least"), [(100, 0.0, None), (500, 0.0, None), (500, 1.0, 0.95)])
def test_drift_with_a_date(n: int, drift: float, least: float | None) -> None:
    def speaks(rng: np.random.Generator) -> bool:
        days = rng.integers(0, 365, n)
        dates = [datetime.date(2020, 1, 1) + datetime.timedelta(int(d)) for d in days]
        y = rng.normal(size=n) + drift * days / 365
        found = undeclared_dates(audited({"d": dates, "x": rng.normal(size=n), "y": y})).findings
        return found[0].level == "warning"

    found = rate(speaks, 200, f"date, {n} rows, drift of {drift} sd")
    assert at_most_level(found, 200) if least is None else found >= least


@pytest.mark.parametrize("kind", ["classes", "numbers"])
@pytest.mark.parametrize(
    ("n", "effect", "least"), [(100, 0.0, None), (500, 0.0, None), (2000, 0.0, None), (500, 0.2, 0.95)]
)
def test_gaps_that_go_with_the_target(n: int, effect: float, least: float | None, kind: str) -> None:
    def speaks(rng: np.random.Generator) -> bool:
        y = rng.normal(size=n)
        columns: dict[str, object] = {"y": y if kind == "numbers" else np.where(y > 0, "a", "b")}
        for j in range(4):
            chance = np.where(y > 0, 0.15 + effect / 2, 0.15 - effect / 2) if j == 0 else np.full(n, 0.15)
            gone = rng.uniform(size=n) < chance
            columns[f"x{j}"] = [
                None if g else float(v) for g, v in zip(gone, rng.normal(size=n), strict=True)
            ]
        return bool(informative_missingness(audited(columns)).findings)

    found = rate(speaks, 200, f"gaps, {kind}, {n} rows, difference {100 * effect:.0f} %")
    assert at_most_level(found, 200) if least is None else found >= least
