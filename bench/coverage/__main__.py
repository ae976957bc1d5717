"""Command line of the tables of coverage: `python -m bench.coverage`."""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import asdict

import bench.coverage as study
from bench.coverage.page import PAGE, page, row, store, write


def main() -> None:
    """Run the cases; with all samples the page is written anew."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--only", default="", help="run the cases whose name holds this; the others keep their last result"
    )
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of samples")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for c in study.CASES.values():
        if args.only in c.name:
            start = time.perf_counter()
            result = study.measure(c, args.scale)
            print(row(c, asdict(result)), f"{time.perf_counter() - start:.1f} s", flush=True)
            if args.scale == 1.0:
                store(c.name, asdict(result))
    if args.scale == 1.0:
        write(page(study.CASES), PAGE)
        print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
