// Weighted sums of the rows of each cluster, and what a few rows that moved change in them. Every sum is made in the order of the
// rows: threads share the columns (or, of CSR rows, the clusters), so that their number changes no bit.
#pragma once
#include "clusters/cluster_table.hpp"
#include "clusters/rows.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
void add_row(const T* x, const double* shift, double weight, i64 begin, i64 end, double* to) {
  constexpr i64 L = lanes<double>;
  const Vec<double> w = fill(weight);
  i64 d = begin;
  for (; d + L <= end; d += L) {
    Vec<double> v = load_double(x + d);
    if (shift) v = v - load(shift + d);
    store(to + d, load(to + d) + w * v);
  }
  for (; d < end; ++d) to[d] += weight * (double(x[d]) - (shift ? shift[d] : 0.0));
}

// body(row, cluster, weight) for the rows that joined or left a cluster, in the order of the rows.
template <class Body>
void for_moves(const SumProblem& p, i64 rows, const Body& body) {
  for (i64 i = 0; i < rows; ++i) {
    const i64 now = p.label[i], before = p.before ? p.before[i] : -1;
    if (now == before) continue;
    const double w = p.weight ? p.weight[i] : 1.0;
    if (w == 0.0) continue;
    if (before >= 0) body(i, before, -w);
    if (now >= 0) body(i, now, w);
  }
}

template <class Rows>
void sum_rows(const Rows& x, const SumProblem& p) {
  for_moves(p, x.rows, [&](i64, i64 k, double w) { p.mass[k] += w; });
  if constexpr (Rows::sparse) {
    const i64 parts = least<i64>(p.k, 16);
    for_chunks(parts, threads_for(i64(x.view.indptr[x.rows]) * 4, parts), [&](i64 part, int) {
      for_moves(p, x.rows, [&](i64 i, i64 k, double w) {
        if (k % parts != part) return;
        double* to = p.sum + k * x.cols;
        x.cells(i, [&](i64 d, double v) { to[d] += w * v; });
      });
    });
  } else {
    // Whole cache lines: eight columns. No more parts than threads could use: each part walks over all labels.
    const i64 lines = ceil_div(x.cols, i64(8)), most_parts = most<i64>(1, least<i64>(lines, most_threads()));
    const i64 width = ceil_div(lines, most_parts) * 8, parts = ceil_div(x.cols, width);
    for_chunks(parts, threads_for(x.rows * x.cols, parts), [&](i64 part, int) {
      const i64 begin = part * width, end = least(x.cols, begin + width);
      for_moves(p, x.rows, [&](i64 i, i64 k, double w) { add_row(x.row(i), p.shift, w, begin, end, p.sum + k * x.cols); });
    });
  }
}

static void cluster_sums(const SumProblem& p) {
  visit_rows(p.x, [&](const auto& x) { sum_rows(x, p); });
}

}  // namespace empirisk::EMPIRISK_ISA
