"""No sentence of a rendered report shows a number in the notation of a program."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tests.report.reports import make_report, two_classes

CODE = ("command", "load_code", "settings")
E_NOTATION = re.compile(r"(?<![\w.#-])\d+(?:\.\d+)?e[+-]?\d+(?![\w-])")


def houses(n: int = 160) -> pl.DataFrame:
    """Prices in the hundred thousands, years, gaps that go with the price, a text, near copies."""
    rng = np.random.default_rng(0)
    area, year = rng.uniform(50, 250, n).round(1), rng.integers(1872, 2011, n)
    price = (2900 * area + 900 * (year - 1870) + rng.normal(size=n) * 55000).round()
    pool = [None if p < 600_000 else 12.5 for p in price]
    garage = [None if p < 500_000 or i % 9 == 0 else 30.0 + i for i, p in enumerate(price)]
    note = [
        f"a house of {a} square metres, built {y}, number {i}"
        for i, (a, y) in enumerate(zip(area, year, strict=True))
    ]
    return pl.DataFrame(
        {"area": area, "year": year, "pool": pool, "garage": garage, "note": note, "price": price}
    )


def tiny(n: int = 120) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, 2))
    return pl.DataFrame(
        {"a": x[:, 0] * 1e-7, "b": x[:, 1] * 1e6, "y": (x[:, 0] + 0.2 * rng.normal(size=n)) * 1e-4}
    )


def strings(value: Any, key: str = "") -> list[str]:
    if isinstance(value, dict):
        return [
            s
            for k, v in value.items()
            if k not in ("command", "load_code", "settings")
            for s in strings(v, k)
        ]
    if isinstance(value, list):
        return [s for v in value for s in strings(v, key)]
    return [value] if isinstance(value, str) else []


def test_numbers_of_a_short_report_are_written_out(classes_made: Path) -> None:
    for said in strings(json.loads((classes_made / "out" / "report.json").read_text())):
        assert not E_NOTATION.search(said), said


@pytest.mark.full  # a report of its own; classes are looked at in the quick suite
def test_numbers_of_a_short_regression_are_written_out(numbers_made: Path) -> None:
    test_numbers_of_a_short_report_are_written_out(numbers_made)


@pytest.mark.full  # three long reports; a short one is read in the quick suite
@pytest.mark.parametrize("made", ["houses", "tiny", "classes"])
def test_numbers_of_sentences_are_written_out(tmp_path: Path, made: str) -> None:
    frame, target = {
        "houses": (houses(), "price"),
        "tiny": (tiny(), "y"),
        "classes": (two_classes(), "answer"),
    }[made]
    make_report(tmp_path, frame, target, time_limit=None)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    for said in strings(report):
        assert not E_NOTATION.search(said), said
    if made == "houses":
        page = (tmp_path / "out" / "report.md").read_text()
        assert "1,8" not in "".join(re.findall(r"\| year \|.*", page))
        gaps = [f for f in report["findings"] if f["code"] == "ER106"]
        assert len(gaps) == 1
        assert set(gaps[0]["where"]) == {"pool", "garage"}
        note = next(c for c in report["data"]["columns"] if c["name"] == "note")
        assert (note["role"], note["type"]) == ("feature", "text")  # it was left out before texts were read
        share = next(c for c in report["checks"] if c["code"] == "ER204")["sentence"]
        assert max(float(v) for v in re.findall(r"([\d.]+) %", share)) <= 100.0
