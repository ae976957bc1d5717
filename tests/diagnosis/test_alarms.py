"""False alarms and power of every finding, as docs/findings/false-alarms.md has them; a few in every run."""

from __future__ import annotations

import re

import pytest

import bench.alarms as study
from bench.alarms.harness import FAMILY, Result, monte_carlo_error
from bench.alarms.page import BEGIN, DOCS, END, page, stored, table
from bench.alarms.scenario import Scenario
from empirisk.diagnosis import REGISTRY
from tests.oracles.complete import complete, page_of

SCENARIOS = study.load()
LEVEL = 5.0
# Above 5 % by what is known and said on the page of the finding: the folds share training rows, so that the
# permutation test of ER205 is at 3.5 to 7.3 %; intervals miss in 5 % by design, and are approximations.
SLACK = {"ER205": 2.5, "ER203": 3.0, "ER216": 3.0, "ER217": 6.0}

FAST = (
    "ER201/ridge(20), 20 columns/60",
    "ER202/least squares, straight truth/300",
    "ER204/ridge, signal a tenth of the noise/1000",
    "ER204/ridge, pure noise/1000",
    "ER205/ridge, folds alike/300",
    "ER215/penalties up to 1 for 20 columns, nothing to gain/200",
    "ER217/numbers, upper limit/400",
)


def check(s: Scenario, r: Result) -> None:
    """At most 5 % alarms where every alarm is false, the promised power where there is a fault."""
    if s.truth == "fault":
        assert r.fires >= s.least - 3.0 * monte_carlo_error(s.least, r.runs)
    else:
        limit = LEVEL + SLACK.get(s.code, 0.0)
        assert r.fires <= limit + 3.0 * monte_carlo_error(limit, r.runs)


def test_every_finding_has_scenarios_with_and_without_its_fault() -> None:
    for code in REGISTRY:
        truths = {s.truth for s in SCENARIOS.values() if s.code == code}
        assert "interval" in truths or {"null", "fault"} <= truths, (
            f"add scenarios of {code!r} without and with its fault to bench/alarms/cases_<name>.py"
        )
    known = {s.code for s in SCENARIOS.values()}
    complete(known, {*REGISTRY, FAMILY}, "a scenario", "bench/alarms/cases_<name>.py")


@pytest.mark.parametrize("name", FAST)
def test_a_few_scenarios(name: str) -> None:
    s = SCENARIOS[name]
    check(s, study.measure(s, 25 / s.runs, seed=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_alarms_and_power(name: str) -> None:
    check(SCENARIOS[name], study.measure(SCENARIOS[name], 0.5, seed=1))


@pytest.mark.parametrize("name", sorted(stored()))
def test_the_published_numbers_keep_the_level(name: str) -> None:
    assert name in SCENARIOS, "a result without its scenario: measure again, or remove it"
    check(SCENARIOS[name], stored()[name])


def test_the_pages_show_the_stored_numbers() -> None:
    index = page_of(DOCS, "README")
    for code in REGISTRY:
        text = page_of(DOCS, code, "docs/skeletons/finding.md")
        assert f"[{code}]({code}.md)" in index, f"add a row for {code!r} to docs/findings/README.md"
        found = re.search(re.escape(BEGIN) + r"\s*(.*?)\s*" + re.escape(END), text, flags=re.DOTALL)
        assert found, f"add the two comments around the table of alarms to docs/findings/{code}.md"
        measured = any(name.startswith(code) for name in stored())
        assert measured, f"add alarms of {code!r} to bench/results: run python -m bench.alarms --only {code}"
        assert found.group(1) == table(SCENARIOS, code), (
            f"run python -m bench.alarms --pages: {code}.md is old"
        )
    text = (DOCS / "false-alarms.md").read_text(encoding="utf-8")
    assert text == page(SCENARIOS), "run python -m bench.alarms --pages: false-alarms.md is old"


def test_a_finding_that_always_speaks_would_be_seen() -> None:
    s = SCENARIOS[FAST[0]]
    always = Result(400, 100.0, 0.0, 0.0, 0.0, 95.0, 0.0, 0.0, float("nan"), 0)
    with pytest.raises(AssertionError):
        check(s, always)
