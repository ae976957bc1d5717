// Products with some of the columns of X, read in place: X_J' u, X_J w, and new columns of the Gram matrix of a growing set.
#pragma once
#include <cmath>

#include "loops/block_product.hpp"
#include "loops/coordinate.hpp"
#include "support/parallel.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 column_chunk = 64;

template <class T>
EMPIRISK_INLINE double column_dot(const T* x, const double* u, i64 n) {
  constexpr i64 L = lanes<double>;
  Vec<double> a = fill(0.0), b = a, c = a, d = a;
  i64 i = 0;
  for (; i + 4 * L <= n; i += 4 * L) {
    a += load_double(x + i) * load(u + i);
    b += load_double(x + i + L) * load(u + i + L);
    c += load_double(x + i + 2 * L) * load(u + i + 2 * L);
    d += load_double(x + i + 3 * L) * load(u + i + 3 * L);
  }
  for (; i + L <= n; i += L) a += load_double(x + i) * load(u + i);
  double sum = lane_sum((a + b) + (c + d));
  for (; i < n; ++i) sum += double(x[i]) * u[i];
  return sum;
}

// out_c = x_{index[c]} . u for columns of any stride. Rows-first storage is read row by row, each thread into its own sums.
template <class T>
void dense_columns_rmatvec(const DenseView<T>& x, const i64* index, i64 k, const double* u, double* out) {
  if (x.row_stride == 1) {
    const i64 chunks = ceil_div(k, column_chunk);
    for_chunks(chunks, threads_for(x.rows * k, chunks), [&](i64 chunk, int) {
      for (i64 c = chunk * column_chunk; c < least(k, (chunk + 1) * column_chunk); ++c)
        out[c] = column_dot(x.data + (index ? index[c] : c) * x.col_stride, u, x.rows);
    });
    return;
  }
  const i64 rows_of_chunk = most<i64>(ceil_div(x.rows, 16), 64), chunks = ceil_div(x.rows, rows_of_chunk);
  const int threads = threads_for(x.rows * k, chunks);
  const Buffer<double> parts(threads * k);
  for (i64 c = 0; c < k; ++c) out[c] = 0.0;
  for_chunks_ordered(
      chunks, threads,
      [&](i64 chunk, int thread) {
        double* EMPIRISK_RESTRICT part = parts.data() + thread * k;
        for (i64 c = 0; c < k; ++c) part[c] = 0.0;
        for (i64 i = chunk * rows_of_chunk; i < least(x.rows, (chunk + 1) * rows_of_chunk); ++i) {
          const T* row = x.data + i * x.row_stride;
          for (i64 c = 0; c < k; ++c) part[c] += u[i] * double(row[(index ? index[c] : c) * x.col_stride]);
        }
      },
      [&](i64, int thread) {
        for (i64 c = 0; c < k; ++c) out[c] += parts[thread * k + c];
      });
}

template <class T, class I>
void csc_columns_rmatvec(const CompressedView<T, I>& x, const i64* index, i64 k, const double* u, double* out) {
  const i64 chunk_size = 512, chunks = ceil_div(k, chunk_size);
  const i64 average = x.major > 0 ? i64(x.indptr[x.major]) / x.major + 1 : 1;
  for_chunks(chunks, threads_for(2 * average * k, chunks), [&](i64 chunk, int) {
    for (i64 c = chunk * chunk_size; c < least(k, (chunk + 1) * chunk_size); ++c) {
      const i64 f = index ? index[c] : c, end = i64(x.indptr[f + 1]);
      double a = 0.0, b = 0.0;
      i64 t = i64(x.indptr[f]);
      for (; t + 2 <= end; t += 2) {
        a += double(x.data[t]) * u[x.indices[t]];
        b += double(x.data[t + 1]) * u[x.indices[t + 1]];
      }
      if (t < end) a += double(x.data[t]) * u[x.indices[t]];
      out[c] = a + b;
    }
  });
}

template <class T>
void dense_columns_matvec(const DenseView<T>& x, const i64* index, i64 k, const double* w, double* z) {
  const i64 chunk_rows = 1024, chunks = ceil_div(x.rows, chunk_rows);
  for_chunks(chunks, threads_for(x.rows * k, chunks), [&](i64 chunk, int) {
    const i64 first = chunk * chunk_rows, end = least(x.rows, first + chunk_rows);
    if (x.row_stride == 1) {
      for (i64 i = first; i < end; ++i) z[i] = 0.0;
      for (i64 c = 0; c < k; ++c) {
        const T* EMPIRISK_RESTRICT column = x.data + index[c] * x.col_stride;
        double* EMPIRISK_RESTRICT to = z;
        const double factor = w[c];
        for (i64 i = first; i < end; ++i) to[i] += factor * double(column[i]);
      }
    } else {
      for (i64 i = first; i < end; ++i) {
        const T* row = x.data + i * x.row_stride;
        double sum = 0.0;
        for (i64 c = 0; c < k; ++c) sum += w[c] * double(row[index[c] * x.col_stride]);
        z[i] = sum;
      }
    }
  });
}

template <class T, class I>
void csc_columns_matvec(const CompressedView<T, I>& x, const i64* index, i64 k, const double* w, double* z) {
  for (i64 i = 0; i < x.minor; ++i) z[i] = 0.0;
  for (i64 c = 0; c < k; ++c)
    for (i64 t = i64(x.indptr[index[c]]); t < i64(x.indptr[index[c] + 1]); ++t) z[x.indices[t]] += w[c] * double(x.data[t]);
}

// G[i, j] = sum_r h_r (x_ri - m_i)(x_rj - m_j) for i < k, first <= j < k. Rows go through a packed, centred, scaled block.
template <class T>
class GramColumns {
 public:
  GramColumns(const DenseView<T>& x, const ColumnSet& set, i64 first)
      : x_(x), set_(set), first_(first), strips_(ceil_div(set.k, strip)),
        threads_(threads_for(x.rows * set.k * (set.k - first), strips_)),
        rows_(least(most((i64(2) << 20) / most<i64>(set.k, 1), slice), x.rows)), lda_(round_up(rows_, 8) + 8),
        packed_(lda_ * set.k), root_(x.rows), part_(threads_ * strip * (set.k - first)) {
    for (i64 i = 0; i < x.rows; ++i) root_[i] = std::sqrt(set.h[i]);
  }

  void run(double* g, i64 ld) {
    const i64 k = set_.k;
    for (i64 i = 0; i < k; ++i)
      for (i64 j = first_; j < k; ++j) g[i * ld + j] = 0.0;
    for (i64 begin = 0; begin < x_.rows; begin += rows_) {
      const i64 rows = least(rows_, x_.rows - begin);
      for_chunks(strips_, threads_, [&](i64 s, int) { pack(s, begin, rows); });
      for_chunks(strips_, threads_, [&](i64 s, int thread) { multiply(s, rows, thread, g, ld); });
    }
    for (i64 i = 0; i < k; ++i)
      for (i64 j = most(first_, i + 1); j < k; ++j) g[j * ld + i] = g[i * ld + j];
  }

 private:
  static constexpr i64 strip = 16, slice = 256;  // columns of a task; rows whose products stay in the inner cache

  void pack(i64 s, i64 begin, i64 rows) {
    const i64 end = least(set_.k, (s + 1) * strip);
    if (x_.row_stride != 1) return pack_rows(s * strip, end, begin, rows);
    for (i64 c = s * strip; c < end; ++c) {
      const T* EMPIRISK_RESTRICT column = x_.data + set_.index[c] * x_.col_stride + begin;
      const double m = mean(c);
      double* EMPIRISK_RESTRICT to = packed_.data() + c * lda_;
      const double* EMPIRISK_RESTRICT root = root_.data() + begin;
      for (i64 i = 0; i < rows; ++i) to[i] = root[i] * (double(column[i]) - m);
    }
  }

  void pack_rows(i64 from, i64 end, i64 begin, i64 rows) {
    for (i64 i = 0; i < rows; ++i) {
      const T* row = x_.data + (begin + i) * x_.row_stride;
      for (i64 c = from; c < end; ++c)
        packed_[c * lda_ + i] = root_[begin + i] * (double(row[set_.index[c] * x_.col_stride]) - mean(c));
    }
  }

  // Rows s*strip.. of G against the new columns that are not to their left.
  void multiply(i64 s, i64 rows, int thread, double* g, i64 ld) {
    const i64 i0 = s * strip, height = least(strip, set_.k - i0), from = most(first_, i0), width = set_.k - from;
    if (width <= 0) return;
    double* part = part_.data() + thread * strip * (set_.k - first_);
    for (i64 r = 0; r < rows; r += slice) {
      const double* a = packed_.data() + r;
      dots(a + i0 * lda_, lda_, height, least(slice, rows - r), width, a + from * lda_, lda_, Strided{part, width, 1});
      for (i64 i = 0; i < height; ++i)
        for (i64 c = 0; c < width; ++c) g[(i0 + i) * ld + from + c] += part[i * width + c];
    }
  }

  double mean(i64 c) const { return set_.mean ? set_.mean[c] : 0.0; }

  DenseView<T> x_;
  const ColumnSet& set_;
  i64 first_, strips_;
  int threads_;
  i64 rows_, lda_;  // rows of a packed block (at most 16 MB), and the distance of its columns
  Buffer<double> packed_, root_, part_;
};

}  // namespace empirisk::EMPIRISK_ISA
