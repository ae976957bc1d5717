"""Command line: `python -m bench.coverage`."""

from __future__ import annotations

import argparse
import time
import warnings

import bench.coverage as study
from bench.coverage.page import PAGE, line, page, write


def main() -> None:
    """Run the cases; a full run writes the page."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of samples")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    results = []
    for c in study.CASES.values():
        if args.only in c.name:
            start = time.perf_counter()
            results.append(study.measure(c, args.scale))
            print(line(results[-1]), f"{time.perf_counter() - start:.1f} s", flush=True)
    if not args.only and args.scale == 1.0:
        write(page(results), PAGE)
        print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
