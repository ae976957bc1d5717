// A pass over rows of a dense matrix that lie far apart: they are asked for some rows before they are read, into the second cache,
// which waits for more lines at a time than the first, and are read where they stand.
#pragma once
#if defined(__AVX2__)
#include <immintrin.h>
#endif
#include <type_traits>

#include "samplers/sampler_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 batch_block = 64;  // rows between the two products, which find them in the cache

// Numbers of a row as doubles. The compiler's own conversion of a vector goes by halves, in four instructions instead of one.
#if defined(__AVX512F__)
EMPIRISK_INLINE Vec<double> wide(const float* p) { return (Vec<double>)_mm512_maskz_cvtps_pd(__mmask8(-1), _mm256_loadu_ps(p)); }
#elif defined(__AVX2__)
EMPIRISK_INLINE Vec<double> wide(const float* p) { return (Vec<double>)_mm256_cvtps_pd(_mm_loadu_ps(p)); }
#else
EMPIRISK_INLINE Vec<double> wide(const float* p) { return load_double(p); }
#endif
EMPIRISK_INLINE Vec<double> wide(const double* p) { return load(p); }

template <class T>
struct PickedRows {
  const T* data;
  i64 stride, cols;
  const std::uint32_t* rows;

  PickedRows(const Matrix& x, const std::uint32_t* picked)
      : data(static_cast<const T*>(x.data)), stride(x.row_stride), cols(x.cols), rows(picked) {}
  EMPIRISK_INLINE const T* at(i64 r) const { return data + i64(rows[r]) * stride; }

  // Inlined by force: a call that does nothing but ask is left out as one without an effect.
  EMPIRISK_INLINE void ask([[maybe_unused]] i64 first, [[maybe_unused]] i64 last) const {
#if defined(__GNUC__)
    constexpr i64 line = 64 / i64(sizeof(T));
    for (i64 r = first; r < last; ++r) {
      const T* row = at(r);
      for (i64 j = 0; j < cols; j += line) __builtin_prefetch(row + j, 0, 2);
      __builtin_prefetch(row + cols - 1, 0, 2);
    }
#endif
  }
};

// z_r = row_r . w for NR rows from `first`. `last` holds the last vector of w with the lanes that came before set to zero.
template <int NR, class T>
EMPIRISK_INLINE void picked_dots(const PickedRows<T>& x, i64 first, const double* w, const double* last, double* z) {
  constexpr i64 L = lanes<double>;
  const T* row[NR];
  Vec<double> sum[NR];
  for (int r = 0; r < NR; ++r) {
    row[r] = x.at(first + r);
    sum[r] = fill(0.0);
  }
  i64 j = 0;
  for (; j + L <= x.cols; j += L) {
    const Vec<double> v = load(w + j);
    for (int r = 0; r < NR; ++r) sum[r] += wide(row[r] + j) * v;
  }
  if (j < x.cols) {
    const Vec<double> v = load(last);
    for (int r = 0; r < NR; ++r) sum[r] += wide(row[r] + x.cols - L) * v;
  }
  for (int r = 0; r < NR; ++r) z[first + r] = lane_sum(sum[r]);
}

// grad += sum_r u_r row_r over NV vectors of columns; where the last one overlaps the one before, `fresh` of its lanes are new.
template <int NV, class T>
EMPIRISK_INLINE void picked_sums(const PickedRows<T>& x, i64 first, i64 count, i64 from, i64 last, i64 fresh, const double* u, double* grad) {
  constexpr i64 L = lanes<double>;
  const auto place = [=](int v) { return v == NV - 1 ? last : from + v * L; };
  Vec<double> sum[NV];
  for (int v = 0; v < NV; ++v) sum[v] = fill(0.0);
  for (i64 r = 0; r < count; ++r) {
    const T* row = x.at(first + r);
    const Vec<double> m = fill(u[r]);
    for (int v = 0; v < NV; ++v) sum[v] += wide(row + place(v)) * m;
  }
  for (int v = 0; v < NV - 1; ++v) store(grad + place(v), load(grad + place(v)) + sum[v]);
  for (i64 i = L - fresh; i < L; ++i) grad[last + i] += sum[NV - 1][i];
}

template <class T>
class BatchOf {
 public:
  explicit BatchOf(const BatchPass& pass) : pass_(pass), x_(pass.x, pass.rows) {
    const i64 p = x_.cols;
    for (i64 i = 0; i < L; ++i) last_[i] = p < L || i < L - p % L ? 0.0 : pass.w[p - L + i];
  }

  void run() {
    for (i64 j = 0; j < x_.cols; ++j) pass_.grad[j] = 0.0;
    for (i64 i = 0; i < pass_.f.n_sums; ++i) pass_.sums[i] = 0.0;
    for (i64 first = 0; first < pass_.count; first += batch_block) {
      const i64 rows = least(batch_block, pass_.count - first);
      alignas(64) double z[batch_block];
      scores(first, rows, z - first);
      pass_.f.call(pass_.f.self, first, rows, z, batch_block, pass_.sums);
      add(first, rows, z);
    }
  }

 private:
  static constexpr i64 L = lanes<double>;

  void scores(i64 first, i64 rows, double* z) const {
    constexpr i64 group = 8;
    const i64 end = first + rows;
    i64 r = first;
    for (; x_.cols >= L && r + group <= end; r += group) {
      x_.ask(least(r + rows_ahead, pass_.count), least(r + group + rows_ahead, pass_.count));
      picked_dots<group>(x_, r, pass_.w, last_, z);
    }
    for (; r < end; ++r) {
      x_.ask(least(r + rows_ahead, pass_.count), least(r + 1 + rows_ahead, pass_.count));
      const T* row = x_.at(r);
      double sum = 0.0;
      for (i64 j = 0; j < x_.cols; ++j) sum += double(row[j]) * pass_.w[j];
      z[r] = sum;
    }
  }

  void add(i64 first, i64 rows, const double* u) const {
    constexpr i64 most_vectors = 8;
    const i64 p = x_.cols;
    if (p < L) {
      for (i64 r = 0; r < rows; ++r)
        for (i64 j = 0; j < p; ++j) pass_.grad[j] += u[r] * double(x_.at(first + r)[j]);
      return;
    }
    for (i64 j = 0; j < p; j += most_vectors * L) {
      const i64 vectors = least(most_vectors, ceil_div(p - j, L)), last = least(j + (vectors - 1) * L, p - L);
      const i64 fresh = least(p, j + vectors * L) - (j + (vectors - 1) * L);
      const auto sums = [&](auto count) { picked_sums<decltype(count)::value>(x_, first, rows, j, last, fresh, u, pass_.grad); };
      switch (vectors) {
        case 1: sums(std::integral_constant<int, 1>{}); break;
        case 2: sums(std::integral_constant<int, 2>{}); break;
        case 3: sums(std::integral_constant<int, 3>{}); break;
        case 4: sums(std::integral_constant<int, 4>{}); break;
        case 5: sums(std::integral_constant<int, 5>{}); break;
        case 6: sums(std::integral_constant<int, 6>{}); break;
        case 7: sums(std::integral_constant<int, 7>{}); break;
        default: sums(std::integral_constant<int, 8>{});
      }
    }
  }

  const BatchPass& pass_;
  PickedRows<T> x_;
  alignas(64) double last_[L];
};

inline void ask_rows(const Matrix& x, const std::uint32_t* rows, i64 count) {
  if (x.is_float32) PickedRows<float>(x, rows).ask(0, least(rows_ahead, count));
  else PickedRows<double>(x, rows).ask(0, least(rows_ahead, count));
}

inline void batch_pass(const BatchPass& pass) {
  if (pass.x.is_float32) BatchOf<float>(pass).run();
  else BatchOf<double>(pass).run();
}

}  // namespace empirisk::EMPIRISK_ISA
