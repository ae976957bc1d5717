"""Benchmarks: ours and the peers, interleaved on the same arrays, to the same accuracy."""
