"""Kernels that cannot be made: sums with numbers, widths that are none, columns that have no number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from empirisk.kernels import (
    Gaussian,
    Laplacian,
    Linear,
    Matern,
    OnColumns,
    Periodic,
    Polynomial,
    Product,
    RationalQuadratic,
    Scaled,
    Sum,
)

NONE: tuple[Any, ...] = (10**400, [1.0], 1j, True, "a", float("nan"), -1.0)


@pytest.mark.parametrize("other", [1, 0.5, None, "linear", Linear])
def test_a_kernel_is_added_to_kernels_alone(other: Any) -> None:
    for add in (lambda: Linear() + other, lambda: other + Linear()):
        with pytest.raises(TypeError, match=r"a kernel can be added to another kernel, got"):
            add()
    for kind in (Sum, Product):
        with pytest.raises(TypeError, match="of kernels must be kernels, got"):
            kind((Linear(), other))


@pytest.mark.parametrize("factor", [*NONE, None, 0.0])
def test_a_kernel_is_multiplied_by_positive_numbers_alone(factor: Any) -> None:
    for times in (lambda: Linear() * factor, lambda: Scaled(Linear(), factor)):
        with pytest.raises(ValueError, match="a kernel can be multiplied by a finite number > 0, got"):
            times()


@pytest.mark.parametrize("columns", [("a",), (1.0,), (True,), (-1,), ([0, 1],), ()])
def test_columns_are_numbers(columns: Any) -> None:
    for make in (lambda: Linear().columns(*columns), lambda: OnColumns(Linear(), columns)):
        with pytest.raises(ValueError, match="columns of a kernel are their numbers, integers >= 0"):
            make()


WIDTHS: list[tuple[Callable[..., Any], str]] = [
    (Gaussian, "gamma"),
    (Gaussian, "length_scale"),
    (Laplacian, "gamma"),
    (Matern, "length_scale"),
    (Periodic, "period"),
    (Periodic, "length_scale"),
    (RationalQuadratic, "length_scale"),
    (RationalQuadratic, "shape"),
    (Polynomial, "gamma"),
    (Polynomial, "constant"),
]


@pytest.mark.parametrize(("kind", "name"), WIDTHS)
def test_widths_that_are_none_are_refused_by_name(kind: Callable[..., Any], name: str) -> None:
    for value in NONE:
        with pytest.raises(ValueError, match=f"^{name} of the kernel .* must be .*a finite number >"):
            kind(**{name: value})


def test_what_is_a_number_is_taken() -> None:
    X = np.array([[1.0, 2.0]])
    kernel = (np.float32(2.0) * Linear() + 3 * Linear()).columns(np.int64(1))
    np.testing.assert_allclose(kernel.block(X), [[20.0]])
    assert kernel == (2.0 * Linear() + 3.0 * Linear()).columns(1)
    assert Gaussian(gamma=np.float64(1.0)) == Gaussian(gamma=1)
