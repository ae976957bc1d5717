"""How much memory is free, and the refusal of work that needs more."""

from __future__ import annotations

from pathlib import Path

__all__ = ["available_memory", "refuse_memory"]

_MEMINFO = Path("/proc/meminfo")


def available_memory(source: Path = _MEMINFO) -> float | None:
    """Return the free memory in GB, or None where the system does not say."""
    try:
        lines = source.read_text(encoding="ascii").splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    return kilobytes / 1e6


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
