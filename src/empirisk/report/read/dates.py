"""Dates as people write them: which format reads all of a column."""

from __future__ import annotations

import polars as pl

__all__ = ["MIXED", "find_date_format", "mixed_formats", "parse_clock", "parse_dates", "recurring_parts"]

_YEARS = ((r"\d{4}", "%Y"), (r"\d{2}", "%y"))
_CLOCKS = (("", ""), (r" \d{1,2}:\d{2}", " %H:%M"), (r" \d{1,2}:\d{2}:\d{2}", " %H:%M:%S"))
_HALVES = ((r" \d{1,2}:\d{2} [AaPp][Mm]", " %I:%M %p"), (r" \d{1,2}:\d{2}:\d{2} [AaPp][Mm]", " %I:%M:%S %p"))
_SHAPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"^\d{4}-\d{1,2}-\d{1,2}$", ("%Y-%m-%d",)),
    (r"^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}", ("iso",)),
    (r"^\d{4}/\d{1,2}/\d{1,2}$", ("%Y/%m/%d",)),
    (r"^(19|20)\d{2}[-/](0[1-9]|1[0-2])$", ("%Y-%m", "%Y/%m")),
    *(
        (rf"^\d{{1,2}}\.\d{{1,2}}\.{year}{clock}$", (f"%d.%m.{y}{form}",))
        for year, y in _YEARS
        for clock, form in _CLOCKS
    ),
    *(
        (rf"^\d{{1,2}}/\d{{1,2}}/{year}{clock}$", (f"%d/%m/{y}{form}", f"%m/%d/{y}{form}"))
        for year, y in _YEARS
        for clock, form in (*_CLOCKS, *_HALVES)
    ),
    (r"^\d{1,2}-\d{1,2}-\d{4}$", ("%d-%m-%Y", "%m-%d-%Y")),
    (r"^\d{1,2}[ -][A-Za-z]{3}[ -]\d{4}$", ("%d %b %Y", "%d-%b-%Y")),
    (r"^[A-Za-z]{3} \d{1,2}, \d{4}$", ("%b %d, %Y",)),
    (r"^\d{1,2} [A-Za-z]{3,9} \d{4}$", ("%d %B %Y",)),
    (r"^[A-Za-z]{3,9} \d{1,2}, \d{4}$", ("%B %d, %Y",)),
    (r"^(19|20)\d{6}$", ("%Y%m%d",)),
)
MIXED = "dates in several formats"  # begins the reason why such a column is not used
_LOOK = 50  # values at the top of a column that tell whether it may hold dates
_ISO = ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M")


def parse_dates(values: pl.Series, fmt: str) -> pl.Series:
    """Parse strings to naive datetimes in UTC; what does not fit becomes null.

    Parameters
    ----------
    values : polars.Series of strings
    fmt : str
        A ``strftime`` format, or ``"iso"`` for ISO 8601 with a time of day.
    """
    if fmt != "iso":
        # A month is its first day, and a day its first minute.
        month = "" if "%d" in fmt else "-01"
        clock = "" if "%H" in fmt or "%I" in fmt else " 00:00"
        padded = values + f"{month}{clock}"
        full = f"{fmt}{month and '-%d'}{clock and ' %H:%M'}"
        return padded.str.to_datetime(full, strict=False, time_unit="us", ambiguous="null")
    text = values.str.replace(" ", "T", literal=True).str.replace(r"Z$", "")
    zone = text.str.extract(r"([+-]\d{2}:?\d{2})$", 1)
    text = text.str.replace(r"[+-]\d{2}:?\d{2}$", "")
    stamps = [text.str.to_datetime(f, strict=False, time_unit="us") for f in _ISO]
    stamp = pl.select(pl.coalesce(*stamps)).to_series()
    if zone.null_count() == len(zone):
        return stamp
    offsets = (
        pl.DataFrame({"z": zone.str.replace(":", "")})
        .select(
            (
                pl.col("z").str.slice(0, 3).cast(pl.Int64) * 60
                + (pl.col("z").str.slice(0, 1) + pl.col("z").str.slice(3, 2)).cast(pl.Int64)
            ).fill_null(0)
        )
        .to_series()
    )
    return stamp - pl.select(pl.duration(minutes=pl.lit(offsets))).to_series()


def parse_clock(values: pl.Series) -> pl.Series:
    """Parse times of day, 08:30, 8:30:15 or 08.30.15, to hours after midnight; what does not fit is null.

    Examples
    --------
    >>> parse_clock(pl.Series(["08:30", "23:59:30", "18.00.00", "25:00", "8"])).to_list()
    [8.5, 23.991666666666667, 18.0, None, None]
    """
    pattern = r"^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d(?:\.\d+)?))?$"
    colons = values.str.replace(r"^(\d\d?)\.(\d\d)\.(\d\d)$", "${1}:${2}:${3}")
    hours, minutes = (colons.str.extract(pattern, k).cast(pl.Float64, strict=False) for k in (1, 2))
    seconds = colons.str.extract(pattern, 3).cast(pl.Float64, strict=False).fill_null(0.0)
    return hours + minutes / 60.0 + seconds / 3600.0


def recurring_parts(moments: pl.Series) -> tuple[str, ...]:
    """Return which parts of a column of dates come again often enough within its range to learn from.

    The month where it spans three years, the weekday four weeks, the hour four days (of dates with a time).

    Examples
    --------
    >>> from datetime import datetime
    >>> recurring_parts(pl.Series([datetime(2023, 1, 1), datetime(2023, 3, 5)]))
    ('weekday',)
    """
    stamps = moments.drop_nulls().dt.epoch("us")
    if stamps.is_empty():
        return ()
    # The stubs of polars allow extremes of any type, where these are microseconds.
    days = (int(stamps.max()) - int(stamps.min())) / 86_400e6  # type: ignore[arg-type]
    timed = bool((stamps % 86_400_000_000 != 0).any())
    long = {"month": days >= 1095.0, "weekday": days >= 28.0, "hour of day": timed and days >= 4.0}
    return tuple(part for part, enough in long.items() if enough)


def find_date_format(values: pl.Series, share: float = 1.0) -> tuple[str, bool]:
    """Find the one format that reads every value, or at least a share of them.

    Parameters
    ----------
    values : polars.Series of strings without nulls
    share : float, default=1
        What the format must read at least.

    Returns
    -------
    (str, bool)
        The format ("" when there is none) and whether a second one reads every value too
        (day and month could be exchanged; the first, day before month, is returned).

    Examples
    --------
    >>> find_date_format(pl.Series(["31.12.2020", "1.2.2021"]))
    ('%d.%m.%Y', False)
    >>> find_date_format(pl.Series(["01/02/2020"]))
    ('%d/%m/%Y', True)
    >>> find_date_format(pl.Series(["12/31/2020"]))
    ('%m/%d/%Y', False)
    """
    most = (1.0 - share) * len(values)
    for shape, formats in _SHAPES:
        fits = values.str.contains(shape)
        if values.is_empty() or int((~fits).sum()) > most:
            continue
        lost = {f: parse_dates(values, f).null_count() for f in formats}
        good = [f for f in formats if lost[f] <= most and lost[f] == min(lost.values())]
        if good:
            return good[0], len(good) > 1
    return "", False


def mixed_formats(values: pl.Series, share: float) -> tuple[str, ...]:
    """Return the formats that read at least a share of the values together, () where one does or none.

    Parameters
    ----------
    values : polars.Series of strings without nulls
    share : float
        What the formats must read at least.

    Examples
    --------
    >>> mixed_formats(pl.Series(["2020-12-31", "31.12.2020", "Dec 31, 2020", "1.2.2021"]), 0.9)
    ('%d.%m.%Y', '%Y-%m-%d', '%b %d, %Y')
    >>> mixed_formats(pl.Series(["31.12.2020", "1.2.2021"]), 0.9)
    ()
    >>> mixed_formats(pl.Series(["31.12.2020", "2021-02-01", "soon"]), 0.9)
    ()
    """
    if values.is_empty() or not _read(values.head(_LOOK), share)[1]:
        return ()  # a look at the first values spares long texts the many patterns
    found, enough = _read(values, share)
    formats = sorted(found, key=lambda f: -found[f])
    return tuple(formats) if enough and len(formats) > 1 else ()


def _read(values: pl.Series, share: float) -> tuple[dict[str, int], bool]:
    """Return how many of the values each format reads, and whether they read a share of them together."""
    found: dict[str, int] = {}
    rest = values
    for shape, formats in _SHAPES:
        fits = rest.filter(rest.str.contains(shape))
        if fits.is_empty():
            continue
        read = {f: len(fits) - parse_dates(fits, f).null_count() for f in formats}
        best = max(formats, key=lambda f: read[f])
        if read[best]:
            found[best] = found.get(best, 0) + read[best]
            rest = rest.filter(~rest.str.contains(shape))
    return found, sum(found.values()) >= share * len(values)
