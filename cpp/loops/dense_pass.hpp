// RowPass over a dense matrix in C order, F order or any other strides, block by block: a block is read from memory once and
// the product of the gradient finds it in the cache.
#pragma once
#include "loops/block_product.hpp"
#include "loops/row_pass.hpp"
#include "support/parallel.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

struct BlockPlan {
  i64 block, chunk, chunks;  // rows of a block, rows of a chunk (a multiple of block), number of chunks
};

// Depends on the shape alone. 64 rows or more amortise the accumulators; half of a 1 MB cache bounds the block above.
inline BlockPlan plan_blocks(i64 rows, i64 row_bytes, bool by_columns) {
  const i64 smallest = by_columns ? 128 : 64, largest = by_columns ? 1024 : 256;
  const i64 fitting = (i64(1) << (by_columns ? 18 : 15)) / most<i64>(row_bytes, 1);
  i64 block = least(most(fitting / 8 * 8, smallest), largest);
  while (block > 8 && block * row_bytes > (i64(1) << 19)) block /= 2;
  const i64 chunk = round_up(most(ceil_div(rows, 64), 4 * block), block);
  return {block, chunk, ceil_div(rows, chunk)};
}

template <class T>
class DensePass {
 public:
  DensePass(const DenseView<T>& x, const RowPass& pass)
      : x_(x), pass_(pass), by_columns_(x.col_stride != 1 && x.row_stride == 1), packs_(!by_columns_ && x.col_stride != 1),
        plan_(plan_blocks(x.rows, x.cols * i64(sizeof(T)), by_columns_)),
        threads_(threads_for(x.rows * x.cols * pass.k, plan_.chunks)),
        slots_(result_slots(plan_.chunks, threads_, (pass.grad ? x.cols * pass.k : 0) + pass.f.n_sums)), ldz_(round_up(plan_.block, 8)),
        right_(pass.w && !by_columns_ ? x.cols * pass.k : 0), scores_(threads_ * ldz_ * pass.k),
        grads_(pass.grad ? slots_ * x.cols * pass.k : 0), sums_(slots_ * pass.f.n_sums),
        packed_(packs_ ? threads_ * plan_.block * x.cols : 0) {}

  void run() {
    const i64 size = x_.cols * pass_.k;
    if (pass_.w && !by_columns_) transpose(pass_.w, x_.cols, pass_.k, right_.data());
    for (i64 i = 0; i < pass_.f.n_sums; ++i) pass_.sums[i] = 0.0;
    if (pass_.grad)
      for (i64 i = 0; i < size; ++i) pass_.grad[i] = 0.0;
    for_chunks_merged(
        plan_.chunks, threads_, slots_, [&](i64 c, int thread, i64 slot) { do_chunk(c, thread, slot); },
        [&](i64 slot) { merge(slot); });
  }

 private:
  static void transpose(const double* a, i64 rows, i64 cols, double* b) {
    for (i64 i = 0; i < rows; ++i)
      for (i64 j = 0; j < cols; ++j) b[j * rows + i] = a[i * cols + j];
  }

  void do_chunk(i64 c, int thread, i64 slot) {
    const i64 size = x_.cols * pass_.k, end = least(x_.rows, (c + 1) * plan_.chunk);
    double* grad = pass_.grad ? grads_.data() + slot * size : nullptr;
    double* sums = sums_.data() + slot * pass_.f.n_sums;
    for (i64 i = 0; grad && i < size; ++i) grad[i] = 0.0;
    for (i64 i = 0; i < pass_.f.n_sums; ++i) sums[i] = 0.0;
    for (i64 first = c * plan_.chunk; first < end; first += plan_.block)
      do_block(first, least(plan_.block, end - first), thread, grad, sums);
  }

  void do_block(i64 first, i64 rows, int thread, double* grad, double* sums) {
    double* z = scores_.data() + thread * ldz_ * pass_.k;
    const T* a = x_.data + first * x_.row_stride;
    i64 lda = by_columns_ ? x_.col_stride : x_.row_stride;
    if (packs_) {
      a = pack(a, rows, packed_.data() + thread * plan_.block * x_.cols);
      lda = x_.cols;
    }
    if (pass_.w) multiply(a, lda, rows, z);
    pass_.f.call(pass_.f.self, first, rows, z, ldz_, sums);
    if (grad) multiply_transposed(a, lda, rows, z, grad);
  }

  void multiply(const T* a, i64 lda, i64 rows, double* z) {
    if (!by_columns_) return dots(a, lda, rows, x_.cols, pass_.k, right_.data(), x_.cols, Strided{z, 1, ldz_});
    for (i64 c = 0; c < pass_.k; ++c)
      for (i64 i = 0; i < rows; ++i) z[c * ldz_ + i] = 0.0;
    const i64 few = pass_.k == 1 ? 8 : 32;  // the memory prefetcher follows 8 streams; more pay when they are used again
    for (i64 j = 0; j < x_.cols; j += few) {
      double* w = const_cast<double*>(pass_.w) + j * pass_.k;  // axpys only reads it
      axpys(a + j * lda, lda, least(few, x_.cols - j), rows, pass_.k, Strided{w, pass_.k, 1}, z, ldz_);
    }
  }

  void multiply_transposed(const T* a, i64 lda, i64 rows, double* z, double* grad) {
    if (!by_columns_) return axpys(a, lda, rows, x_.cols, pass_.k, Strided{z, 1, ldz_}, grad, x_.cols);
    double part[8 * 4];
    for (i64 c = 0; c < pass_.k; c += 4) {
      const i64 nc = least<i64>(4, pass_.k - c);
      for (i64 j = 0; j < x_.cols; j += 8) {
        const i64 nj = least<i64>(8, x_.cols - j);
        dots(a + j * lda, lda, nj, rows, nc, z + c * ldz_, ldz_, Strided{part, 4, 1});
        for (i64 i = 0; i < nj; ++i)
          for (i64 d = 0; d < nc; ++d) grad[(c + d) * x_.cols + j + i] += part[4 * i + d];
      }
    }
  }

  const T* pack(const T* a, i64 rows, T* out) {
    for (i64 i = 0; i < rows; ++i)
      for (i64 j = 0; j < x_.cols; ++j) out[i * x_.cols + j] = a[i * x_.row_stride + j * x_.col_stride];
    return out;
  }

  void merge(i64 slot) {
    const double* grad = grads_.data() + slot * x_.cols * pass_.k;
    const double* sums = sums_.data() + slot * pass_.f.n_sums;
    if (pass_.grad)
      for (i64 c = 0; c < pass_.k; ++c)
        for (i64 j = 0; j < x_.cols; ++j) pass_.grad[j * pass_.k + c] += grad[c * x_.cols + j];
    for (i64 i = 0; i < pass_.f.n_sums; ++i) pass_.sums[i] += sums[i];
  }

  DenseView<T> x_;
  const RowPass& pass_;
  bool by_columns_, packs_;
  BlockPlan plan_;
  int threads_;
  i64 slots_, ldz_;
  Buffer<double> right_, scores_, grads_, sums_;
  Buffer<T> packed_;
};

}  // namespace empirisk::EMPIRISK_ISA
