"""The how-to page quotes reasons that the table gives."""

from __future__ import annotations

import re
from pathlib import Path

import empirisk.ladder as ladder

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "risk-bounds.md"


def test_the_reasons_on_the_page_are_those_of_the_code() -> None:
    sources = Path(ladder.__file__).parent.glob("*.py")
    code = re.sub(r'"\s+f?"', "", " ".join(p.read_text(encoding="utf-8") for p in sources))
    section = PAGE.read_text(encoding="utf-8").split("## Why does it not apply?")[1].split("##")[0]
    reasons = re.findall(r"^\| ([^|]+) \| ", section, flags=re.MULTILINE)[1:]
    assert len(reasons) >= 9
    for reason in reasons:
        words = re.sub(r"^(StandardScaler|OneHotEncoder|alpha was|some test rows) ", "", reason)
        assert words in code, reason
