"""The metadata of a model file: under the checksum, checked key by key, unpacked within limits."""

from __future__ import annotations

import copy
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from empirisk.report.saved import unpack as unpacking
from empirisk.report.saved.inspect_file import inspect_lines
from empirisk.report.saved.model_file import ModelFileError, load, read_metadata
from empirisk.report.saved.unpack import checksum
from empirisk.report.saved.verify_file import verify_file, verify_lines
from tests.report.test_model_file import pack, unpack

Json = dict[str, Any]


@pytest.fixture(scope="module")
def made(classes_made: Path) -> Path:
    return classes_made


@pytest.fixture(scope="module")
def whole(made: Path) -> tuple[Json, bytes]:
    return unpack(made / "out" / "model.empirisk")


def paths(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key of a nested value; of a list the first two items."""
    items = (
        value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    )
    for key, inner in items:
        yield (*at, key)
        yield from paths(inner, (*at, key))


def changed(metadata: Json, path: tuple[Any, ...], change: Any) -> Json:
    """The metadata with the value at a path replaced, or taken out when `change` is the ellipsis."""
    out = copy.deepcopy(metadata)
    place = out
    for key in path[:-1]:
        place = place[key]
    if change is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = change
    return out


def test_every_change_of_the_metadata_is_refused(
    made: Path, whole: tuple[Json, bytes], tmp_path: Path
) -> None:
    """A checksum that leaves out the classes would let every answer be inverted."""
    metadata, dump = whole
    file = tmp_path / "m.empirisk"
    for path in paths(metadata):
        if path in (("format",), ("sha256",)):
            continue
        for change in (..., None):
            other = changed(metadata, path, change)
            if other == metadata:
                continue
            with pytest.raises(ModelFileError, match="checksum differs"):
                read_metadata(pack(file, other, dump))
    swapped = changed(metadata, ("task", "classes"), metadata["task"]["classes"][::-1])
    with pytest.raises(ModelFileError, match="checksum differs"):
        load(pack(file, swapped, dump))


@pytest.mark.full  # a thousand files
def test_damaged_metadata_with_a_fitting_checksum_ends_in_a_sentence(
    made: Path, whole: tuple[Json, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever key is missing or of another type: a sentence, or the file works."""
    metadata, dump = whole
    real = load(made / "out" / "model.empirisk")
    table = real.read(made / "table.csv", labelled=True)
    # The model itself is the same in every turn; building it a thousand times would test nothing.
    monkeypatch.setattr("empirisk.report.saved.model_file._build", lambda file, dump, metadata: real.pipeline)
    file, worked = tmp_path / "m.empirisk", 0
    said: list[str] = []
    for path in paths(metadata):
        if path in (("format",), ("sha256",)) or path[:2] == ("rows", "marks"):
            continue
        for change in (..., None, "x"):
            other = changed(metadata, path, change)
            other["sha256"] = checksum(other, dump)
            try:
                model = load(pack(file, other, dump))
                inspect_lines(model.metadata)
                if path[0] not in ("probes", "decisions"):
                    verify_lines(verify_file(model, table))
                worked += 1
            except ModelFileError as error:
                said.append(str(error))
    assert len(said) > 300
    assert worked < len(said)  # words such as the label of the model may say anything
    assert not any("\n" in text for text in said)


@pytest.mark.parametrize("inside", ["metadata.json", "model.skops", "dump"])
def test_a_file_that_unpacks_to_far_more_than_its_size_is_refused_before(
    whole: tuple[Json, bytes], tmp_path: Path, inside: str
) -> None:
    metadata, dump = whole
    blanks = b" " * 200_000_000
    file = tmp_path / "bomb.empirisk"
    if inside == "dump":
        inner = tmp_path / "inner.zip"
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("schema.json", blanks)
        members = {"metadata.json": json.dumps(metadata).encode(), "model.skops": inner.read_bytes()}
    else:
        members = {"metadata.json": json.dumps(metadata).encode(), "model.skops": dump} | {inside: blanks}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    assert file.stat().st_size < 1_000_000
    del blanks, members
    tracemalloc.start()
    with pytest.raises(ModelFileError, match="which no model needs"):
        load(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50_000_000


def test_an_honest_file_that_packs_well_is_not_taken_for_a_trap(
    whole: tuple[Json, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    metadata, _ = whole
    monkeypatch.setattr(unpacking, "ROOM", 1000)
    dump = b"0" * 1_000_000
    file = tmp_path / "m.empirisk"
    file.write_bytes(unpacking.pack(metadata, dump))
    assert unpacking.unpack(file)[1] == dump


def test_other_versions_are_named(whole: tuple[Json, bytes], tmp_path: Path) -> None:
    metadata, dump = whole
    with pytest.raises(ModelFileError, match="'empirisk-model/1' and this version reads 'empirisk-model/3'"):
        load(pack(tmp_path / "m.empirisk", metadata | {"format": "empirisk-model/1"}, dump))
