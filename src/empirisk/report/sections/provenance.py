"""How to make the same report again: command, versions, seed, fingerprint; no folder and no machine."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

from empirisk.report.saved.versions import REPORT_PACKAGES, package_versions

__all__ = ["provenance"]

Json = dict[str, Any]


def provenance(
    command: str, seed: int, seconds: float, fingerprint: str, settings: Json, model_file: str | None
) -> Json:
    """Return the section of the page that says how to repeat and cite the report."""
    from empirisk import __version__

    return {
        "command": command,
        "version": __version__,
        "python": platform.python_version(),
        "packages": package_versions(REPORT_PACKAGES),
        "seed": seed,
        "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "seconds": round(seconds, 2),
        "fingerprint": fingerprint,
        "settings": settings,
        "model_file": model_file,
        "load_code": (
            'import empirisk as er\nmodel = er.load("model.empirisk")\nmodel.predict("new_rows.csv")'
        ),
        "citation": f"empirisk {__version__}: classical machine learning that shows its working.",
    }
