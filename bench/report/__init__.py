"""What a report costs and how good its model is, against what it forecast and against tuned LightGBM.

`python -m bench.report` makes a report on ten tables, each in a process of its own, and measures seconds,
peak memory and the loss of the chosen model on rows that were held out before the report began.  LightGBM
with the best of 50 random settings sees the same training rows.  It writes docs/maths/report-measured.md;
`--only wine` runs the tables whose name holds "wine", `--without-lightgbm` leaves the peer out, and
`--seed 1` holds other rows out and keeps nothing.
"""
