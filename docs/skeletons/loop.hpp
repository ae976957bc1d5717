// Weighted sums of squares of the columns: a copy-me file for a compiled loop.
//
// Copy to cpp/loops/<name>.hpp, spans in and spans out: no Python, no allocation of results, no exceptions. Add its entry
// to loops/table.hpp and loops/variant.hpp (it is compiled once for each instruction set), bind it in a file of bind/ where
// the shapes are checked, and say its signature in src/empirisk/_loops.pyi. Its test in tests/loops/ compares it with the
// NumPy twin, here `s @ X**2`, over every layout and both precisions, and `make sanitize` runs it under the sanitizers.
#pragma once
#include "loops/sparse_pass.hpp"
#include "support/parallel.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

// out[j] = sum_i s[i] x[i, j]^2, in double whatever the type of x. The chunks depend on the shape alone and are merged in
// their order: the same bits for any number of threads.
template <class T>
void column_squares(const DenseView<T>& x, const double* s, double* out) {
  const i64 p = x.cols, chunk = most<i64>(256, ceil_div(x.rows, 64)), chunks = ceil_div(x.rows, chunk);
  const int threads = threads_for(x.rows * p, chunks);
  const Buffer<double> parts(threads * p);
  clear(out, p);
  for_chunks_ordered(
      chunks, threads,
      [&](i64 c, int thread) {
        double* part = parts.data() + thread * p;
        clear(part, p);
        for (i64 i = c * chunk; i < least(x.rows, (c + 1) * chunk); ++i)
          for (i64 j = 0; j < p; ++j) {
            const double v = double(x.data[i * x.row_stride + j * x.col_stride]);
            part[j] += s[i] * v * v;
          }
      },
      [&](i64, int thread) { add(out, parts.data() + thread * p, p); });
}

}  // namespace empirisk::EMPIRISK_ISA
