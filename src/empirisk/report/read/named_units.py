"""A unit that a column's name has in brackets at its end, as in ``chol (mg/dl)`` or ``weight [kg]``."""

from __future__ import annotations

import re

__all__ = ["unit_in_name", "with_unit"]

_END = re.compile(r".+?[\s_.]*[\[(]\s*([^\[\]()]{1,20}?)\s*[\])]\s*")
_PARTS = re.compile(r"[\s/*·^.\d²³⁻¹-]+")
# Not every bracket is a unit, "score (log)" has none: each part of one must be on this list.
_LISTED = (
    "kg g mg µg ug ng t lb lbs oz m cm mm µm um nm km mi ft in inch inches yd ha acre acres l dl ml gal s sec"
    " seconds ms µs us ns min minutes h hr hours d day days week weeks month months year years yr yrs usd eur"
    " gbp chf jpy $ € £ ¥ % ‰ ppm ppb °c °f c f k celsius kelvin deg degrees rad w kw mw gw kwh mwh wh j kj"
    " cal kcal v mv kv a ma hz khz mhz ghz pa hpa kpa mpa bar mbar psi mmhg hg n kn nm mol mmol µmol umol mpg"
    " mph kmh km/h iu u bpm db lux cfu sqft sqm points"
)
_UNITS = frozenset(_LISTED.split())


def unit_in_name(name: str) -> str:
    """Return the unit that stands in brackets at the end of a name, or "".

    Examples
    --------
    >>> unit_in_name("chol (mg/dl)"), unit_in_name("weight[kg]"), unit_in_name("area (m²)")
    ('mg/dl', 'kg', 'm²')
    >>> unit_in_name("score (log)"), unit_in_name("y (2015)"), unit_in_name("kg")
    ('', '', '')
    """
    found = _END.fullmatch(name)
    parts = [part for part in _PARTS.split(found[1].lower()) if part] if found else []
    return found[1] if found and parts and _UNITS.issuperset(parts) else ""


def with_unit(name: str, unit: str | None) -> str:
    """Return a name with its unit in brackets, once.

    Examples
    --------
    >>> with_unit("chol (mg/dl)", "mg/dl"), with_unit("price", "EUR"), with_unit("quality", None)
    ('chol (mg/dl)', 'price (EUR)', 'quality')
    """
    return f"{name} ({unit})" if unit and unit_in_name(name) != unit else name
