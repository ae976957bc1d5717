"""A real browser for tests that look at pages: chromium, from the machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

__all__ = ["browser"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


def _executable() -> str | None:
    named = os.environ.get("EMPIRISK_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    path, required = _executable(), os.environ.get("EMPIRISK_REQUIRE_BROWSER") == "1"
    if path is None:
        looked = ", ".join(NAMES)
        said = f"No browser found ({looked}): install chromium, or name one in EMPIRISK_CHROMIUM."
        if required:
            pytest.fail(said)
        pytest.skip(said)
    if not required:
        pytest.importorskip(
            "playwright.sync_api", reason="The browser test needs the Python package playwright."
        )
    from playwright.sync_api import sync_playwright

    with sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()
