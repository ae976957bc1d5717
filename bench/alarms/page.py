"""The page of all alarms, and the tables inside the pages of the findings, from the stored results."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from pathlib import Path

from bench.alarms.harness import Result, monte_carlo_error
from bench.alarms.scenario import Scenario
from bench.coverage.page import write

DOCS = Path(__file__).resolve().parents[2] / "docs" / "findings"
PAGE = DOCS / "false-alarms.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "alarms.json"
BEGIN, END = "<!-- alarms: made by python -m bench.alarms -->", "<!-- end of alarms -->"

HEAD = """# How often the findings speak

Made by `python -m bench.alarms` with seed 0, every finding by itself at 5 % (in `er.diagnose` Holm's
correction over all findings makes alarms rarer). Shares are in per cent.

- **fires**: samples with an alarm, with one Monte-Carlo standard error. Without a fault and at the
  boundary it should be at most 5; where the truth says "interval" it counts intervals that miss the
  known truth.
- **clear**: samples in which the defect was ruled out; the rest is "cannot tell".
- **gain**: what the alternative really saves, as a share of the baseline's loss (the mean over the
  samples). An alarm with a gain below the margin of 2 % is false.
- **covers**: how often the 95 % interval holds that gain. (Where ER201 fires, the gain is that of the first
  of its two alternatives that is proven; the mean, this column and the next then mix the two.)
- **at the gain**: false alarms / wrong "clear" when that gain itself is put as the margin, nominally at
  most 5 / 5.
- **fixed rule**: the rule of a published checker with fixed thresholds (skore 0.28), or a rule of thumb,
  on the same samples.

"""
TOGETHER = "All findings together, Holm's correction at 5 %: any of them fires"
WORDS = {"null": "no fault", "boundary": "boundary", "fault": "**fault**", "interval": "interval"}
COLUMNS = "| truth | setting | n | samples | fires | clear | gain | covers | at the gain | fixed rule |"
RULER = "|---|---|---|---|---|---|---|---|---|---|"


def number(value: float | None, digits: int = 1) -> str:
    """A number, or nothing where it has no meaning."""
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def row(s: Scenario, r: Result) -> str:
    """Return one row of the table: a scenario with its shares and their errors."""
    fires = f"{r.fires:.1f} ± {r.error:.1f}"
    edge = "" if math.isnan(r.edge_fires) else f"{r.edge_fires:.1f} / {r.edge_clears:.1f}"
    rule = "" if math.isnan(r.rule) else f"{r.rule:.0f} ± {monte_carlo_error(r.rule, r.rule_runs):.0f}"
    cells = (WORDS[s.truth], s.name, f"{s.n:,}", f"{r.runs:,}", fires, number(r.clears), number(r.gain))
    return f"| {' | '.join((*cells, number(r.covers), edge, rule))} |"


def stored() -> dict[str, Result]:
    """The last full-size result of every scenario."""
    raw = json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}
    return {
        name: Result(**{k: math.nan if v is None else v for k, v in r.items()}) for name, r in raw.items()
    }


def store(results: dict[str, Result], scenarios: dict[str, Scenario]) -> None:
    """Keep results, beside those of the other scenarios."""
    both = {name: r for name, r in {**stored(), **results}.items() if name in scenarios}
    plain = {
        name: {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in asdict(r).items()}
        for name, r in both.items()
    }
    write(json.dumps(plain, indent=1, sort_keys=True) + "\n", STORE)


def table(scenarios: dict[str, Scenario], code: str) -> str:
    """The table of one finding; empty when nothing is stored."""
    results = stored()
    rows = [row(s, results[name]) for name, s in scenarios.items() if s.code == code and name in results]
    return "\n".join((COLUMNS, RULER, *rows)) if rows else ""


def page(scenarios: dict[str, Scenario]) -> str:
    """Return the whole page: a table for each finding."""
    parts = []
    for code in sorted({s.code for s in scenarios.values()}):
        made = table(scenarios, code)
        if made:
            link = f"[{code}]({code}.md)" if (DOCS / f"{code}.md").exists() else TOGETHER
            parts.append(f"## {link}\n\n{made}\n")
    return HEAD + "\n".join(parts)


def fill(text: str, made: str) -> str:
    """A page of a finding with its table between the marks replaced."""
    block = f"{BEGIN}\n\n{made}\n\n{END}"
    return re.sub(re.escape(BEGIN) + ".*?" + re.escape(END), lambda _: block, text, flags=re.DOTALL)


def write_pages(scenarios: dict[str, Scenario]) -> None:
    """The page of all alarms, and the tables of the pages of the findings; results without a scenario go."""
    store(stored(), scenarios)
    write(page(scenarios), PAGE)
    for path in sorted(DOCS.glob("ER2*.md")):
        text = path.read_text(encoding="utf-8")
        made = table(scenarios, path.stem)
        if made and BEGIN in text:
            write(fill(text, made), path)
