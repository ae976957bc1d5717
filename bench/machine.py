"""What the times depend on: processor, cores, memory, and versions."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
from pathlib import Path

PACKAGES = (
    "empirisk numpy scipy scikit-learn scikit-learn-intelex celer skglm liblinear-official glum statsmodels "
    "torch jax blackjax numpyro"
)


def describe() -> dict[str, str]:
    """Return what the machine is and which versions run on it, by name."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "versions": ", ".join(
            f"{name} {version}" for name in PACKAGES.split() if (version := _version(name))
        ),
    }


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
