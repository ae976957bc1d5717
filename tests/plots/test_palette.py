"""Colours: contrast by the WCAG 2 formula, and apart for red-green colour-blind readers."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.plots.palette import PALETTE

# Severity 1, linear RGB: Machado, Oliveira and Fernandes 2009, IEEE TVCG 15(6), 1291-1298, table 1.
DEUTERANOPIA = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
PROTANOPIA = np.array(
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
)
TOGETHER = [
    ("train", "validation"),
    ("test", "baseline"),
    ("positive", "negative"),
    ("validation", "reference"),
]


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    y = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (y[1] + 0.05) / (y[0] + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """Return a colour in linear RGB as CIELAB, for the white point D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    t = to_xyz @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(t > 0.008856, np.cbrt(t), 7.787 * t + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def test_the_contrast_formula_knows_black_on_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [n for n in PALETTE if n not in ("paper", "rule")])
def test_every_colour_of_text_has_contrast_aa(name: str, scheme: str) -> None:
    paper = getattr(PALETTE["paper"], scheme)
    assert contrast(getattr(PALETTE[name], scheme), paper) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "eye", [np.eye(3), DEUTERANOPIA, PROTANOPIA], ids=["normal", "deuteranopia", "protanopia"]
)
@pytest.mark.parametrize("pair", TOGETHER, ids="-".join)
def test_colours_of_one_chart_differ(pair: tuple[str, str], eye: np.ndarray, scheme: str) -> None:
    a, b = (lab(eye @ linear(getattr(PALETTE[name], scheme))) for name in pair)
    # 2.3 is just noticeable, ten is seen at a glance; direct labels carry the meaning besides.
    assert np.linalg.norm(a - b) > 15


def test_light_colours_are_distinct() -> None:
    """The report finds a role by its light colour."""
    assert len({role.light for role in PALETTE.values()}) == len(PALETTE)
