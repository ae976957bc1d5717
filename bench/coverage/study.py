"""A page of tables that simulations make: groups of settings, the loop over them, and the command line."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.coverage.forest_samples import Setting, Shares
from bench.coverage.page import write

DECIMALS = (" width", ": mean", " risk")  # numbers that are no percentages


@dataclass(frozen=True)
class Study:
    """What is simulated, and what the page says around the numbers.

    Parameters
    ----------
    what : str
        Help of the command line.
    settings : mapping of str to settings
        By the heading of their table.
    notes : mapping of str to str
        What stands below a heading.
    head, tail : str
        Beginning and end of the page.
    page, store : Path
        Where it is written, and the file of the measured numbers.
    """

    what: str
    settings: Mapping[str, Sequence[Setting]]
    notes: Mapping[str, str]
    head: str
    tail: str
    page: Path
    store: Path

    def text(self, results: Mapping[str, Shares]) -> str:
        """Return the page: one table for each group of settings."""
        out = self.head
        for group, settings in self.settings.items():
            found = [(s, results[f"{group}: {s.what}"]) for s in settings if f"{group}: {s.what}" in results]
            names = [k for k in dict.fromkeys(k for _, r in found for k in r) if k != "samples"]
            out += f"\n## {group}\n{self.notes[group]}\n| setting | samples | {' | '.join(names)} |\n"
            out += "|---" * (2 + len(names)) + "|\n"
            for s, r in found:
                cells = " | ".join(
                    f"{r[k]:.{2 if k.endswith(DECIMALS) else 1}f}" if k in r else "--" for k in names
                )
                out += f"| {s.what} | {r['samples']:.0f} | {cells} |\n"
        return out + self.tail

    def stored(self) -> dict[str, Shares]:
        """Return the last full-size result of every setting."""
        return json.loads(self.store.read_text(encoding="utf-8")) if self.store.exists() else {}

    def main(self) -> None:
        """Measure all settings and write the page; with --only the others keep their last result."""
        parser = argparse.ArgumentParser(description=self.what, formatter_class=argparse.RawTextHelpFormatter)
        parser.add_argument("--only", default="", help="measure the settings whose name holds this")
        parser.add_argument(
            "--scale", type=float, default=1.0, help="share of the samples; 1 writes the page"
        )
        args = parser.parse_args()
        warnings.simplefilter("ignore")
        for group, settings in self.settings.items():
            for s in (s for s in settings if args.only in f"{group}: {s.what}"):
                found = measure(s, args.scale)
                print(s.what, {k: round(v, 2) for k, v in found.items()}, flush=True)
                if args.scale == 1.0:
                    known = {**self.stored(), f"{group}: {s.what}": found}
                    write(json.dumps(known, indent=1, sort_keys=True) + "\n", self.store)
        if args.scale == 1.0:
            write(self.text(self.stored()), self.page)


def measure(setting: Setting, scale: float = 1.0, seed: int = 0) -> Shares:
    """Return means over samples, in per cent (widths: in the unit of y)."""
    rng = np.random.default_rng([seed, *setting.what.encode()])
    samples = max(2, int(setting.samples * scale))
    found = [setting.draw(rng) for _ in range(samples)]
    names = dict.fromkeys(k for f in found for k in f)
    each = {k: [f[k] for f in found if k in f] for k in names}
    out = {"samples": samples, **{k: 100.0 * float(np.mean(v)) for k, v in each.items()}}
    for k in setting.errors:
        out[f"{k}, s.e."] = 100.0 * float(np.std(each[k], ddof=1)) / len(each[k]) ** 0.5
    return out
