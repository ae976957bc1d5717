"""How to make the same report again: command, versions, seed, fingerprint; no folder and no machine."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import PurePath
from typing import Any

__all__ = ["bare_command", "provenance"]

Json = dict[str, Any]
PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "skops", "matplotlib", "jinja2")
_FILE_OPTIONS = ("--out", "--test")


def bare_command(arguments: Sequence[str]) -> str:
    """Return a command line with file names instead of paths.

    Examples
    --------
    >>> bare_command(["report", "/home/me/a b.csv", "--target", "y", "--out=/tmp/r"])
    "empirisk report 'a b.csv' --target y --out=r"
    """
    words, named = [], False
    for i, word in enumerate(arguments):
        option, equals, value = word.partition("=")
        if equals and option in _FILE_OPTIONS:
            word = f"{option}={PurePath(value).name}"
        elif named or i == 1:
            word = PurePath(word).name or word
        named = word in _FILE_OPTIONS
        words.append(word)
    return shlex.join(["empirisk", *words])


def provenance(
    command: str, seed: int, seconds: float, fingerprint: str, settings: Json, model_file: str | None
) -> Json:
    """Return the section of the page that says how to repeat and cite the report."""
    from empirisk import __version__

    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {
        "command": command,
        "version": __version__,
        "python": platform.python_version(),
        "packages": packages,
        "seed": seed,
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": round(seconds, 2),
        "fingerprint": fingerprint,
        "settings": settings,
        "model_file": model_file,
        "load_code": 'import empirisk as er\nmodel = er.load("model.empirisk")\nmodel.predict("new_rows.csv")',
        "citation": f"empirisk {__version__}: classical machine learning that shows its working.",
    }
