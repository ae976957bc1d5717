"""Fixtures and options that all tests share."""

from __future__ import annotations

import os
import zlib

import numpy as np
import pytest

SEED = int(os.environ.get("EMPIRISK_TEST_SEED", "20240229"))


def pytest_report_header() -> str:
    """The seed, so that a failure can be repeated."""
    return f"EMPIRISK_TEST_SEED={SEED}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as `full` what the design of the quick suite leaves out; asked for by ``-m`` alone."""
    if "full" in config.option.markexpr:
        from tests.design import chosen

        # Slow tests are no part of either suite; tests that are long and cannot be cut say `full` themselves.
        own = ("slow", "full")
        ordinary = [item for item in items if not any(item.get_closest_marker(mark) for mark in own)]
        quick = chosen(ordinary)
        for item in ordinary:
            if item.nodeid not in quick:
                item.add_marker("full")


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator of its own for each test: the same numbers in whatever order the tests run.

    EMPIRISK_TEST_SEED=123 runs the suite on other data.
    """
    return np.random.default_rng([SEED, zlib.crc32(request.node.name.encode())])
