"""Whether the forecast of a report fits into the memory that is free."""

from __future__ import annotations

from empirisk.report.errors import DataError

__all__ = ["refuse_too_large"]


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
