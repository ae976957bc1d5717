// Products with a lower triangle L, which shapes the steps of a chain.
#pragma once
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

// out = L z, from the last row up, so that out may be z. Rows go four at a time: the sums do not wait for each other.
template <int NR>
EMPIRISK_INLINE void lower_rows(const double* factor, i64 d, i64 first, const double* z, double* out) {
  constexpr i64 L = lanes<double>;
  const double* row = factor + first * d;
  Vec<double> wide[NR];
  for (int r = 0; r < NR; ++r) wide[r] = fill(0.0);
  i64 j = 0;
  for (; j + L <= first + 1; j += L) {
    const Vec<double> v = load(z + j);
    for (int r = 0; r < NR; ++r) wide[r] += load(row + r * d + j) * v;
  }
  double sum[NR];
  for (int r = 0; r < NR; ++r) {
    sum[r] = lane_sum(wide[r]);
    for (i64 i = j; i <= first + r; ++i) sum[r] += row[r * d + i] * z[i];
  }
  for (int r = 0; r < NR; ++r) out[first + r] = sum[r];
}

inline void lower_product(const double* factor, i64 d, const double* z, double* out) {
  i64 i = d;
  for (; i >= 4; i -= 4) lower_rows<4>(factor, d, i - 4, z, out);
  for (; i >= 1; --i) lower_rows<1>(factor, d, i - 1, z, out);
}

// out = L' v: rows of L are added up, four vectors of columns at a time.
inline void upper_product(const double* EMPIRISK_RESTRICT factor, i64 d, const double* EMPIRISK_RESTRICT v, double* EMPIRISK_RESTRICT out) {
  constexpr i64 L = lanes<double>;
  i64 j = 0;
  for (; j + 4 * L <= d; j += 4 * L) {
    Vec<double> sum[4] = {fill(0.0), fill(0.0), fill(0.0), fill(0.0)};
    // Above the diagonal stand zeros.
    for (i64 i = j; i < d; ++i) {
      const Vec<double> m = fill(v[i]);
      for (int k = 0; k < 4; ++k) sum[k] += load(factor + i * d + j + k * L) * m;
    }
    for (int k = 0; k < 4; ++k) store(out + j + k * L, sum[k]);
  }
  for (; j < d; ++j) {
    double sum = 0.0;
    for (i64 i = j; i < d; ++i) sum += factor[i * d + j] * v[i];
    out[j] = sum;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
