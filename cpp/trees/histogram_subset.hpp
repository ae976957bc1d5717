// The best subset of the categories of a column: ordered by a / (b + smoothing), it is one of the prefixes when smoothing is 0
// (the score is convex: Fisher 1958; Breiman et al. 1984, theorem 9.6). Its gain is that of leaves whose penalty is larger by the
// smoothing: the best of many subsets promises more than it keeps. Rows without a value are one more category.
#pragma once
#include "trees/histogram_cut.hpp"

namespace empirisk::EMPIRISK_ISA {

inline void set_bit(std::uint64_t* set, int code) { set[code >> 6] |= std::uint64_t(1) << (code & 63); }

// Stable, by rising key; at most 256 codes.
inline void order_by(const double* key, int* code, i64 n) {
  for (i64 i = 1; i < n; ++i) {
    const int moved = code[i];
    i64 at = i;
    for (; at > 0 && key[code[at - 1]] > key[moved]; --at) code[at] = code[at - 1];
    code[at] = moved;
  }
}

inline void best_subset(const BinSums* bins, const BinSums& total, const MomentScale& scale, const SplitRules& rules, double smoothing,
                        SubsetCut& cut) {
  const BinSums* const own = bins + cut.start;
  SplitRules cautious = rules;
  cautious.l2 += smoothing;
  const Node all{a_of(total, scale), b_of(total, scale), double(rows_of(total, scale))};
  double key[most_bins];
  int code[most_bins];
  i64 n = 0;
  for (int c = 0; c <= cut.n_bins; ++c) {
    if (rows_of(own[c], scale) == 0) continue;
    const double b = b_of(own[c], scale) + smoothing;
    key[c] = b > 0.0 ? a_of(own[c], scale) / b : 0.0;
    code[n++] = c;
    set_bit(cut.present, c);
  }
  cut.gain = 0.0;
  if (n < 2) return;
  order_by(key, code, n);
  Prefix p;
  BinSums left;
  for (i64 i = 0; i + 1 < n; ++i) {
    left.g += own[code[i]].g, left.hc += own[code[i]].hc;
    p.a[i] = a_of(left, scale), p.b[i] = b_of(left, scale), p.rows[i] = double(rows_of(left, scale));
  }
  double v;
  bounded_scores(n - 1, all, cautious, 0, p);
  const double top = largest(p.score, n - 1), parent = bounded_score(all.a, all.b, cautious, v);
  if (!(top - parent > 0.0)) return;
  i64 at = 0;
  while (p.score[at] != top) ++at;
  cut.gain = top - parent;
  for (i64 i = 0; i <= at; ++i) {
    set_bit(cut.set, code[i]);
    cut.left.g += own[code[i]].g, cut.left.hc += own[code[i]].hc;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
