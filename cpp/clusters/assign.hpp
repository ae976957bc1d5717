// Rows and their nearest centres: products of tiles, of which each row keeps the smallest score; no matrix of all distances exists.
#pragma once
#include "clusters/cluster_table.hpp"
#include "clusters/rows.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 near_block = 64;     // rows that meet the panels of all centres together
constexpr i64 near_chunk = 1024;  // rows that one thread takes at a time

template <class Rows>
void assign_rows(const Rows& x, const AssignProblem& p) {
  using T = typename Rows::Number;
  const Panels<T> centers(p.centers, p.k, x.cols, p.shift, nullptr, p.k);
  Buffer<double> squares(p.k);
  for (i64 c = 0; c < p.k; ++c) {
    squares[c] = 0.0;
    for (i64 d = 0; d < x.cols; ++d) squares[c] += p.centers[c * x.cols + d] * p.centers[c * x.cols + d];
  }
  const i64 chunks = ceil_div(x.rows, near_chunk);
  for_chunks(chunks, threads_for(x.rows * p.k * most<i64>(x.cols, 8), chunks), [&](i64 chunk, int) {
    alignas(64) Seen<T> seen[near_block];
    i64 index[near_block];
    const i64 stop = least(x.rows, (chunk + 1) * near_chunk);
    for (i64 begin = chunk * near_chunk; begin < stop; begin += near_block) {
      const i64 count = least(near_block, stop - begin);
      for (i64 i = 0; i < count; ++i) {
        forget(seen[i]);
        index[i] = begin + i;
      }
      x.template look<false, true>(index, count, centers, 0, centers.count, seen);
      for (i64 i = 0; i < count; ++i) {
        const i64 label = winner<false, T>(seen[i]).number;
        p.label[begin + i] = std::int32_t(label);
        if (p.square) p.square[begin + i] = square_from(x, begin + i, p.centers + label * x.cols, squares[label]);
      }
    }
  });
}

static void assign(const AssignProblem& p) {
  visit_rows(p.x, [&](const auto& x) { assign_rows(x, p); });
}

}  // namespace empirisk::EMPIRISK_ISA
