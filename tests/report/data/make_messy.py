"""Write messy.csv: one small file with every kind of trouble that real exports bring.

Run ``python tests/report/data/make_messy.py`` to write it again; the values are synthetic (seeded, no
licence applies).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

N_ROWS = 240
HERE = Path(__file__).parent


def comma(value: float, digits: int) -> str:
    """Write a number with points between thousands and a decimal comma."""
    return f"{value:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def rows(seed: int = 7) -> list[list[str]]:
    """Return the records of the file, the header as the first one."""
    rng = np.random.default_rng(seed)
    header = "Kunde-ID PLZ Größe_(cm) Umsatz Rabatt Eintritt Ort leer Land Messung Wert Wert Notiz Klasse"
    out = [[name.replace("_", " ") for name in header.split()]]
    cities = ["Zürich", "München", "Ålesund", "Orléans"]
    for i in range(N_ROWS):
        size, sales = rng.normal(172.0, 9.0), rng.lognormal(7.0, 1.0)
        score = 0.08 * (size - 172.0) + 0.9 * (np.log(sales) - 7.0) + rng.normal()
        grade = "selten" if i in (20, 111, 199) else "hoch" if score > 0 else "tief"
        day = np.datetime64("2019-01-01") + int(rng.integers(0, 1500))
        year, month, date = str(day).split("-")
        measured = (
            rng.choice(["?", "NA", "n/a", ""]) if rng.random() < 0.15 else comma(rng.normal(1.0, 0.2), 3)
        )
        text = "<0,1" if i in (5, 90) else measured
        out.append(
            [
                f"K{10_000 + i}",
                f"{rng.integers(1000, 1040):05d}",
                comma(size, 1),
                comma(sales, 2),
                f"{rng.integers(0, 30)} %",
                f"{date}.{month}.{year}",
                str(rng.choice(cities)),
                "",
                "CH",
                text,
                str(rng.integers(0, 9)),
                comma(rng.normal(), 2),
                f"Notiz; {i}" if i % 3 else f'sagte "gut" {i}',
                grade,
            ]
        )
    # Two rows stand twice; only the id differs.
    out[31][1:], out[57][1:] = out[30][1:], out[56][1:]
    return out


def field(text: str) -> str:
    """Quote a field when it needs it."""
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in ';"\n') else text


def main() -> None:
    """Write the file: semicolons, Windows line ends, Latin-1."""
    text = "".join(";".join(map(field, row)) + "\r\n" for row in rows())
    (HERE / "messy.csv").write_bytes(text.encode("cp1252"))


if __name__ == "__main__":
    main()
