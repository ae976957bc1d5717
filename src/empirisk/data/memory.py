"""How much memory is free and was used, and the refusal of work that needs more."""

from __future__ import annotations

from pathlib import Path

__all__ = ["available_memory", "peak_memory", "refuse_memory"]

_MEMINFO, _OWN = Path("/proc/meminfo"), Path("/proc/self/status")


def available_memory(source: Path = _MEMINFO) -> float | None:
    """Return the free memory in GB, or None where the system does not say."""
    kibibytes = _entry(source, "MemAvailable:")
    return None if kibibytes is None else kibibytes / 1e6


def peak_memory(source: Path = _OWN) -> float | None:
    """Return the most memory in GB that this process held so far, or None where the system does not say."""
    kibibytes = _entry(source, "VmHWM:")
    return None if kibibytes is None else 1024.0 * kibibytes / 1e9


def _entry(source: Path, name: str) -> int | None:
    """Return a number of KiB from a file of the system."""
    try:
        lines = source.read_text(encoding="utf-8", errors="replace").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(name))
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def refuse_memory(what: str, forecast: float, advice: str) -> None:
    """Refuse work before the system ends it without a word.

    Parameters
    ----------
    what : str
        The subject of the sentence.
    forecast : float
        Bytes.
    advice : str
        What to do.

    Raises
    ------
    MemoryError
        Says the forecast, the free memory and the advice.
    """
    free = available_memory()
    if free is not None and forecast > free * 1e9:
        raise MemoryError(f"{what} needs about {forecast / 1e9:.1f} GB and {free:.1f} GB are free: {advice}")
