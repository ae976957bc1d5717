// A = (X - 1c')' diag(s) (X - 1c') and its row form, from blocks of rows that are centred and scaled while they are packed:
// neither a copy of X nor the cancellation of X'X - n c c'.
#pragma once
#include <cmath>

#include "loops/gram_kernel.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

// Numbers of type In, of which blocks are summed as T.
template <class In, class T>
class Gram {
 public:
  explicit Gram(const GramOperand<In>& x)
      : x_(x), panels_(ceil_div(x.width, lanes<T>)), groups_(ceil_div(panels_, i64(tile_panels))),
        padded_(panels_ * lanes<T>), start_(groups_ + 1), shift_(padded_), scale_(padded_) {
    start_[0] = 0;
    for (i64 g = 0; g < groups_; ++g) start_[g + 1] = start_[g] + first(g + 1) * lanes<T> * (first(g + 1) - first(g)) * lanes<T>;
    for (i64 l = 0; l < padded_; ++l) {
      shift_[l] = x.lane_shift && l < x.width ? x.lane_shift[l] : 0.0;
      scale_[l] = x.lane_scale && l < x.width ? x.lane_scale[l] : 1.0;
    }
  }

  void run(double* out) {
    const i64 size = start_[groups_], width = x_.width;
    const Buffer<double> total(size);
    for (i64 i = 0; i < size; ++i) total[i] = 0.0;
    // While the sums of several chunks of rows fit, threads take chunks and meet once; wider ones share a block and divide its
    // tiles. A meeting of threads costs more than the products of a block where the cores are shared.
    if (shares(size) >= 4) by_rows(total.data()); else by_tiles(total.data());
    for (i64 g = 0; g < groups_; ++g) {
      const i64 begin = first(g) * lanes<T>, end = least(width, first(g + 1) * lanes<T>), ldc = (first(g + 1) - first(g)) * lanes<T>;
      const double* c = total.data() + start_[g];
      for (i64 i = 0; i < end; ++i, c += ldc)
        for (i64 j = most(i, begin); j < end; ++j) out[i * width + j] = out[j * width + i] = c[j - begin];
    }
  }

 private:
  static constexpr i64 depth = 256;  // rows of a packed block

  // Chunks whose sums may be held side by side, in 20 MB: 64 for up to 200 lanes, 4 for 1000.
  static i64 shares(i64 size) { return least<i64>(64, (i64(5) << 19) / most<i64>(size, 1)); }

  i64 first(i64 g) const { return g * panels_ / groups_; }  // panel of a group; 7 panels: 2, 2 and 3 of them, not 3, 3 and 1

  // The tiles of group g of one packed block; the sums of a group are a matrix of their own, of its columns down to the diagonal.
  void group(i64 rows, const T* block, i64 g, double* sums) const { gram_group(rows, block, first(g), first(g + 1), sums + start_[g]); }

  // Packs the rows [begin, end) of the block of `rows` rows that begins at d0. Contiguous rows are read a few at a time across
  // all panels, as the memory is laid out: one panel after the other would jump from page to page. Strided ones share cache
  // lines along the depth.
  void pack(i64 d0, i64 rows, i64 begin, i64 end, T* block) const {
    const i64 some = x_.lane_step == 1 ? 8 : 64;
    for (; begin < end; begin += some)
      for (i64 j = 0; j < panels_; ++j) {
        const i64 l0 = j * lanes<T>;
        pack_panel(x_, shift_.data() + l0, scale_.data() + l0, d0 + begin, least(some, end - begin), l0,
                   block + j * rows * lanes<T> + begin * lanes<T>);
      }
  }

  void by_rows(double* total) {
    const i64 size = start_[groups_];
    const i64 chunk = round_up(most(ceil_div(x_.depth, shares(size)), depth), depth), chunks = ceil_div(x_.depth, chunk);
    const int threads = threads_for(x_.depth * x_.width * x_.width / 2, chunks);
    const i64 slots = threads > 1 ? chunks : 1;
    const Buffer<double> parts(slots * size);
    const Buffer<T> packed(threads * padded_ * depth);
    for_chunks_merged(
        chunks, threads, slots,
        [&](i64 c, int thread, i64 slot) {
          double* part = parts.data() + slot * size;
          T* block = packed.data() + thread * padded_ * depth;
          for (i64 i = 0; i < size; ++i) part[i] = 0.0;
          const i64 end = least(x_.depth, (c + 1) * chunk);
          for (i64 d0 = c * chunk; d0 < end; d0 += depth) {
            const i64 rows = least(depth, end - d0);
            pack(d0, rows, 0, rows, block);
            for (i64 g = 0; g < groups_; ++g) group(rows, block, g, part);
          }
        },
        [&](i64 slot) {
          const double* part = parts.data() + slot * size;
          for (i64 i = 0; i < size; ++i) total[i] += part[i];
        });
  }

  // Several blocks are packed between two meetings of the threads: meetings are dear on a busy machine.
  void by_tiles(double* total) {
    constexpr i64 strip = 64;  // rows that a thread packs at a time
    const i64 fitting = (i64(4) << 20) / (padded_ * i64(sizeof(T))) / depth * depth;
    const i64 batch = least(most(depth, fitting), round_up(most<i64>(x_.depth, 1), depth));
    const Buffer<T> packed(padded_ * batch);
    const int threads = threads_for(x_.depth * x_.width * x_.width / 2, groups_);
    for (i64 d0 = 0; d0 < x_.depth; d0 += batch) {
      const i64 depths = least(batch, x_.depth - d0), blocks = ceil_div(depths, depth);
      const auto rows = [&](i64 b) { return least(depth, depths - b * depth); };
      for_chunks(ceil_div(depths, strip), threads, [&](i64 i, int) {
        const i64 b = i * strip / depth, begin = i * strip - b * depth;
        pack(d0 + b * depth, rows(b), begin, least(begin + strip, rows(b)), packed.data() + b * depth * padded_);
      });
      for_chunks(groups_, threads, [&](i64 i, int) {
        const i64 g = groups_ - 1 - i;  // the longest columns of tiles first
        for (i64 b = 0; b < blocks; ++b) group(rows(b), packed.data() + b * depth * padded_, g, total);
      });
    }
  }

  GramOperand<In> x_;
  i64 panels_, groups_, padded_;
  Buffer<i64> start_;  // where the sums of a group begin
  Buffer<double> shift_, scale_;
};

// weights and center may be null. out is (cols, cols), or (rows, rows) with by_row. Blocks are summed as T.
template <class T, class In>
void gram_of(const DenseView<In>& x, const double* weights, const double* center, bool by_row, double* out) {
  const Buffer<double> root(weights ? x.rows : 0);
  for (i64 i = 0; weights && i < x.rows; ++i) root[i] = std::sqrt(weights[i]);
  const double* scale = weights ? root.data() : nullptr;
  if (by_row) {
    Gram<In, T>({x.data, x.cols, x.rows, x.col_stride, x.row_stride, center, nullptr, nullptr, scale}).run(out);
  } else {
    Gram<In, T>({x.data, x.rows, x.cols, x.row_stride, x.col_stride, nullptr, center, scale, nullptr}).run(out);
  }
}

}  // namespace empirisk::EMPIRISK_ISA
