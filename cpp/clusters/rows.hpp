// Rows as the loops of clusters read them: dense with neighbouring columns, or CSR.
#pragma once
#include <type_traits>

#include "clusters/panels.hpp"
#include "support/parallel.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
struct DenseBlock {
  const T* data;
  i64 rows, cols, stride;
  static constexpr bool sparse = false;
  using Number = T;

  explicit DenseBlock(const Matrix& x) : data(static_cast<const T*>(x.data)), rows(x.rows), cols(x.cols), stride(x.row_stride) {}
  const T* row(i64 i) const { return data + i * stride; }

  template <class F>
  void cells(i64 i, const F& f) const {
    const T* x = row(i);
    for (i64 d = 0; d < cols; ++d) f(d, double(x[d]));
  }

  // What `count` rows, named by `index`, see of the panels [begin, end).
  // `streamed` says that the rows follow each other in memory.
  template <bool with_second, bool streamed>
  void look(const i64* index, i64 count, const Panels<T>& centers, i64 begin, i64 end, Seen<T>* seen) const {
    constexpr int M = near_rows;
    for_panels(begin, end, [&](i64 panel, auto n) {
      for (i64 i = 0; i < count; i += M) {
        const T* next = streamed && panel == begin ? row(least(index[0] + i + 2 * M, rows - 1)) : nullptr;
        const T* at[M];
        for (int m = 0; m < M; ++m) at[m] = row(index[least(i + m, count - 1)]);
        if (i + M <= count) {
          near_tile<decltype(n)::value, with_second, T>(at, cols, centers, panel, next, seen + i);
        } else {
          Seen<T> last[M];
          for (int m = 0; m < M; ++m) last[m] = seen[least(i + m, count - 1)];
          near_tile<decltype(n)::value, with_second, T>(at, cols, centers, panel, next, last);
          for (i64 m = 0; m < count - i; ++m) seen[i + m] = last[m];
        }
      }
    });
  }
};

template <class T, class I>
struct SparseBlock {
  CompressedView<T, I> view;
  i64 rows, cols;
  static constexpr bool sparse = true;
  using Number = T;

  template <class F>
  void cells(i64 i, const F& f) const {
    for (i64 c = i64(view.indptr[i]); c < i64(view.indptr[i + 1]); ++c) f(i64(view.indices[c]), double(view.data[c]));
  }

  template <bool with_second, bool streamed>
  void look(const i64* index, i64 count, const Panels<T>& centers, i64 begin, i64 end, Seen<T>* seen) const {
    for_panels(begin, end, [&](i64 panel, auto n) {
      for (i64 i = 0; i < count; ++i) {
        const i64 first = i64(view.indptr[index[i]]), cells = i64(view.indptr[index[i] + 1]) - first;
        near_sparse<decltype(n)::value, with_second, T>(view.data + first, view.indices + first, cells, centers, panel, seen[i]);
      }
    });
  }
};

// Calls f with the rows of x in their own types.
template <class F>
void visit_rows(const Matrix& x, const F& f) {
  if (x.storage == Storage::dense) {
    x.is_float32 ? f(DenseBlock<float>(x)) : f(DenseBlock<double>(x));
    return;
  }
  visit_compressed(x, [&](const auto& view) {
    using T = std::remove_cvref_t<decltype(*view.data)>;
    using I = std::remove_cvref_t<decltype(*view.indices)>;
    f(SparseBlock<T, I>{view, x.rows, x.cols});
  });
}

// ||x_i - c||^2 by differences, in double; with CSR rows by the cells alone, `square` being ||c||^2.
template <class Rows>
inline double square_from(const Rows& x, i64 i, const double* c, double square) {
  if constexpr (Rows::sparse) {
    double sum = square;
    x.cells(i, [&](i64 d, double v) { sum += v * (v - 2.0 * c[d]); });
    return sum > 0.0 ? sum : 0.0;
  } else {
    constexpr i64 L = lanes<double>;
    const auto* row = x.row(i);
    Vec<double> a = fill(0.0), b = fill(0.0);
    i64 d = 0;
    for (; d + 2 * L <= x.cols; d += 2 * L) {
      const Vec<double> u = load_double(row + d) - load(c + d), v = load_double(row + d + L) - load(c + d + L);
      a += u * u;
      b += v * v;
    }
    double sum = lane_sum(a + b);
    for (; d < x.cols; ++d) {
      const double u = double(row[d]) - c[d];
      sum += u * u;
    }
    return sum;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
