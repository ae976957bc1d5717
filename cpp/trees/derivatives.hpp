// First and second derivatives of every row's loss at its score, with the weighted sum of the losses: a round of boosting.
#pragma once
#include "loops/loss_rows.hpp"
#include "support/parallel.hpp"
#include "trees/derivatives_table.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 derivative_block = 1024;
constexpr i64 loss_work = 128;  // a row's loss and derivatives cost as much as so many multiply-adds: 6 ns with a log and an exp

inline double largest_size(const double* x, i64 n, double top) {
  for (i64 i = 0; i < n; ++i) top = std::fabs(x[i]) > top ? std::fabs(x[i]) : top;
  return top;
}

inline double largest_product(const double* w, const double* x, i64 n, double top) {
  for (i64 i = 0; i < n; ++i) top = w[i] * std::fabs(x[i]) > top ? w[i] * std::fabs(x[i]) : top;
  return top;
}

// body(first row, one past the last, sums of the block); blocks are added in their order.
template <class Body>
DerivativeSums for_derivative_blocks(i64 n, i64 work, const Body& body) {
  const i64 blocks = ceil_div(n, derivative_block);
  const Buffer<DerivativeSums> parts(blocks);
  for_chunks(blocks, threads_for(n * work, blocks), [&](i64 c, int) {
    parts[c] = DerivativeSums{0.0, 0.0, 0.0};
    body(c * derivative_block, least(n, (c + 1) * derivative_block), parts[c]);
  });
  DerivativeSums all{0.0, 0.0, 0.0};
  for (i64 c = 0; c < blocks; ++c) {
    all.loss += parts[c].loss;
    all.largest_g = most(all.largest_g, parts[c].largest_g);
    all.largest_h = most(all.largest_h, parts[c].largest_h);
  }
  return all;
}

// A row of weight 0 is absent: its loss and its derivatives count as 0.
inline void clear_absent(const double* weight, i64 n, double* value, double* g, double* h) {
  for (i64 i = 0; i < n; ++i) {
    value[i] = weight[i] == 0.0 ? 0.0 : weight[i] * value[i];
    g[i] = weight[i] == 0.0 ? 0.0 : g[i];
    h[i] = weight[i] == 0.0 ? 0.0 : h[i];
  }
}

inline DerivativeSums scalar_derivatives(const ScalarDerivatives& in, double* g, double* h) {
  return for_derivative_blocks(in.n, loss_work, [&](i64 first, i64 end, DerivativeSums& sums) {
    const i64 m = end - first;
    alignas(64) double z[derivative_block], value[derivative_block];
    for (i64 i = 0; i < m; ++i) z[i] = in.z[first + i] + (in.offset ? in.offset[first + i] : 0.0);
    loss_rows[int(in.loss)](Rows{m, in.y + first, z, value, g + first, h + first, in.parameter});
    for (i64 i = first; i < end; ++i) h[i] = h[i] > 0.0 ? h[i] : 0.0;
    if (in.weight) clear_absent(in.weight + first, m, value, g + first, h + first);
    sums.loss = fixed_sum(value, m);
    if (in.weigh_sizes) {
      const double* const w = in.weight + first;
      sums.largest_g = largest_product(w, g + first, m, 0.0), sums.largest_h = largest_product(w, h + first, m, 0.0);
    } else {
      sums.largest_g = largest_size(g + first, m, 0.0), sums.largest_h = largest_size(h + first, m, 0.0);
    }
  });
}

// Class by class: scores, g and h are (k, n). h = k/(k-1) p (1 - p) bounds the joint curvature better than its diagonal
// (Friedman 2001, algorithm 6).
inline DerivativeSums softmax_derivatives(const SoftmaxDerivatives& in, double* g, double* h) {
  const double factor = double(in.k) / double(in.k - 1);
  return for_derivative_blocks(in.n, loss_work / 2 * in.k, [&](i64 first, i64 end, DerivativeSums& sums) {
    const i64 m = end - first;
    alignas(64) double top[derivative_block], total[derivative_block], value[derivative_block];
    for (i64 i = 0; i < m; ++i) top[i] = in.z[first + i], total[i] = 0.0;
    for (i64 c = 1; c < in.k; ++c) {
      const double* const z = in.z + c * in.n + first;
      for (i64 i = 0; i < m; ++i) top[i] = z[i] > top[i] ? z[i] : top[i];
    }
    for (i64 c = 0; c < in.k; ++c) {
      const double* const z = in.z + c * in.n + first;
      double* const e = g + c * in.n + first;
      for (i64 i = 0; i < m; ++i) total[i] += e[i] = exp_fast(z[i] - top[i]);
    }
    for (i64 i = 0; i < m; ++i) value[i] = top[i] + log1p_fast(total[i] - 1.0) - in.z[in.y[first + i] * in.n + first + i];
    for (i64 c = 0; c < in.k; ++c) {
      double* const gc = g + c * in.n + first;
      double* const hc = h + c * in.n + first;
      for (i64 i = 0; i < m; ++i) {
        const double p = gc[i] / total[i];
        hc[i] = factor * p * (1.0 - p);
        gc[i] = p - (in.y[first + i] == c ? 1.0 : 0.0);
      }
    }
    if (in.weight) {
      for (i64 i = 0; i < m; ++i) value[i] = in.weight[first + i] == 0.0 ? 0.0 : in.weight[first + i] * value[i];
    }
    sums = {fixed_sum(value, m), 1.0, 0.25 * factor};
    if (!in.weigh_sizes) return;
    sums.largest_g = sums.largest_h = 0.0;
    for (i64 c = 0; c < in.k; ++c) {
      sums.largest_g = largest_product(in.weight + first, g + c * in.n + first, m, sums.largest_g);
      sums.largest_h = largest_product(in.weight + first, h + c * in.n + first, m, sums.largest_h);
    }
  });
}

}  // namespace empirisk::EMPIRISK_ISA
