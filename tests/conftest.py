"""Fixtures that all tests share."""

from __future__ import annotations

import os
import zlib

import numpy as np
import pytest

SEED = int(os.environ.get("EMPIRISK_TEST_SEED", "20240229"))


def pytest_report_header() -> str:
    """The seed, so that a failure can be repeated."""
    return f"EMPIRISK_TEST_SEED={SEED}"


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator of its own for each test: the same numbers in whatever order the tests run.

    EMPIRISK_TEST_SEED=123 runs the suite on other data.
    """
    return np.random.default_rng([SEED, zlib.crc32(request.node.name.encode())])
