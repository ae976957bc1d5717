"""No module of the package imports, over any way, itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.oracles.import_graph import cycles, import_graph, way_round
from tests.oracles.structure import PACKAGE


def test_no_module_imports_itself_over_others() -> None:
    graph = import_graph(PACKAGE)
    assert sum(map(len, graph.values())) > 1000, "the scan found next to no imports"
    ways = [" -> ".join(way_round(component, graph)) for component in cycles(graph)]
    assert not ways, (
        "import cycles; move what both need to a module of its own, or ask for a protocol:\n"
        + "\n".join(ways)
    )


WAYS = {
    "at the top": "from {0} import x\n",
    "in a function": "def f():\n    from {0} import x\n",
    "for the type checker": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {0} import x\n",
    "as a module": "import {0}\n",
    "under another name": "import {0} as other\n",
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_cycle_is_seen_and_named(way: str, tmp_path: Path) -> None:
    package = tmp_path / "house"
    (package / "room").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "room" / "__init__.py").write_text("")
    (package / "a.py").write_text("from house.room import b\nimport os\n")
    (package / "room" / "b.py").write_text("import house.c\n")
    (package / "c.py").write_text(way.format("house.a"))
    graph = import_graph(package)
    (found,) = cycles(graph)
    assert way_round(found, graph) == ["house.a", "house.room.b", "house.c", "house.a"]
    (package / "c.py").write_text("from house.room.b.deeper import x\n")
    assert not cycles(import_graph(package))


def test_a_package_is_a_module_too(tmp_path: Path) -> None:
    package = tmp_path / "house"
    package.mkdir()
    (package / "__init__.py").write_text("from house.a import x\n")
    (package / "a.py").write_text("from house import y\n")
    assert cycles(import_graph(package)) == [frozenset({"house", "house.a"})]
