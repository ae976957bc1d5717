"""Writes ``tests/long.txt``, the cases that `make test` avoids because they take long, from measured times.

    make test PYTEST_ARGS=--junit-xml=quick.xml
    python tools/long_tests.py quick.xml                 adds what took over a quarter of a second
    python tools/long_tests.py quick.xml --over 0.5      adds what took over half a second

Measure on a quiet machine.  What is listed and no longer there is taken out; what has become quicker is taken
out by hand, since the quick suite no longer measures it.
"""

from __future__ import annotations

import argparse
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "long.txt"


def times(file: Path) -> dict[str, float]:
    """Return the seconds of each case of a JUnit report, by its id."""
    cases = ElementTree.parse(file).iter("testcase")
    return {
        f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}": float(case.attrib["time"])
        for case in cases
    }


def there(case: str) -> bool:
    """Whether the function of a case is still where its id says."""
    file, _, name = case.partition("[")[0].partition("::")
    path = ROOT / file
    return path.is_file() and bool(
        re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    )


def main() -> None:
    """Add the long cases of a report to the list."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, help="a JUnit report of pytest")
    parser.add_argument("--over", type=float, default=0.25, help="how many seconds are long")
    given = parser.parse_args()
    listed = set(LIST.read_text(encoding="utf-8").splitlines()) if LIST.exists() else set()
    listed |= {case for case, seconds in times(given.report).items() if seconds > given.over}
    kept = sorted(case for case in listed if there(case))
    LIST.write_text("".join(f"{case}\n" for case in kept), encoding="utf-8")
    print(f"{len(kept)} cases are long")


if __name__ == "__main__":
    main()
