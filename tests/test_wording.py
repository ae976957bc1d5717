"""Numbers as text: thousands separators, digits, and intervals."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from empirisk import wording
from empirisk.wording import count, difference, estimate, interval, plain, share, shorten, text


def e(value: float | None, low: float | None, high: float | None, **more: str) -> dict[str, object]:
    return {"value": value, "low": low, "high": high, "level": 0.95, "n": 9, "method": "m", **more}


@pytest.mark.parametrize(
    ("value", "low", "high", "said"),
    [
        (0.85239, 0.84379, 0.86101, "0.852 [0.844, 0.861]"),
        (0.3203, 0.3154, 0.3252, "0.320 [0.315, 0.325]"),
        (0.5519, 0.5507, 0.5531, "0.5519 [0.5507, 0.5531]"),
        (-0.0806, -0.0852, -0.0760, "−0.081 [−0.085, −0.076]"),
        (22.1, -18.1, 60.3, "22 [−18, 60]"),
        (51234.0, 48011.0, 54990.0, "51,200 [48,000, 55,000]"),
        (3.1e-9, 2.2e-9, 4.0e-9, "3.1 × 10⁻⁹ [2.2 × 10⁻⁹, 4.0 × 10⁻⁹]"),
        (1.7999186, 1.79991859, 1.79991861, "1.799918600 [1.799918590, 1.799918610]"),
        (1.7999186, 1.7999186 - 1e-11, 1.7999186 + 1e-11, "1.799919"),
        (0.99999999999, 0.99999999998, 0.999999999995, "at least 0.9999"),
        (123456.0, 123456.0 - 1e-9, 123456.0 + 1e-9, "123,456.000000"),
        (0.00015, 0.00015 - 1e-9, 0.00015 + 1e-9, "0.000150000 [0.000149999, 0.000150001]"),
        (0.25, 0.25, 0.25, "0.25 [0.25, 0.25]"),
    ],
)
def test_digits_follow_the_interval(value: float, low: float, high: float, said: str) -> None:
    assert estimate(e(value, low, high)) == said


def test_no_interval_and_no_value_say_why() -> None:
    assert estimate(e(0.5, None, None, reason="One row.")) == "0.5 (One row.)"
    assert estimate(e(None, None, None, reason="One class.")) == "cannot tell (One class.)"
    assert estimate(None) == "–"
    assert interval(e(None, None, None)) == ""


def test_differences_have_a_sign() -> None:
    assert difference(e(0.093, 0.085, 0.101)) == "+0.093 [0.085, 0.101]"
    assert difference(e(-0.093, -0.101, -0.085)) == "−0.093 [−0.101, −0.085]"
    assert difference(e(0.0001, -0.4, 0.4)) == "0.0 [−0.4, 0.4]"
    assert difference(e(None, None, None, reason="One class.")) == "cannot tell (One class.)"


@pytest.mark.parametrize(
    ("x", "said"), [(0.0, "0"), (1.0, "100 %"), (0.999, "over 99 %"), (0.001, "under 1 %"), (0.756, "76 %")]
)
def test_shares_are_never_rounded_to_certainty(x: float, said: str) -> None:
    assert share(x) == (said if said != "0" else "0 %")


def test_plain_numbers() -> None:
    assert plain(1234567) == "1,234,567"
    assert plain(0.1 + 0.2) == "0.3"
    assert plain(9.99996e-7) == "1 × 10⁻⁶"
    assert plain(None) == "none"
    assert count(32561) == "32,561"


def _read(said: str) -> float:
    digits = float(said.removesuffix(" billion").replace(",", "").replace("−", "-"))
    return digits * 1e9 if said.endswith(" billion") else digits


@given(st.floats(-1e11, 1e11), st.floats(1e-7, 1e11))
def test_the_rounded_interval_stays_close(value: float, width: float) -> None:
    """Rounding moves no end by more than a sixteenth of the interval, and keeps the ends apart."""
    low, high = value - width / 2, value + width / 2
    if high - low < 1e-3 * width or not high > low:
        return
    said = interval(e(value, low, high))
    if not said:  # 15 digits cannot tell the ends apart
        assert high - low < 1e-13 * abs(value)
        return
    if "×" in said:
        return
    ends = [_read(s) for s in said[1:-1].split(", ")]
    assert math.isclose(ends[0], low, abs_tol=(high - low) / 15.9)
    assert math.isclose(ends[1], high, abs_tol=(high - low) / 15.9)
    assert ends[0] < ends[1]
    assert (
        not text(e(value, low, high)).startswith("−0.")
        or float(text(e(value, low, high)).replace("−", "-")) < 0
    )


@given(st.text(max_size=200), st.integers(8, 60))
def test_shortened_names_fit_one_printable_line(name: str, most: int) -> None:
    said = shorten(name, most)
    assert len(said) <= most
    assert said.isprintable()


def test_shortened_names_keep_both_ends() -> None:
    said = shorten("the first words and then a lot more until the last words", 20)
    assert said.startswith("the first")
    assert said.endswith("words")


@given(st.integers(1, 400), st.integers(1, 400))
def test_a_share_and_the_same_in_per_cent_have_the_same_digits(right: int, n: int) -> None:
    """A half is rounded up wherever it stands: 74 of 80 is 93 of 100 and 0.93."""
    right = min(right, n)
    exact = Fraction(right, n)
    per_cent = math.floor(exact * 100 + Fraction(1, 2))
    whole, part = wording._fixed(100.0 * (right / n), 0), wording._fixed(right / n, 2)
    assert (whole, part) == (f"{per_cent}", f"{per_cent // 100}.{per_cent % 100:02d}")
    assert wording._fixed(-100.0 * (right / n), 0).lstrip("−") == whole


@pytest.mark.parametrize("x", [1e-30, 3.5, 1e14, 123456789.125, 1e300, -2.5, math.inf, math.nan])
def test_numbers_of_every_size_are_rounded(x: float) -> None:
    for decimals in (-8, -1, 0, 2, 9):
        assert wording._fixed(x, decimals)
    assert wording._fixed(14450.0, -2) == "14,500"
