"""The members of a model file, unpacked within limits and checked against their checksum."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from empirisk.report.errors import DataError
from empirisk.report.saved.model_schema import check_metadata

__all__ = ["FORMAT", "ModelFileError", "checksum", "pack", "short", "unpack"]

FORMAT = "empirisk-model/3"
MEMBERS = ("metadata.json", "model.skops")
# An honest file unpacks to a few times its size; beyond this a file is a trap for memory.
ROOM, TIMES, LARGEST = 20_000_000, 100, 2_000_000_000


class ModelFileError(DataError):
    """A model file that cannot or must not be used; the message is one sentence."""


def checksum(metadata: dict[str, Any], dump: bytes) -> str:
    """SHA-256 (hexadecimal) of everything that a model file holds but this checksum."""
    rest = {key: value for key, value in metadata.items() if key != "sha256"}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode())
    digest.update(hashlib.sha256(dump).digest())
    return digest.hexdigest()


def pack(metadata: dict[str, Any], dump: bytes) -> bytes:
    """Return the bytes of a model file; the checksum is put in."""
    signed = {**metadata, "sha256": checksum(metadata, dump)}
    text = json.dumps(signed, indent=1, allow_nan=False, ensure_ascii=False).encode()
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("metadata.json", text)
            archive.writestr("model.skops", dump)
        size = buffer.getbuffer().nbytes
        if len(text) + len(dump) + _inside(dump) <= _allowed(size):
            break
    return buffer.getvalue()


def unpack(file: Path) -> tuple[dict[str, Any], bytes]:
    """Return the metadata and the dump of the model.

    Raises
    ------
    ModelFileError
        The file is missing or damaged, was changed, is of another version, or would unpack to far more
        than its size.
    """
    if not file.exists():
        raise ModelFileError(f"{file.name} does not exist: give the model.empirisk of a report folder")
    if file.is_dir():
        raise ModelFileError(f"{file.name} is a folder: give the model.empirisk in it")
    try:
        with zipfile.ZipFile(file) as archive:
            found = {i.filename: i.file_size for i in archive.infolist()}
            if sorted(found) != sorted(MEMBERS) or len(archive.infolist()) != len(MEMBERS):
                raise ModelFileError(f"{file.name} is not an empirisk model file: it holds {_list(found)}")
            size = file.stat().st_size
            _refuse_bomb(file, sum(found.values()), size)
            raw, dump = archive.read("metadata.json"), archive.read("model.skops")
        _refuse_bomb(file, _inside(dump), size)
        metadata = json.loads(raw)
    except ModelFileError:
        raise
    except Exception as error:  # what zipfile, zlib and json raise for damaged archives is a long list
        raise ModelFileError(
            f"{file.name} is damaged or is not an empirisk model file ({short(error)}): copy it again"
        ) from error
    if not isinstance(metadata, dict) or metadata.get("format") != FORMAT:
        kind = metadata.get("format") if isinstance(metadata, dict) else None
        raise ModelFileError(
            f"{file.name} has format {kind!r} and this version reads {FORMAT!r}: "
            "use the version of empirisk that wrote it, or run the report again"
        )
    if checksum(metadata, dump) != metadata.get("sha256"):
        raise ModelFileError(
            f"{file.name} was changed after it was written (its checksum differs): copy it again"
        )
    if wrong := check_metadata(metadata):
        raise ModelFileError(f"{file.name} cannot be used: in its metadata, {wrong}; run the report again")
    return metadata, dump


def _allowed(size: int) -> int:
    return min(LARGEST, max(ROOM, TIMES * size))


def _refuse_bomb(file: Path, unpacked: int, size: int) -> None:
    if unpacked > _allowed(size):
        raise ModelFileError(
            f"{file.name} has {size:,} bytes and would unpack to {unpacked:,}, which no model"
            " needs: it is refused"
        )


def _inside(dump: bytes) -> int:
    """Return the bytes to which a dump, which is an archive itself, unpacks."""
    if not zipfile.is_zipfile(io.BytesIO(dump)):
        return 0
    with zipfile.ZipFile(io.BytesIO(dump)) as archive:
        return sum(i.file_size for i in archive.infolist())


def _list(names: Any) -> str:
    shown = sorted(str(n) for n in names)
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "") or "nothing"


def short(error: BaseException) -> str:
    """Return what an error says, in at most 160 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 160 else text[:157] + "..."
