"""The model report: its JSON form, and the HTML and Markdown made from it."""

from __future__ import annotations
