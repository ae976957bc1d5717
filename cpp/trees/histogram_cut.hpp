// The best cut of a numeric column from its histogram: prefix sums of exact integers, then all gains at once.
#pragma once
#include <limits>

#include "support/parallel.hpp"
#include "trees/criteria.hpp"
#include "trees/histogram_table.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 most_bins = 256;
constexpr double no_gain = -std::numeric_limits<double>::infinity();

struct Prefix {
  alignas(64) double a[most_bins], b[most_bins], rows[most_bins], score[most_bins];
};

// Sums left of each cut, beginning with `left`.
inline void fill_prefix(const BinSums* bins, i64 n, BinSums left, const MomentScale& scale, Prefix& out) {
  alignas(64) i64 g[most_bins], h[most_bins];
  for (i64 i = 0; i < n; ++i) {
    left.g += bins[i].g, left.hc += bins[i].hc;
    g[i] = left.g, h[i] = i64(left.hc);
  }
  const i64 mask = (i64(1) << scale.shift) - 1;
  for (i64 i = 0; i < n; ++i) {
    out.a[i] = -double(g[i]) * scale.g_unit;
    out.b[i] = double(i64(std::uint64_t(h[i]) >> scale.shift)) * scale.h_unit;
    out.rows[i] = double(h[i] & mask);
  }
}

struct Node {
  double a, b, rows;
};

// score(left) + score(right) of each cut, with one division for both sides; -inf where a rule forbids the cut.
inline void free_scores(i64 n, const Node& all, const SplitRules& rules, Prefix& p) {
  for (i64 i = 0; i < n; ++i) {
    const double la = p.a[i], ra = all.a - la, lb = p.b[i], rb = all.b - lb, hl = lb + rules.l2, hr = rb + rules.l2;
    const double score = (la * la * hr + ra * ra * hl) / (hl * hr);
    const bool kept = (p.rows[i] >= rules.min_rows) & (all.rows - p.rows[i] >= rules.min_rows) & (lb > 0.0) & (rb > 0.0);
    p.score[i] = kept ? score : no_gain;
  }
}

// 2 a v - (b + l2) v^2 at the best v within the bounds: minus twice the cost of a leaf.
inline double bounded_score(double a, double b, const SplitRules& rules, double& v) {
  const double h = b + rules.l2;
  v = h > 0.0 ? a / h : 0.0;
  v = v < rules.low ? rules.low : (v > rules.high ? rules.high : v);
  return v * (2.0 * a - h * v);
}

inline void bounded_scores(i64 n, const Node& all, const SplitRules& rules, int sign, Prefix& p) {
  for (i64 i = 0; i < n; ++i) {
    const double rb = all.b - p.b[i];
    double vl, vr;
    const double score = bounded_score(p.a[i], p.b[i], rules, vl) + bounded_score(all.a - p.a[i], rb, rules, vr);
    const bool kept = p.rows[i] >= rules.min_rows && all.rows - p.rows[i] >= rules.min_rows && p.b[i] > 0.0 &&
                      rb > 0.0 && double(sign) * (vr - vl) >= 0.0;
    p.score[i] = kept ? score : no_gain;
  }
}

inline double largest(const double* x, i64 n) {
  double top[8] = {no_gain, no_gain, no_gain, no_gain, no_gain, no_gain, no_gain, no_gain};
  i64 i = 0;
  for (; i + 8 <= n; i += 8)
    for (i64 k = 0; k < 8; ++k) top[k] = x[i + k] > top[k] ? x[i + k] : top[k];
  for (; i < n; ++i) top[0] = x[i] > top[0] ? x[i] : top[0];
  for (i64 k = 1; k < 8; ++k) top[0] = top[k] > top[0] ? top[k] : top[0];
  return top[0];
}

// Rows without a value, in bins[n_bins], are tried on the right and then on the left; ties: the right, the lowest cut.
inline void best_cut(const BinSums* bins, const BinSums& total, const MomentScale& scale, const SplitRules& rules, NumericCut& cut) {
  const BinSums* const own = bins + cut.start;
  const BinSums missing = own[cut.n_bins];
  const Node all{a_of(total, scale), b_of(total, scale), double(rows_of(total, scale))};
  const bool bounded = cut.sign != 0 || rules.low > -1e308 || rules.high < 1e308;
  double v;
  const double parent = bounded ? bounded_score(all.a, all.b, rules, v) : NewtonScore{rules.l2}(all.a, all.b);
  Prefix p;
  cut.gain = 0.0;
  for (int side = 0; side < 1 + int(rows_of(missing, scale) > 0); ++side) {
    fill_prefix(own, cut.n_bins, side ? missing : BinSums{}, scale, p);
    if (bounded) bounded_scores(cut.n_bins, all, rules, cut.sign, p);
    else free_scores(cut.n_bins, all, rules, p);
    const double top = largest(p.score, cut.n_bins);
    if (!(top - parent > cut.gain)) continue;
    i64 at = 0;
    while (p.score[at] != top) ++at;
    cut.gain = top - parent, cut.bin = int(at), cut.missing_left = side == 1;
    cut.left = side ? missing : BinSums{};
    for (i64 i = 0; i <= at; ++i) cut.left.g += own[i].g, cut.left.hc += own[i].hc;
  }
}

inline void best_cuts(const BinSums* bins, const BinSums& total, const MomentScale& scale, const SplitRules& rules, NumericCut* cuts,
                      i64 n) {
  constexpr i64 column_work = 4096, together = 16;
  const i64 chunks = ceil_div(n, together);
  for_chunks(chunks, threads_for(n * column_work, chunks), [&](i64 c, int) {
    for (i64 k = c * together; k < least(n, (c + 1) * together); ++k) best_cut(bins, total, scale, rules, cuts[k]);
  });
}

}  // namespace empirisk::EMPIRISK_ISA
