"""What the times depend on: processor, cores, memory, and versions."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import re
from dataclasses import asdict
from pathlib import Path

from bench import limit

PACKAGES = (
    "empirisk numpy scipy scikit-learn scikit-learn-intelex celer skglm liblinear-official glum statsmodels "
    "torch jax blackjax numpyro"
)


def rates(kept: Path) -> limit.Rates:
    """Measure what the machine does in a second, and keep the best of this and earlier runs on its processor.

    Other programs can only slow a measurement down, so that the largest is the nearest to the machine.
    """
    found, processor = limit.measure(), _processor()
    if kept.exists():
        known = json.loads(kept.read_text())
        if known["processor"] == processor:
            found = found.best_of(limit.Rates(**known["rates"]))
    kept.write_text(json.dumps({"processor": processor, "rates": asdict(found)}, indent=1) + "\n")
    return found


def describe(found: limit.Rates | None = None) -> dict[str, str]:
    """Return what the machine is, what it does in a second, and which versions run on it, by name."""
    did = {} if found is None else {"rates": _in_words(found)}
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        **did,
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join(
            f"{name} {version}" for name in PACKAGES.split() if (version := _version(name))
        ),
    }


def _in_words(found: limit.Rates) -> str:
    return (
        f"{found.bytes / 1e9:.1f} GB/s read from memory, {found.flops64 / 1e9:.0f} Gflop/s of GEMM in 64 "
        f"bits and {found.flops32 / 1e9:.0f} in 32, on all cores"
    )


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1).strip() if found else platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        if name == "empirisk":
            import empirisk

            return empirisk.__version__
        return ""
