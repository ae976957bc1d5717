"""For every test and docstring example: threads that do not fight, and the names `np` and `er`."""

from __future__ import annotations

import os
from typing import Any

import pytest

# The parallel workers share the cores already; this must be said before NumPy loads its BLAS.
if "PYTEST_XDIST_WORKER" in os.environ:
    for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(_variable, "1")


@pytest.fixture(autouse=True)
def _names_of_the_examples(request: pytest.FixtureRequest) -> None:
    """Docstring examples may use ``np`` and ``er`` without importing them."""
    if isinstance(request.node, pytest.Item) and type(request.node).__name__ == "DoctestItem":
        import numpy as np

        import empirisk as er

        namespace: dict[str, Any] = request.getfixturevalue("doctest_namespace")
        namespace.update(np=np, er=er)
