// A = (X - 1c')' diag(s) (X - 1c') and its row form, from blocks of rows that are centred and scaled while they are packed:
// neither a copy of X nor the cancellation of X'X - n c c'.
#pragma once
#include <cmath>

#include "loops/gram_kernel.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
class Gram {
 public:
  explicit Gram(const GramOperand<T>& x)
      : x_(x), panels_(ceil_div(x.width, lanes<T>)), groups_(ceil_div(panels_, i64(tile_panels))),
        ldc_(panels_ * lanes<T>) {}

  void run(double* out) {
    const Buffer<double> total(ldc_ * ldc_);
    for (i64 i = 0; i < ldc_ * ldc_; ++i) total[i] = 0.0;
    // Narrow: every thread forms whole products of its rows. Wide: threads share one block and divide its tiles.
    if (x_.width <= 256) by_rows(total.data()); else by_tiles(total.data());
    for (i64 i = 0; i < x_.width; ++i)
      for (i64 j = i; j < x_.width; ++j) out[i * x_.width + j] = out[j * x_.width + i] = total[i * ldc_ + j];
  }

 private:
  static constexpr i64 depth = 256;  // rows of a packed block

  i64 group_start(i64 g) const { return g * panels_ / groups_; }  // 7 panels: 2, 2 and 3 of them, not 3, 3 and 1

  void by_rows(double* total) {
    const i64 chunk = round_up(most(ceil_div(x_.depth, 64), depth), depth), chunks = ceil_div(x_.depth, chunk);
    const i64 size = ldc_ * ldc_;
    const int threads = threads_for(x_.depth * x_.width * x_.width / 2, chunks);
    const i64 slots = result_slots(chunks, threads, size);
    const Buffer<double> parts(slots * size);
    const Buffer<T> packed(threads * ldc_ * depth);
    for_chunks_merged(
        chunks, threads, slots,
        [&](i64 c, int thread, i64 slot) {
          double* part = parts.data() + slot * size;
          T* block = packed.data() + thread * ldc_ * depth;
          for (i64 i = 0; i < size; ++i) part[i] = 0.0;
          const i64 end = least(x_.depth, (c + 1) * chunk);
          for (i64 d0 = c * chunk; d0 < end; d0 += depth) {
            const i64 rows = least(depth, end - d0);
            for (i64 j = 0; j < panels_; ++j) pack_panel(x_, d0, rows, j * lanes<T>, block + j * rows * lanes<T>);
            for (i64 g = 0; g < groups_; ++g) gram_group(rows, block, group_start(g), group_start(g + 1), part, ldc_);
          }
        },
        [&](i64 slot) {
          const double* part = parts.data() + slot * size;
          for (i64 i = 0; i < size; ++i) total[i] += part[i];
        });
  }

  // Several blocks are packed between two meetings of the threads: meetings are dear on a busy machine.
  void by_tiles(double* total) {
    const i64 fitting = (i64(4) << 20) / (ldc_ * i64(sizeof(T))) / depth * depth;
    const i64 batch = least(most(depth, fitting), round_up(most<i64>(x_.depth, 1), depth));
    const Buffer<T> packed(ldc_ * batch);
    const int threads = threads_for(x_.depth * x_.width * x_.width / 2, groups_);
    for (i64 d0 = 0; d0 < x_.depth; d0 += batch) {
      const i64 blocks = ceil_div(least(batch, x_.depth - d0), depth);
      const auto rows = [&](i64 b) { return least(depth, x_.depth - d0 - b * depth); };
      for_chunks(panels_, threads, [&](i64 j, int) {
        for (i64 b = 0; b < blocks; ++b)
          pack_panel(x_, d0 + b * depth, rows(b), j * lanes<T>, packed.data() + b * depth * ldc_ + j * rows(b) * lanes<T>);
      });
      for_chunks(groups_, threads, [&](i64 i, int) {
        const i64 g = groups_ - 1 - i;  // the longest columns of tiles first
        for (i64 b = 0; b < blocks; ++b)
          gram_group(rows(b), packed.data() + b * depth * ldc_, group_start(g), group_start(g + 1), total, ldc_);
      });
    }
  }

  GramOperand<T> x_;
  i64 panels_, groups_, ldc_;
};

// weights and center may be null. out is (cols, cols), or (rows, rows) with by_row.
template <class T>
void gram_of(const DenseView<T>& x, const double* weights, const double* center, bool by_row, double* out) {
  const Buffer<double> root(weights ? x.rows : 0);
  for (i64 i = 0; weights && i < x.rows; ++i) root[i] = std::sqrt(weights[i]);
  const double* scale = weights ? root.data() : nullptr;
  if (by_row) {
    Gram<T>({x.data, x.cols, x.rows, x.col_stride, x.row_stride, center, nullptr, nullptr, scale}).run(out);
  } else {
    Gram<T>({x.data, x.rows, x.cols, x.row_stride, x.col_stride, nullptr, center, scale, nullptr}).run(out);
  }
}

}  // namespace empirisk::EMPIRISK_ISA
