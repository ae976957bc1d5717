"""The section "Reproduce": command, versions, seed, fingerprint; no folder and no machine."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

from empirisk.data.memory import peak_memory
from empirisk.report.saved.versions import REPORT_PACKAGES, package_versions
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, integer, map_of, nullable, number, string
from empirisk.report.shapes.values import file_name, setting

__all__ = ["REPRODUCE"]

Json = dict[str, Any]


provenance = Record(
    {
        "command": string,
        "version": string,
        "python": string,
        "packages": map_of(string),
        "seed": integer,
        "created": string,
        "seconds": number,
        "peak_gigabytes": nullable(number),
        "fingerprint": string,
        "settings": map_of(setting),
        "model_file": nullable(file_name),
        "load_code": string,
        "citation": string,
    }
)


def _collect(m: Material) -> Json:
    from empirisk import __version__

    p = m.analysis.prepared
    return {
        "provenance": {
            "command": m.command,
            "version": __version__,
            "python": platform.python_version(),
            "packages": package_versions(REPORT_PACKAGES),
            "seed": p.seed,
            "created": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "seconds": round(m.seconds, 2),
            "peak_gigabytes": None if (peak := peak_memory()) is None else round(peak, 2),
            "fingerprint": p.table.fingerprint,
            "settings": m.settings,
            "model_file": "model.empirisk",
            "load_code": (
                'import empirisk as er\nmodel = er.load("model.empirisk")\nmodel.predict("new_rows.csv")'
            ),
            "citation": f"empirisk {__version__}: classical machine learning that shows its working.",
        }
    }


def _markdown(r: Json) -> prose.Lines:
    p = r["provenance"]
    versions = ", ".join(
        [f"empirisk {p['version']}", f"Python {p['python']}", *(f"{k} {v}" for k, v in p["packages"].items())]
    )
    said = [
        f"Made {esc(p['created'])} in {prose.spent(p)}, before its charts were drawn",
        f"Versions: {esc(versions)}",
        f"Seed: {p['seed']}; settings: {prose.code('provenance.settings')} of report.json",
        f"SHA-256 of the parsed table: {prose.code(p['fingerprint'])}",
        f"Cite: {esc(p['citation'])}",
    ]
    return [*prose.block(p["command"]), *prose.block(p["load_code"]), *prose.bullets(said)]


REPRODUCE = Section(
    "reproduce",
    "Reproduce",
    {"provenance": provenance},
    _collect,
    _markdown,
    "reproduce.html.j2",
)
