"""Command line of the tables of alarms: `python -m bench.alarms`."""

from __future__ import annotations

import argparse
import time

import bench.alarms as study
from bench.alarms.page import PAGE, row, store, write_pages


def main() -> None:
    """Run the scenarios; with all samples the pages are written anew."""
    parser = argparse.ArgumentParser(description=study.__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="run the scenarios whose name holds this")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the number of samples")
    parser.add_argument("--pages", action="store_true", help="only write the pages from the stored results")
    args = parser.parse_args()
    scenarios = study.load()
    for name, s in scenarios.items():
        if args.only in name and not args.pages:
            start = time.perf_counter()
            result = study.measure(s, args.scale)
            print(f"{s.code} {row(s, result)} {time.perf_counter() - start:.1f} s", flush=True)
            if args.scale == 1.0:
                store({name: result}, scenarios)
    if args.scale == 1.0 or args.pages:
        write_pages(scenarios)
        print(f"Wrote {PAGE.relative_to(PAGE.parents[2])}")


if __name__ == "__main__":
    main()
