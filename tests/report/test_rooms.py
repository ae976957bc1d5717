"""The rooms of the report stand on each other in one order, from the file that is read to the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.oracles.structure import PACKAGE, scan_of

REPORT = PACKAGE / "report"

# A room (a folder or a file of the report) may import those above it in this list, never those below.
# The audit looks at rows that are split and encoded as for a fit, and the engine looks at the audit: the two
# know each other.
ROOMS = (
    {"errors", "shapes"},
    {"atomic", "estimates", "guarded", "overrun", "progress", "replaced"},
    {"read"},
    {"audit", "fit"},
    {"options"},
    {"clusters", "saved"},
    {"sections"},
    {"schema"},
    {"collect", "render"},
    {"run"},
    {"run_clusters", "targets", "made_targets"},
    {"made"},
)
LEVEL = {name: level for level, names in enumerate(ROOMS) for name in names}
PAIRS = {("audit", "fit"), ("fit", "audit")}


def room_of(file: Path, root: Path = REPORT) -> str:
    return file.relative_to(root).parts[0].removesuffix(".py")


def against(file: Path, root: Path = REPORT) -> Iterator[str]:
    """What a file imports from a room that stands beside or above its own."""
    here = room_of(file, root)
    for statement in scan_of(file).imports:
        named = re.match(r"empirisk\.report\.(\w+)", statement.module)
        there = named[1] if named else here
        if there != here and LEVEL[there] >= LEVEL[here] and (here, there) not in PAIRS:
            yield f"{file.relative_to(root)}:{statement.line}: {here} -> {there}"


def test_rooms_import_what_stands_below_them() -> None:
    files = [f for f in sorted(REPORT.rglob("*.py")) if f != REPORT / "__init__.py"]
    new = {room_of(f) for f in files} - set(LEVEL)
    assert not new, f"add the new room to ROOMS of {Path(__file__).name}: {sorted(new)}"
    assert not [said for f in files for said in against(f)]


def test_a_wrong_import_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "fit" / "bad.py"
    file.parent.mkdir()
    file.write_text(
        "from empirisk.report.read.table import Table\ndef f():\n    import empirisk.report.sections.x\n"
    )
    assert list(against(file, tmp_path)) == ["fit/bad.py:3: fit -> sections"]
