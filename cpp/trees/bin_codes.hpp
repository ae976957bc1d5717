// Codes of numbers: how many cuts of the column lie below each; a search without branches, many numbers side by side.
#pragma once
#include <limits>

#include "support/parallel.hpp"
#include "support/view.hpp"
#include "trees/bin_table.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 code_block = 512;

// cuts: `steps` halvings of 2^steps - 1 cuts, the surplus ones +inf. NaN: `missing`.
inline void search_codes(const double* x, i64 n, const double* cuts, int steps, std::uint8_t missing, std::uint8_t* out) {
  i64 at[code_block];
  for (i64 i = 0; i < n; ++i) at[i] = 0;
  for (i64 step = i64(1) << (steps - 1); step > 0; step /= 2)
    for (i64 i = 0; i < n; ++i) at[i] += cuts[at[i] + step - 1] < x[i] ? step : 0;
  for (i64 i = 0; i < n; ++i) out[i] = x[i] != x[i] ? missing : std::uint8_t(at[i]);
}

template <class T>
void bin_columns(const DenseView<T>& x, const CutColumns& in, std::uint8_t* out) {
  const i64 blocks = ceil_div(x.rows, code_block);
  for_chunks(blocks, threads_for(x.rows * in.columns * 16, blocks), [&](i64 c, int) {
    const i64 first = c * code_block, n = least(code_block, x.rows - first);
    double value[code_block];
    for (i64 k = 0; k < in.columns; ++k) {
      const i64 j = in.column[k], count = in.cut_start[j + 1] - in.cut_start[j];
      const T* const from = x.data + first * x.row_stride + j * x.col_stride;
      for (i64 i = 0; i < n; ++i) value[i] = double(from[i * x.row_stride]);
      double cuts[255];
      int steps = 1;
      while ((i64(1) << steps) - 1 < count) ++steps;
      for (i64 i = 0; i < (i64(1) << steps) - 1; ++i)
        cuts[i] = i < count ? in.cuts[in.cut_start[j] + i] : std::numeric_limits<double>::infinity();
      search_codes(value, n, cuts, steps, std::uint8_t(count + 1), out + j * x.rows + first);
    }
  });
}

inline void transpose_codes(const std::uint8_t* from, i64 rows, i64 cols, std::uint8_t* to) {
  constexpr i64 block = 64;
  const i64 blocks = ceil_div(cols, block);
  for_chunks(blocks, threads_for(rows * cols * 4, blocks), [&](i64 c, int) {
    const i64 first = c * block, end = least(cols, first + block);
    for (i64 i = 0; i < rows; ++i)
      for (i64 k = first; k < end; ++k) to[k * rows + i] = from[i * cols + k];
  });
}

}  // namespace empirisk::EMPIRISK_ISA
