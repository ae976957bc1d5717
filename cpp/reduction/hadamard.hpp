// Chosen rows of  H D x / sqrt(d)  for many x: D holds signs, H is the unnormalised Walsh-Hadamard matrix of the next power of
// two. Rows of X are taken a vector's width at a time and lie side by side, so that every butterfly is an addition of whole
// vectors; blocks of columns that stay in the cache are transformed in full, and of the steps between blocks only those sums are
// made that lead to a chosen row.
#pragma once
#include <cmath>
#include <type_traits>

#include "reduction/reduction_table.hpp"
#include "support/parallel.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

inline bool odd_bits(std::uint64_t x) {
  for (int shift = 32; shift > 0; shift /= 2) x ^= x >> shift;
  return x & 1u;
}

// a[size][lanes] <- H a, size a power of two.
template <class T>
void hadamard(T* a, i64 size) {
  constexpr i64 L = lanes<T>;
  i64 h = 1;
  for (; 4 * h <= size; h *= 4)
    for (i64 i = 0; i < size; i += 4 * h)
      for (i64 j = i; j < i + h; ++j) {
        T *p0 = a + j * L, *p1 = p0 + h * L, *p2 = p1 + h * L, *p3 = p2 + h * L;
        const Vec<T> x0 = load(p0), x1 = load(p1), x2 = load(p2), x3 = load(p3);
        const Vec<T> s0 = x0 + x1, d0 = x0 - x1, s1 = x2 + x3, d1 = x2 - x3;
        store(p0, s0 + s1);
        store(p1, d0 + d1);
        store(p2, s0 - s1);
        store(p3, d0 - d1);
      }
  for (; 2 * h <= size; h *= 2)
    for (i64 j = 0; j < h; ++j) {
      T *p0 = a + j * L, *p1 = p0 + h * L;
      const Vec<T> x0 = load(p0), x1 = load(p1);
      store(p0, x0 + x1);
      store(p1, x0 - x1);
    }
}

// Where the rows come from: `copy` writes columns [from, to) of a row into its lane, and returns whether anything was written.
// A source that does not write every cell says so in `gaps`, and finds zeros there.
template <class T>
struct DenseSource {
  DenseView<T> x;
  struct Cursor {};
  static constexpr bool gaps = false;
  void start(Cursor&, i64) const {}
  bool copy(Cursor&, i64 row, i64 lane, i64 from, i64 to, T* a) const {
    const T* at = x.data + row * x.row_stride + from * x.col_stride;
    T* out = a + lane;
    if (x.col_stride == 1) {
      for (i64 j = 0; j < to - from; ++j) out[j * lanes<T>] = at[j];
    } else {
      for (i64 j = 0; j < to - from; ++j) out[j * lanes<T>] = at[j * x.col_stride];
    }
    return true;
  }
};

template <class T, class I>
struct SparseSource {
  CompressedView<T, I> x;  // columns of a row ascend
  struct Cursor {
    i64 at = 0, end = 0;
  };
  static constexpr bool gaps = true;
  void start(Cursor& c, i64 row) const { c.at = i64(x.indptr[row]), c.end = i64(x.indptr[row + 1]); }
  bool copy(Cursor& c, i64, i64 lane, i64 from, i64 to, T* a) const {
    const i64 first = c.at;
    for (; c.at < c.end && i64(x.indices[c.at]) < to; ++c.at) {
      const i64 j = i64(x.indices[c.at]);
      a[(j - from) * lanes<T> + lane] += x.data[c.at];
    }
    return c.at > first;
  }
};

template <class T, class Source>
void hadamard_rows(const HadamardProblem& p, const Source& source) {
  constexpr i64 L = lanes<T>;
  i64 width = 1;
  while (width < p.x.cols) width *= 2;
  const i64 block = most(least<i64>(width, 512), width / 2048);  // the table of signs between blocks stays small
  const i64 blocks = ceil_div(p.x.cols, block), groups = ceil_div(p.x.rows, L);
  const T scale = T(1.0 / std::sqrt(double(p.chosen)));
  const Buffer<T> sign(p.x.cols);
  for (i64 j = 0; j < p.x.cols; ++j) sign[j] = T(p.sign[j]);
  const i64 high = width / block;  // the part of H between blocks
  const Buffer<T> step(blocks * high);
  for (i64 b = 0; b < blocks; ++b)
    for (i64 h = 0; h < high; ++h) step[b * high + h] = odd_bits(std::uint64_t(b) & std::uint64_t(h)) ? T(-1) : T(1);
  const int threads = threads_for(p.x.rows * blocks * (block * 9 + p.chosen), groups);
  const i64 size = (block + p.chosen) * L;
  const Buffer<T> work(threads * size);
  T* result = static_cast<T*>(p.out);
  for_chunks(groups, threads, [&](i64 g, int thread) {
    T *a = work.data() + thread * size, *sum = a + block * L;
    const i64 first = g * L, rows = least(L, p.x.rows - first);
    typename Source::Cursor cursor[L];
    for (i64 l = 0; l < rows; ++l) source.start(cursor[l], first + l);
    for (i64 i = 0; i < p.chosen * L; ++i) sum[i] = T(0);
    for (i64 b = 0; b < blocks; ++b) {
      const i64 from = b * block, to = least(p.x.cols, from + block);
      if (Source::gaps || rows < L || to < from + block)
        for (i64 i = 0; i < block * L; ++i) a[i] = T(0);
      bool any = false;
      for (i64 l = 0; l < rows; ++l) any |= source.copy(cursor[l], first + l, l, from, to, a);
      if (!any) continue;
      for (i64 j = from; j < to; ++j) store(a + (j - from) * L, load(a + (j - from) * L) * fill(sign[j]));
      hadamard(a, block);
      const T* between = step.data() + b * high;
      for (i64 r = 0; r < p.chosen; ++r) {
        const i64 row = p.row[r];
        const Vec<T> y = load(a + (row & (block - 1)) * L);
        store(sum + r * L, load(sum + r * L) + y * fill(between[row / block]));
      }
    }
    for (i64 l = 0; l < rows; ++l)
      for (i64 r = 0; r < p.chosen; ++r) result[(first + l) * p.chosen + r] = sum[r * L + l] * scale;
  });
}

inline void signed_hadamard(const HadamardProblem& p) {
  if (p.x.storage == Storage::dense) {
    if (p.x.is_float32) hadamard_rows<float>(p, DenseSource<float>{dense_view<float>(p.x)});
    else hadamard_rows<double>(p, DenseSource<double>{dense_view<double>(p.x)});
    return;
  }
  visit_compressed(p.x, [&](auto view) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(*view.data)>>;
    using I = std::remove_const_t<std::remove_reference_t<decltype(*view.indices)>>;
    hadamard_rows<T>(p, SparseSource<T, I>{view});
  });
}

}  // namespace empirisk::EMPIRISK_ISA
