"""False alarms and power of the findings of `empirisk.diagnosis`, beside fixed-threshold rules.

    python -m bench.alarms                every scenario; writes docs/findings/false-alarms.md and the
                                          tables in the pages docs/findings/ER2xx.md
    python -m bench.alarms --only ER205   measures the scenarios whose name holds "ER205" anew
    python -m bench.alarms --scale 0.1    a tenth of the samples, printed only

Every scenario draws a sample, asks one finding, and counts its answers. The gain of the alternative is known
from the simulation itself: the mean of the estimated gains is an unbiased estimate of the true one, and the
level is also checked at the boundary by putting that gain as the margin.
"""

from __future__ import annotations

import importlib
import pkgutil

from bench.alarms.harness import SCENARIOS, Result, measure
from bench.alarms.scenario import Scenario

__all__ = ["SCENARIOS", "Result", "Scenario", "load", "measure"]


def load() -> dict[str, Scenario]:
    """Import every module of scenarios (cases_*.py) and return the registry."""
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("cases_"):
            importlib.import_module(f"bench.alarms.{module.name}")
    return SCENARIOS
