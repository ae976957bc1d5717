"""The model report: its JSON form, and the HTML and Markdown made from it."""

from __future__ import annotations

# The command line makes reports; `er.load` reads the models that it saves.
__all__: list[str] = []


def __dir__() -> list[str]:
    return sorted(__all__)
