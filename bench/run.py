"""The command: ``python -m bench.run [--quick] [--only NAME] [--runs N] [--cap SECONDS] [--out DIR]``.

Every row is measured in a process of its own, with all solvers taking turns on the same arrays.  Results go
to DIR: one JSON file a row, ``machine.json`` with what the machine does in a second, and ``table.md`` with
the rows that the folder holds.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench import cold, machine, table
from bench.limit import Rates
from bench.objectives import REGISTRY, ROWS
from bench.watch import measure

HERE = Path(__file__).parent


def main(arguments: list[str] | None = None) -> None:
    """Measure the chosen rows and write the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="tiny data: does everything still run?")
    parser.add_argument("--only", default="", metavar="NAME", help="rows whose name contains this")
    parser.add_argument(
        "--runs", type=int, default=5, help="timed runs of each solver (latency rows: 20 times as many)"
    )
    parser.add_argument(
        "--cap", type=float, default=60.0, metavar="SECONDS", help="longest run; over it, given up"
    )
    parser.add_argument(
        "--out", type=Path, default=None, metavar="DIR", help="bench/results, or build/bench when quick"
    )
    given = parser.parse_args(arguments)
    out = given.out or (HERE.parent / "build" / "bench" if given.quick else HERE / "results")
    chosen = [row for row in ROWS if given.only in row.name]
    if not chosen and given.only not in cold.NAME:
        known_rows = "; ".join([*(row.name for row in ROWS), cold.NAME])
        parser.error(f"--only {given.only!r} fits no row of: {known_rows}")
    out.mkdir(parents=True, exist_ok=True)
    rates = machine.rates(out / "machine.json")
    for row in chosen:
        print(row.name, flush=True)
        runs = given.runs * (20 if row.objective.startswith("latency") and not given.quick else 1)
        accuracy = getattr(REGISTRY[row.objective], "accuracy", table.ACCURACY)
        unit = getattr(REGISTRY[row.objective], "unit", "")
        measured = measure(row.objective, row.dataset, given.quick, runs, given.cap)
        facts = table.facts(measured, accuracy, unit)
        ratio = table.ratios(facts)
        print(
            "   ", {k: float(f"{v:.3g}") if isinstance(v, float) else v for k, v in ratio.items()}, flush=True
        )
        _write(out / f"{_slug(row.name)}.json", json.dumps({"row": row.name, **facts}, indent=1) + "\n")
    if given.only in cold.NAME:
        _write(out / "cold-start.json", json.dumps(cold.measure(given.runs), indent=1) + "\n")
    text = tabulate(out, rates)
    if (out / "cold-start.json").exists():
        text += cold.markdown(json.loads((out / "cold-start.json").read_text()))
    _write(out / "table.md", text)
    print(f"table: {out / 'table.md'}")


def tabulate(out: Path, rates: Rates) -> str:
    """Return the table of the rows that a folder holds."""
    known = {f["row"]: f for p in sorted(out.glob("*.json")) if "row" in (f := json.loads(p.read_text()))}
    ordered = {row.name: known[row.name] for row in ROWS if row.name in known}
    found = {
        row.name: table.limit(row.name, known[row.name], row.work, rates) for row in ROWS if row.name in known
    }
    limits = {name: one for name, one in found.items() if one is not None}
    why = {row.name: row.why for row in ROWS}
    return table.summary(ordered, machine.describe(rates), limits, why)


def _slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name).replace("--", "-")


def _write(path: Path, text: str) -> None:
    """Write beside the file, then rename: no half-written results."""
    temporary = path.with_suffix(path.suffix + ".part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    main()
