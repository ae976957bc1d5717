"""The audit: every planted fault is found, clean tables stay quiet, alarms keep their error rate."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from empirisk.report.audit.audit import CHECKS, Audit, audit
from empirisk.report.audit.checks import Audited
from empirisk.report.audit.checks_rows import recall_half_width
from empirisk.report.audit.leak import leak_suspects
from empirisk.report.audit.missingness import _permuted, holm, informative_missingness
from empirisk.report.audit.single_column import column_scores
from empirisk.report.fit.split import split_rows
from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table
from empirisk.results import Finding
from tests.report.tables import table_of

HERE = Path(__file__).parent


def run(table: Table, test_table: Table | None = None) -> Audit:
    return audit(table, split_rows(table, test_table=test_table), test_table=test_table)


def found(result: Audit, code: str) -> list[Finding]:
    return [f for f in result.findings if f.code == code]


def clean(n: int = 400, seed: int = 0) -> dict[str, list[object]]:
    """Two informative numbers, one useless level column, two balanced classes."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=n), rng.normal(size=n)
    y = np.where(a + b + rng.normal(size=n) > 0, "yes", "no")
    return {"a": a.tolist(), "b": b.tolist(), "c": rng.choice(["u", "v", "w"], n).tolist(), "y": y.tolist()}


def test_registry_has_one_row_per_code_and_every_check_is_reported() -> None:
    codes = [c.code for c in CHECKS]
    assert codes == [f"ER{101 + i}" for i in range(len(codes))]
    result = run(table_of(clean(1_200)))
    assert [c.code for c in result.checks] == codes
    assert all(c.sentence for c in result.checks)
    assert not result.findings


PLANTED = {
    "ER101": ({"e": [None] * 400}, ("e",)),
    "ER102": ({"k": ["same"] * 400}, ("k",)),
    "ER103": ({"customer_id": [f"K{i}" for i in range(400)]}, ("customer_id",)),
    "ER104": ({"note": [f"Name{chr(97 + i % 26)}{chr(97 + i // 26)}y" for i in range(400)]}, ("note",)),
    "ER105": ({"m": [None if i % 7 == 0 else float(i % 50) for i in range(400)]}, ("m",)),
    "ER109": ({"x": [*(str(i * 1.5) for i in range(398)), "n.d.", "<5"]}, ("x",)),
    "ER111": ({"d": [datetime.date(2020, 1, 1) + datetime.timedelta(i % 90) for i in range(400)]}, ("d",)),
    "ER114": ({"t": ["Oslo", "oslo ", "Bergen", "OSLO."] * 100}, ("t",)),
    "ER115": ({"s": [-999.0 if i % 20 == 0 else float(i % 13) for i in range(400)]}, ("s",)),
    "ER120": ({"z": [1e12 if i == 17 else float(i % 13) + i / 400 for i in range(400)]}, ("z",)),
}


@pytest.mark.parametrize("code", sorted(PLANTED))
def test_planted_column_fault_is_found(code: str) -> None:
    columns, where = PLANTED[code]
    result = run(table_of({**clean(), **columns}))  # type: ignore[arg-type]
    hits = found(result, code)
    assert [f.where for f in hits] == [where]
    assert all(f.sentence.endswith((".", "?")) and f.advice and f.evidence for f in hits)
    assert next(c for c in result.checks if c.code == code).outcome == "found"


def test_values_out_of_proportion_are_named_with_their_rows() -> None:
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=200), np.exp(rng.normal(size=200))
    y[41], y[7], x[99] = 1e6, -3e6, 1e30
    hits = found(run(table_of({"x": x.tolist(), "y": y.tolist()})), "ER120")
    assert [(f.where, f.level) for f in hits] == [(("y",), "serious"), (("x",), "warning")]
    assert "−3,000,000 in row 8 and 1,000,000 in row 42" in hits[0].sentence
    assert "in row 100" in hits[1].sentence
    assert "--missing=-3000000,y" in hits[0].advice
    y[7] = y[41] = 1.0
    x[99] = 1.0
    assert not found(run(table_of({"x": x.tolist(), "y": y.tolist()})), "ER120")


def test_codes_for_missing_are_no_values_out_of_proportion() -> None:
    s = [-9999.0 if i in (3, 5, 9) else float(i % 13) for i in range(400)]
    result = run(table_of({**clean(), "s": s}))
    assert found(result, "ER115")
    assert not found(result, "ER120")


def test_dates_in_several_formats_are_a_warning_and_no_text_that_was_left_out() -> None:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(400)]
    mixed = [day.strftime("%Y-%m-%d" if i % 2 else "%d/%m/%Y") for i, day in enumerate(days)]
    table = table_of({**clean(), "d": mixed})
    (hit,) = found(run(table), "ER104")
    assert (hit.level, hit.where) == ("warning", ("d",))
    assert all(form in hit.sentence for form in ("%Y-%m-%d", "%d/%m/%Y"))
    assert table.left_out_texts == ()


def test_a_column_that_was_dropped_as_asked_is_not_taken_for_row_names(tmp_path: Path) -> None:
    lines = [f"{i},{(i * 7) % 5},{'yes' if i % 3 else 'no'}" for i in range(400)]
    data = tmp_path / "table.csv"
    data.write_text("\n".join(["day,a,y", *lines]), encoding="utf-8")
    assert [f.where for f in found(run(read_table(data, target="y")), "ER103")] == [("day",)]
    assert not found(run(read_table(data, target="y", drop=["day"])), "ER103")


def test_labels_of_two_files_put_together_look_alike() -> None:
    data = clean()
    data["y"] = [
        {"yes": "<=50K", "no": ">50K"}[v] + ("." if i > 300 else "") for i, v in enumerate(data["y"])
    ]
    (finding,) = found(run(table_of(data)), "ER114")
    assert finding.level == "serious"
    assert "'<=50K' and '<=50K.'; '>50K' and '>50K.'" in finding.sentence


def test_equal_columns_and_a_copy_of_the_target() -> None:
    data = clean()
    result = run(table_of({**data, "a again": data["a"]}))
    assert [f.where for f in found(result, "ER117")] == [("a", "a again")]
    copied = run(table_of({"score": data["a"], "c": data["c"], "y": data["a"]}))
    assert [f.level for f in found(copied, "ER117")] == ["serious"]
    # Same values in another order are not the same column.
    assert not found(run(table_of({**data, "b": data["a"][::-1]})), "ER117")


def test_duplicates_and_straddling_twins() -> None:
    data = {k: v + v[:80] for k, v in clean().items()}
    table = table_of(data)
    result = run(table)
    told = found(result, "ER107")[0].sentence
    assert "80 rows (17 %) repeat an earlier row in all columns, target included" in told
    assert [f.level for f in found(result, "ER108")] == ["note"]
    first, second = table_of(clean()), table_of({k: v[:60] for k, v in clean().items()})
    kept = run(first, second)
    assert [f.level for f in found(kept, "ER108")] == ["warning"]
    assert "60 rows of the test file" in found(kept, "ER108")[0].sentence


def test_rows_without_target_few_rows_and_rare_classes() -> None:
    data = clean(60)
    data["y"] = [None, None, *(["rare"] * 3), *data["y"][5:]]
    result = run(table_of(data))
    assert "2 of 60 rows have no target value" in found(result, "ER116")[0].sentence
    assert found(result, "ER118")
    assert found(result, "ER110")[0].where == ("rare",)
    assert "has 3 rows, 1 of them in the test" in found(result, "ER110")[0].sentence
    assert {c.code for c in result.checks if c.outcome == "not_run"} >= {"ER113"}


@pytest.mark.parametrize("k", [2, 10, 97, 1568])
def test_half_width_is_the_exact_binomial_one(k: int) -> None:
    interval = stats.binomtest(k // 2, k).proportion_ci(method="exact")
    assert recall_half_width(k) == pytest.approx((interval.high - interval.low) / 2, rel=1e-9)


def test_messy_file_gives_its_findings() -> None:
    result = run(read_table(HERE / "data" / "messy.csv", target="Klasse"))
    expected = {"ER101", "ER102", "ER103", "ER105", "ER107", "ER109", "ER110", "ER111", "ER112"}
    assert {f.code for f in result.findings} == expected
    levels = [f.level for f in result.findings]
    assert levels == sorted(levels, key=["serious", "warning", "note"].index)


# -- missing values that go with the target -------------------------------------------------------


def test_holm_agrees_with_statsmodels() -> None:
    p = np.random.default_rng(0).uniform(size=9) ** 3
    np.testing.assert_allclose(holm(p.tolist()), multipletests(p, method="holm")[1])


def test_permutation_p_value_agrees_with_the_exact_one() -> None:
    # For two classes the permutation law is hypergeometric, and the statistic orders the tables as their
    # distance from the expected count, so the exact p-value is a sum over a known set.
    y = np.r_[np.zeros(14, dtype=int), np.ones(6, dtype=int)]
    gone = np.zeros(20, dtype=bool)
    gone[[0, 14, 15, 16, 17]] = True
    counts = np.array([[1, 4], [13, 2]])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 20
    law = stats.hypergeom(20, 6, 5)
    far = [k for k in range(6) if abs(k - expected[0, 1]) >= abs(4 - expected[0, 1]) - 1e-9]
    exact = sum(law.pmf(k) for k in far)
    # 1,999 draws: standard error sqrt(p(1-p)/1999).
    assert _permuted(gone, y, expected, 0) == pytest.approx(exact, abs=4 * math.sqrt(exact / 1999) + 1 / 2000)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_informative_gaps_are_found(kind: str) -> None:
    rng = np.random.default_rng(1)
    y = rng.normal(size=600)
    gone = rng.uniform(size=600) < np.where(y > 0, 0.3, 0.1)
    x = [None if g else float(v) for g, v in zip(gone, rng.normal(size=600), strict=True)]
    target = np.where(y > 0, "hi", "lo").tolist() if kind == "classes" else y.tolist()
    result = run(table_of({"x": x, "z": rng.normal(size=600), "y": target}))
    (finding,) = found(result, "ER106")
    assert finding.where == ("x",)
    assert "is missing" in finding.sentence


@pytest.mark.full
@pytest.mark.parametrize("kind", ["classes", "three rare", "numbers"])
def test_gaps_at_random_raise_no_more_alarms_than_promised(kind: str) -> None:
    rng = np.random.default_rng(2)
    alarms, n_runs = 0, 150
    for _ in range(n_runs):
        x = [[None if rng.uniform() < 0.15 else float(v) for v in rng.normal(size=100)] for _ in range(3)]
        y: list[object] = rng.normal(size=100).tolist()
        if kind == "classes":
            y = rng.choice(["p", "q"], 100, p=[0.7, 0.3]).tolist()
        elif kind == "three rare":
            y = ["r", "r", "r", *rng.choice(["p", "q"], 97).tolist()]
        table = table_of(
            {**{f"x{j}": v for j, v in enumerate(x)}, "y": y}, types={f"x{j}": "number" for j in range(3)}
        )
        alarms += bool(informative_missingness(Audited(table, split_rows(table))).findings)
    # Family-wise 5 %: more than 5 % + 3 standard errors would be a broken promise.
    assert alarms <= n_runs * 0.05 + 3 * math.sqrt(n_runs * 0.05 * 0.95)


# -- leak suspects ---------------------------------------------------------------------------------


def leaky(kind: str, rng: np.random.Generator, n: int = 500) -> dict[str, object]:
    """Five columns; `leak` tells the target, `half` carries part of it."""
    x = rng.normal(size=(n, 4))
    y = x[:, 0] + rng.normal(size=n)
    if kind == "classes":
        labels = np.where(y > 0, "hi", "lo")
        flipped = rng.uniform(size=n) < 0.004
        leak = np.where(flipped, rng.choice(["hi", "lo"], n), labels)
        return {
            **{f"x{j}": x[:, j] for j in range(4)},
            "leak": np.char.add("code ", leak).tolist(),
            "y": labels.tolist(),
        }
    return {**{f"x{j}": x[:, j] for j in range(4)}, "leak": np.exp(y + 0.02 * rng.normal(size=n)), "y": y}


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_a_leak_is_named(kind: str) -> None:
    result = run(table_of(leaky(kind, np.random.default_rng(0))))  # type: ignore[arg-type]
    (finding,) = found(result, "ER113")
    assert (finding.where, finding.level) == (("leak",), "serious")
    assert result.findings[0] is finding
    assert "--drop leak" in finding.advice


@pytest.mark.full  # simulated
def test_a_column_to_which_the_others_add_nothing_is_named() -> None:
    # Four fifths of the variance by one column alone, nothing by the others: below the 90 % rule.
    rng = np.random.default_rng(3)
    x = rng.normal(size=(1500, 3))
    y = np.sqrt(0.8) * x[:, 0] + np.sqrt(0.2) * rng.normal(size=1500)
    (finding,) = leak_suspects_of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})
    assert (finding.where, finding.level) == (("a",), "warning")
    # The same share, but the others carry the rest: an honest strong column.
    honest = np.sqrt(0.8) * x[:, 0] + np.sqrt(0.2) * x[:, 1]
    assert not leak_suspects_of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": honest})


def leak_suspects_of(columns: dict[str, object]) -> list[Finding]:
    table = table_of(columns)  # type: ignore[arg-type]
    return leak_suspects(Audited(table, split_rows(table))).findings


@pytest.mark.full
def test_honest_strong_columns_raise_few_alarms() -> None:
    # At the boundary: one column explains 90 % (a little less after binning), five explain nothing.
    rng = np.random.default_rng(4)
    n_runs, alarms = 120, 0
    for _ in range(n_runs):
        x = rng.normal(size=(250, 6))
        y = np.sqrt(0.9) * x[:, 0] + np.sqrt(0.1) * rng.normal(size=250)
        table = table_of({**{f"x{j}": x[:, j] for j in range(6)}, "y": y})
        scores = column_scores(Audited(table, split_rows(table)))
        alarms += min(1.0, len(scores) * min(s.p_value for s in scores)) <= 0.05
    assert alarms <= n_runs * 0.05 + 3 * math.sqrt(n_runs * 0.05 * 0.95)


def test_score_of_one_column_is_the_share_of_variance() -> None:
    rng = np.random.default_rng(5)
    level = rng.integers(0, 4, 20_000)
    y = level + rng.normal(size=20_000)
    table = table_of({"g": [f"g{k}" for k in level], "z": rng.normal(size=20_000), "y": y})
    scores = {s.name: s.explained for s in column_scores(Audited(table, split_rows(table)))}
    true = 1.25 / 2.25  # variance of the means over the total variance
    assert scores["g"].low < true < scores["g"].high  # type: ignore[operator]
    assert scores["g"].high - scores["g"].low < 0.04  # type: ignore[operator]
    assert scores["z"].low < 0.0 < scores["z"].high + 0.01  # type: ignore[operator]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["regression", "binary"])
def test_intervals_of_single_columns_cover(kind: str) -> None:
    # One column: the simultaneous interval is a plain 95 % one. The truth is the mean over many samples.
    rng = np.random.default_rng(6)
    scores = []
    for _ in range(400):
        x = rng.normal(size=300)
        z = 1.2 * x + rng.normal(size=300)
        y = z if kind == "regression" else np.where(z > 0, "a", "b")
        table = table_of({"x": x, "y": y})
        scores.append(column_scores(Audited(table, split_rows(table)))[0].explained)
    truth = float(np.mean([s.value for s in scores]))
    covered = np.mean([s.low <= truth <= s.high for s in scores])  # type: ignore[operator]
    assert covered >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 400)


def test_audit_depends_on_training_rows_only_where_the_target_is_looked_at() -> None:
    data = clean(600)
    table = table_of(data)
    split = split_rows(table)
    before = [c for c in audit(table, split).checks if c.code in ("ER106", "ER113")]
    y = np.array(data["y"])
    y[split.test] = np.where(y[split.test] == "yes", "no", "yes")
    changed = table_of({**data, "y": y.tolist()})
    after = [c for c in audit(changed, split).checks if c.code in ("ER106", "ER113")]
    assert before == after
