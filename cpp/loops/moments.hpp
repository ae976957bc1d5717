// Weighted column means and centred sums of squares. Each block of rows is read twice while it is in the cache, and blocks are
// combined by Chan, Golub and LeVeque (1983): no cancellation, whatever the mean.
#pragma once
#include "loops/sparse_pass.hpp"
#include "support/parallel.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

// (weight, mean, centred sum of squares) of the columns of a set of rows.
struct Moments {
  double weight = 0.0;
  double* mean;
  double* square;
};

inline void combine(Moments& into, const Moments& from, i64 p) {
  const double total = into.weight + from.weight;
  if (!(from.weight > 0.0)) return;
  const double share = from.weight / total, cross = into.weight * share;
  for (i64 j = 0; j < p; ++j) {
    const double delta = from.mean[j] - into.mean[j];
    into.mean[j] += delta * share;
    into.square[j] += from.square[j] + delta * delta * cross;
  }
  into.weight = total;
}

// Rows are contiguous or strided: columns in the inner loop. The squares are corrected by the residual sum of the deviations.
template <class T>
void block_moments(const T* x, i64 rows, i64 p, i64 rs, i64 cs, const double* s, Moments& m, double* residual) {
  m.weight = 0.0;
  clear(m.mean, p);
  clear(m.square, p);
  clear(residual, p);
  for (i64 i = 0; i < rows; ++i) m.weight += s ? s[i] : 1.0;
  if (!(m.weight > 0.0)) return;
  const double inverse = 1.0 / m.weight;
  auto accumulate = [&](i64 step) {
    for (i64 i = 0; i < rows; ++i) {
      const double w = s ? s[i] : 1.0;
      for (i64 j = 0; j < p; ++j) m.mean[j] += w * double(x[i * rs + j * step]);
    }
    for (i64 j = 0; j < p; ++j) m.mean[j] *= inverse;
    for (i64 i = 0; i < rows; ++i) {
      const double w = s ? s[i] : 1.0;
      for (i64 j = 0; j < p; ++j) {
        const double d = double(x[i * rs + j * step]) - m.mean[j];
        residual[j] += w * d;
        m.square[j] += w * d * d;
      }
    }
  };
  if (cs == 1) accumulate(1); else accumulate(cs);
  for (i64 j = 0; j < p; ++j) {
    const double shift = residual[j] * inverse;
    m.mean[j] += shift;
    m.square[j] = most(0.0, m.square[j] - shift * residual[j]);
  }
}

// sum w d and sum w d^2 of the deviations d = a - shift of one contiguous column; s may be null.
template <class T>
inline void deviations(const T* a, const double* s, i64 n, double shift, double& sum, double& square) {
  constexpr i64 L = lanes<double>;
  const Vec<double> m = fill(shift), one = fill(1.0);
  Vec<double> sums[2] = {fill(0.0), fill(0.0)}, squares[2] = {fill(0.0), fill(0.0)};
  const auto step = [&](i64 i, int lane) {
    const Vec<double> d = load_double(a + i) - m, wd = d * (s ? load(s + i) : one);
    sums[lane] += wd;
    squares[lane] += wd * d;
  };
  i64 i = 0;
  for (; i + 2 * L <= n; i += 2 * L) {
    step(i, 0);
    step(i + L, 1);
  }
  sum = lane_sum(sums[0] + sums[1]);
  square = lane_sum(squares[0] + squares[1]);
  for (; i < n; ++i) {
    const double d = double(a[i]) - shift, wd = (s ? s[i] : 1.0) * d;
    sum += wd;
    square += wd * d;
  }
}

// Columns are contiguous: rows in the inner loop.
template <class T>
void block_moments_by_columns(const T* x, i64 rows, i64 p, i64 cs, const double* s, Moments& m) {
  m.weight = s ? fixed_sum(s, rows) : double(rows);
  const double inverse = m.weight > 0.0 ? 1.0 / m.weight : 0.0;
  for (i64 j = 0; j < p; ++j) {
    double sum, square;
    deviations(x + j * cs, s, rows, 0.0, sum, square);
    const double mean = sum * inverse;
    deviations(x + j * cs, s, rows, mean, sum, square);
    m.mean[j] = mean + sum * inverse;
    m.square[j] = most(0.0, square - sum * sum * inverse);
  }
}

template <class T>
void dense_moments(const DenseView<T>& x, const double* s, double* mean, double* square) {
  const i64 p = x.cols;
  const bool by_columns = x.row_stride == 1 && x.col_stride != 1;
  const i64 block = by_columns ? 1024 : most<i64>(16, least<i64>(256, (i64(1) << 15) / most<i64>(1, p)));
  const i64 chunk = round_up(most(ceil_div(x.rows, 64), 2 * block), block), chunks = ceil_div(x.rows, chunk);
  const int threads = threads_for(x.rows * p, chunks);
  const i64 slots = result_slots(chunks, threads, 2 * p + 1);
  const Buffer<double> work(threads * 3 * p), sums(slots * 2 * p), weights(slots);
  clear(mean, p);
  clear(square, p);
  Moments total{0.0, mean, square};
  for_chunks_merged(
      chunks, threads, slots,
      [&](i64 c, int thread, i64 slot) {
        double* w = work.data() + thread * 3 * p;
        double* result = sums.data() + slot * 2 * p;
        Moments sum{0.0, result, result + p}, part{0.0, w, w + p};
        clear(result, 2 * p);
        const i64 end = least(x.rows, (c + 1) * chunk);
        for (i64 first = c * chunk; first < end; first += block) {
          const i64 rows = least(block, end - first);
          const T* a = x.data + first * x.row_stride;
          const double* si = s ? s + first : nullptr;
          if (by_columns) block_moments_by_columns(a, rows, p, x.col_stride, si, part);
          else block_moments(a, rows, p, x.row_stride, x.col_stride, si, part, w + 2 * p);
          combine(sum, part, p);
        }
        weights[slot] = sum.weight;
      },
      [&](i64 slot) {
        double* result = sums.data() + slot * 2 * p;
        combine(total, Moments{weights[slot], result, result + p}, p);
      });
}

// Mean and centred sum of squares of a sparse column from a first mean m, the weight of the rows that store a value, and
// residual = sum w (v - m), square = sum w (v - m)^2 over those; all other rows deviate by -m.
EMPIRISK_INLINE void finish_sparse(double total, double stored, double residual, double& mean, double& square) {
  const double m = mean, zeros = most(0.0, total - stored);
  if (!(total > 0.0)) {
    mean = square = 0.0;
    return;
  }
  const double left = residual - zeros * m;  // rounding of the first mean
  mean = m + left / total;
  square = most(0.0, square + zeros * m * m - left * (left / total));
}

template <class T, class I>
void csc_moments(const CompressedView<T, I>& x, const double* s, double* mean, double* square) {
  const double total = s ? fixed_sum(s, x.minor) : double(x.minor);
  const i64 nnz = x.major > 0 ? i64(x.indptr[x.major]) - i64(x.indptr[0]) : 0, chunks = count_chunks(nnz, x.major, 0);
  for_chunks(chunks, threads_for(4 * nnz, chunks), [&](i64 chunk, int) {
    const i64 end = chunk_start(x.indptr, x.major, chunks, chunk + 1);
    for (i64 j = chunk_start(x.indptr, x.major, chunks, chunk); j < end; ++j) {
      double sum = 0.0, stored = 0.0, residual = 0.0, ssq = 0.0;
      const auto weight = [&](i64 t) { return s ? s[x.indices[t]] : 1.0; };
      const i64 begin = i64(x.indptr[j]), stop = i64(x.indptr[j + 1]);
      for (i64 t = begin; t < stop; ++t) {
        sum += weight(t) * double(x.data[t]);
        stored += weight(t);
      }
      const double m = total > 0.0 ? sum / total : 0.0;
      for (i64 t = begin; t < stop; ++t) {
        const double d = double(x.data[t]) - m;
        residual += weight(t) * d;
        ssq += weight(t) * d * d;
      }
      mean[j] = m;
      square[j] = ssq;
      finish_sparse(total, stored, residual, mean[j], square[j]);
    }
  });
}

template <class T, class I>
void csr_moments(const CompressedView<T, I>& x, const double* s, double* mean, double* square) {
  const i64 p = x.minor, nnz = x.major > 0 ? i64(x.indptr[x.major]) - i64(x.indptr[0]) : 0;
  const i64 chunks = count_chunks(nnz, x.major, 2 * p);
  const int threads = threads_for(4 * nnz, chunks);
  const double total = s ? fixed_sum(s, x.major) : double(x.major);
  const i64 slots = result_slots(chunks, threads, 2 * p);
  const Buffer<double> parts(slots * 2 * p), stored(p), residual(p);
  const auto sweep = [&](double* first, double* second, auto each) {  // each adds to the two sums of a column
    clear(first, p);
    clear(second, p);
    for_chunks_merged(
        chunks, threads, slots,
        [&](i64 chunk, int, i64 slot) {
          double* part = parts.data() + slot * 2 * p;
          clear(part, 2 * p);
          const i64 end = chunk_start(x.indptr, x.major, chunks, chunk + 1);
          for (i64 i = chunk_start(x.indptr, x.major, chunks, chunk); i < end; ++i)
            for (i64 t = i64(x.indptr[i]); t < i64(x.indptr[i + 1]); ++t) {
              const i64 j = i64(x.indices[t]);
              each(s ? s[i] : 1.0, double(x.data[t]), j, part[j], part[p + j]);
            }
        },
        [&](i64 slot) {
          add(first, parts.data() + slot * 2 * p, p);
          add(second, parts.data() + slot * 2 * p + p, p);
        });
  };
  sweep(mean, stored.data(), [](double w, double v, i64, double& sum, double& weight) {
    sum += w * v;
    weight += w;
  });
  for (i64 j = 0; j < p; ++j) mean[j] = total > 0.0 ? mean[j] / total : 0.0;
  sweep(residual.data(), square, [mean](double w, double v, i64 j, double& left, double& ssq) {
    const double d = v - mean[j];
    left += w * d;
    ssq += w * d * d;
  });
  for (i64 j = 0; j < p; ++j) finish_sparse(total, stored[j], residual[j], mean[j], square[j]);
}

}  // namespace empirisk::EMPIRISK_ISA
