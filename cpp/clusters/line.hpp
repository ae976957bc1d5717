// The optimal split of sorted values into stretches, a layer at a time. The cost of a stretch is its weighted sum of squares about its
// mean, from differences of prefix sums. The sums are pairs of doubles (106 bits), so that what two large sums have in common may
// cancel; products are exact by fused multiply-add. Where a compiler fuses more than is written, pairs keep their accuracy.
#pragma once
#include <cmath>
#include <limits>

#include "clusters/cluster_table.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

struct TwoDoubles {
  double high, low;
};

// a + b as a rounded sum and its error (Knuth).
EMPIRISK_INLINE TwoDoubles exact_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

EMPIRISK_INLINE TwoDoubles difference(double a_high, double a_low, double b_high, double b_low) {
  const TwoDoubles s = exact_sum(a_high, -b_high);
  return {s.high, s.low + (a_low - b_low)};
}

// a - m b for a number m.
EMPIRISK_INLINE TwoDoubles less_product(const TwoDoubles& a, double m, const TwoDoubles& b) {
  const double product = m * b.high, error = std::fma(m, b.high, -product) + m * b.low;
  const TwoDoubles s = exact_sum(a.high, -product);
  return {s.high, s.low + (a.low - error)};
}

constexpr i64 line_block = 64;

// Costs of the stretches from j + 1 to i, for j = first .. first + count - 1, and of what stands before them.
EMPIRISK_INLINE void stretch_costs(const LineSums& sums, const double* before, i64 i, i64 first, i64 count, double* out) {
  const double *wh = sums.parts[0], *wl = sums.parts[1], *sh = sums.parts[2], *sl = sums.parts[3], *qh = sums.parts[4], *ql = sums.parts[5];
  const double wih = wh[i], wil = wl[i], sih = sh[i], sil = sl[i], qih = qh[i], qil = ql[i];
  for (i64 l = 0; l < count; ++l) {
    const i64 j = first + l;
    const TwoDoubles w = difference(wih, wil, wh[j], wl[j]), s = difference(sih, sil, sh[j], sl[j]), q = difference(qih, qil, qh[j], ql[j]);
    // With m near the mean s/w the squares about it are q - m (2 s - m w), but for (s - m w)^2 / w, which is below the accuracy of q.
    const double m = s.high / w.high;
    const TwoDoubles inner = less_product({2.0 * s.high, 2.0 * s.low}, m, w), squares = less_product(q, m, inner);
    const double cost = squares.high + squares.low;
    out[l] = before[j] + (cost > 0.0 ? cost : 0.0);
  }
}

// The best place of the last cut for the first i values; the first of several.
inline void best_cut(const LineLayer& layer, i64 i, i64 low, i64 high) {
  alignas(64) double cost[line_block];
  double best = std::numeric_limits<double>::infinity();
  i64 at = low;
  for (i64 first = low; first <= high; first += line_block) {
    const i64 count = least(line_block, high + 1 - first);
    stretch_costs(layer.sums, layer.before, i, first, count, cost);
    for (i64 l = 0; l < count; ++l)
      if (cost[l] < best) {
        best = cost[l];
        at = first + l;
      }
  }
  layer.cost[i] = best;
  layer.start[i] = std::int32_t(at);
}

// The last i whose cost is not above the ceiling, or one less than the first.
inline i64 last_below(const LineLayer& layer) {
  if (!(layer.ceiling < std::numeric_limits<double>::infinity())) return layer.sums.n;
  i64 below = layer.groups - 1, above = layer.sums.n + 1;
  while (above - below > 1) {
    const i64 i = below + (above - below) / 2;
    best_cut(layer, i, layer.groups - 1, least(layer.last, i - 1));
    (layer.cost[i] <= layer.ceiling ? below : above) = i;
  }
  return below;
}

// Places of cuts rise with i (the costs are a Monge array), so that those of every second i confine the ones between them: a level of
// the recursion at a time, each from coarse to fine.
static i64 line_layer(const LineLayer& layer) {
  const i64 end = last_below(layer), rows = end - layer.groups + 1;
  if (rows < 1) return end;
  i64 step = 1;
  while (2 * step <= rows) step *= 2;
  for (; step >= 1; step /= 2) {
    const i64 count = (rows - step) / (2 * step) + 1, per_chunk = most<i64>(1, ceil_div(count, 64));
    const i64 chunks = ceil_div(count, per_chunk);
    for_chunks(chunks, threads_for(16 * (rows + count), chunks), [&](i64 chunk, int) {
      for (i64 c = chunk * per_chunk; c < least(count, (chunk + 1) * per_chunk); ++c) {
        const i64 r = step - 1 + 2 * step * c, i = layer.groups + r;
        i64 low = layer.groups - 1, high = least(layer.last, i - 1);
        if (layer.at_least && i <= layer.last) low = most<i64>(low, layer.at_least[i]);
        if (r >= step) low = most<i64>(low, layer.start[i - step]);
        if (r + step < rows) high = least<i64>(high, layer.start[i + step]);
        best_cut(layer, i, least(low, high), high);
      }
    });
  }
  return end;
}

}  // namespace empirisk::EMPIRISK_ISA
