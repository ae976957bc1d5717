"""The tables of the README are those of the results, and its text stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.readme import BEGIN, END, renewed

ROOT = Path(__file__).parents[2]


def test_the_readme_holds_the_tables_of_the_results() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    results = (ROOT / "bench" / "results" / "table.md").read_text(encoding="utf-8")
    assert renewed(readme, results) == readme, "python -m bench.readme writes them"


def test_only_tables_and_medians_change() -> None:
    table = "| row | ours |\n|---|---|\n| x | 1 |"
    readme = f"a\n{BEGIN}\nhow\n\n{table}\n\nMedian ratio to p: 1.0.\n\nwhy\n{END}\nb\n"
    found = "| row | ours | limit |\n|---|---|---|\n| x | 2 | 3 |"
    results = f"# t\n\n{found}\n\nMedian ratio to p: 2.0.\n\n## x\n\n| a |\n"
    wanted = readme.replace("| x | 1 |", "| x | 2 |").replace("1.0.", "2.0.")
    assert renewed(readme, results) == wanted
    with pytest.raises(ValueError, match="must hold"):
        renewed("nothing", results)
    with pytest.raises(ValueError, match="0 tables"):
        renewed(f"{BEGIN}{END}", results)
