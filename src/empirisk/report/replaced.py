"""What a report that is about to be made replaces: another one in the same folder, which is said before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from empirisk.wording import listed

__all__ = ["replaced"]

Json = dict[str, Any]


def replaced(folder: Path, targets: tuple[str, ...], source: str) -> str:
    """Return the line on a report about something else that lies in a folder; "" where there is none.

    Parameters
    ----------
    folder : Path
        Where the new report goes.
    targets : tuple of str
        What it is about; none for a report on clusters.
    source : str
        Name of its file.

    Examples
    --------
    >>> replaced(Path("no-such-folder"), ("price",), "houses.csv")
    ''
    """
    try:
        old = json.loads((folder / "report.json").read_text(encoding="utf-8"))
        about = _targets(old), str(old["source"] if "source" in old else old["data"]["source"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # none, or not of ours
        return ""
    if about == (targets, source):
        return ""
    on = listed([repr(name) for name in about[0]]) if about[0] else "clusters"
    return (
        f"The folder {folder.name} holds a report on {on} of {about[1]}, which this one will replace; "
        "--out names another folder."
    )


def _targets(report: Json) -> tuple[str, ...]:
    if "targets" in report:
        return tuple(str(row["target"]) for row in report["targets"])
    return (str(report["task"]["target"]),) if "target" in report.get("task", {}) else ()
