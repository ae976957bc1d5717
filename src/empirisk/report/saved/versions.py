"""Versions of the packages that a result depends on, then and now."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

__all__ = [
    "MODEL_PACKAGES",
    "REPORT_PACKAGES",
    "package_versions",
    "versions_sentence",
    "versions_then_and_now",
]

MODEL_PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "skops")
REPORT_PACKAGES = (*MODEL_PACKAGES, "matplotlib", "jinja2")


def package_versions(names: Sequence[str]) -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    out = {}
    for name in names:
        try:
            out[name] = version(name)
        except PackageNotFoundError:
            continue
    return out


def versions_then_and_now() -> dict[str, str]:
    """Return what a model file keeps: Python, empirisk and the packages that a prediction depends on."""
    from empirisk import __version__

    return {"python": platform.python_version(), "empirisk": __version__, **package_versions(MODEL_PACKAGES)}


def versions_sentence(saved: Mapping[str, str]) -> str:
    """Say which versions differ from those of a model file.

    Examples
    --------
    >>> versions_sentence({"numpy": "0.1"}).startswith("versions differ: numpy 0.1 then and ")
    True
    """
    now = versions_then_and_now()
    differ = [f"{k} {saved[k]} then and {now.get(k, 'none')} now" for k in saved if saved[k] != now.get(k)]
    if not differ:
        return "the versions are the same as then, so the file was changed or damaged"
    return "versions differ: " + ", ".join(differ)
