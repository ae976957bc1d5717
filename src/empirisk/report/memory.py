"""Whether the forecast of a report fits into the memory that is free."""

from __future__ import annotations

from pathlib import Path

from empirisk.report.errors import DataError

__all__ = ["available_memory", "refuse_too_large"]

_MEMINFO = Path("/proc/meminfo")


def available_memory(source: Path = _MEMINFO) -> float | None:
    """Free memory in GB, or None where the system does not say."""
    try:
        lines = source.read_text(encoding="ascii").splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
    return kilobytes / 1e6


def refuse_too_large(forecast: float, available: float | None) -> None:
    """Refuse work whose forecast exceeds the free memory, before the system ends it without a word.

    Parameters
    ----------
    forecast, available : float or None
        In GB.

    Raises
    ------
    DataError
        Says both and what to do.

    Examples
    --------
    >>> refuse_too_large(1.0, 8.0)
    >>> refuse_too_large(1.0, None)
    """
    if available is not None and forecast > available:
        raise DataError(
            f"this report needs about {forecast:.1f} GB of memory and {available:.1f} GB are free: "
            "leave out columns with many levels (--drop), or give fewer rows"
        )
