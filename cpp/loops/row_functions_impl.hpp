// The row functions themselves, compiled once per instruction set. Every loop is branch-free over the rows of a block.
#pragma once
#include "loops/loss_rows.hpp"
#include "loops/row_functions.hpp"
#include "support/simd.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 most_rows = 1024;  // of a block

inline void copy(double* EMPIRISK_RESTRICT to, const double* EMPIRISK_RESTRICT from, i64 n) {
  if (to) std::memcpy(to, from, sizeof(double) * std::size_t(n));
}

inline void linear_loss(const void* self, i64 start, i64 n, double* z, i64, double* sums) {
  const LinearLoss& f = *static_cast<const LinearLoss*>(self);
  alignas(64) double value[most_rows], first[most_rows], second[most_rows];
  for (i64 i = 0; i < n; ++i) z[i] += f.b;
  // A row of weight 0 is absent: its score may be anything, also one whose loss overflows.
  for (i64 i = 0; f.s && i < n; ++i) z[i] = f.s[start + i] == 0.0 ? 0.0 : z[i];
  if (f.z_out) copy(f.z_out + start, z, n);
  for (i64 i = 0; f.offset && i < n; ++i) z[i] += f.offset[start + i];
  loss_rows[int(f.loss)](Rows{n, f.y + start, z, value, first, second, f.parameter});
  if (f.first_out) copy(f.first_out + start, first, n);
  if (f.second_out) copy(f.second_out + start, second, n);
  for (i64 i = 0; i < n; ++i) {
    const double s = f.s ? f.s[start + i] : 1.0;
    value[i] *= s;
    z[i] = s * first[i];
  }
  sums[0] += fixed_sum(value, n);
  sums[1] += fixed_sum(z, n);
}

// loss = log(1 + sum of exp(z_c - max) over all but one largest class) + (max - z_y): exact when one class is almost certain.
inline void softmax_loss(const void* self, i64 start, i64 n, double* z, i64 ld, double* sums) {
  const SoftmaxLoss& f = *static_cast<const SoftmaxLoss*>(self);
  alignas(64) double top[most_rows], rest[most_rows], value[most_rows], open[most_rows];
  const i64* y = f.y + start;
  for (i64 c = 0; c < f.k; ++c) {
    double* zc = z + c * ld;
    const double b = f.b ? f.b[c] : 0.0;
    for (i64 i = 0; i < n; ++i) {
      zc[i] += b;
      top[i] = c == 0 || !(zc[i] <= top[i]) ? zc[i] : top[i];
    }
  }
  for (i64 i = 0; i < n; ++i) {
    value[i] = top[i] - z[y[i] * ld + i];
    rest[i] = 0.0;
    open[i] = 1.0;
  }
  for (i64 i = 0; f.z_out && i < n; ++i)
    for (i64 c = 0; c < f.k; ++c) f.z_out[(start + i) * f.k + c] = z[c * ld + i];
  for (i64 c = 0; c < f.k; ++c) {
    double* zc = z + c * ld;
    for (i64 i = 0; i < n; ++i) {
      const double e = exp_fast(zc[i] - top[i]), skip = zc[i] == top[i] ? open[i] : 0.0;
      rest[i] += e - skip;  // e is exactly one where skip is
      open[i] -= skip;
      zc[i] = e;
    }
  }
  for (i64 i = 0; i < n; ++i) {
    const double s = f.s ? f.s[start + i] : 1.0;
    value[i] = s * (value[i] + log1p_fast(rest[i]));
    top[i] = 1.0 / (1.0 + rest[i]);
    open[i] = s;
  }
  sums[0] += fixed_sum(value, n);
  for (i64 i = 0; f.p_out && i < n; ++i)
    for (i64 c = 0; c < f.k; ++c) f.p_out[(start + i) * f.k + c] = z[c * ld + i] * top[i];
  for (i64 c = 0; c < f.k; ++c) {
    double* zc = z + c * ld;
    for (i64 i = 0; i < n; ++i) zc[i] = open[i] * (zc[i] * top[i] - (y[i] == c ? 1.0 : 0.0));
    sums[1 + c] += fixed_sum(zc, n);
  }
}

inline void weighted(const void* self, i64 start, i64 n, double* z, i64, double* sums) {
  const Weighted& f = *static_cast<const Weighted*>(self);
  for (i64 i = 0; i < n; ++i) z[i] = f.d[start + i] * (z[i] + f.v_b);
  sums[0] += fixed_sum(z, n);
}

inline void softmax_curvature(const void* self, i64 start, i64 n, double* z, i64 ld, double* sums) {
  const SoftmaxCurvature& f = *static_cast<const SoftmaxCurvature*>(self);
  for (i64 i = 0; i < n; ++i) {
    const double* p = f.p + (start + i) * f.k;
    const double s = f.s ? f.s[start + i] : 1.0;
    double mean = 0.0;
    for (i64 c = 0; c < f.k; ++c) {
      z[c * ld + i] += f.v_b ? f.v_b[c] : 0.0;
      mean += p[c] * z[c * ld + i];
    }
    for (i64 c = 0; c < f.k; ++c) z[c * ld + i] = s * p[c] * (z[c * ld + i] - mean);
  }
  for (i64 c = 0; c < f.k; ++c) sums[c] += fixed_sum(z + c * ld, n);
}

inline void write_scores(const void* self, i64 start, i64 n, double* z, i64 ld, double*) {
  const Scores& f = *static_cast<const Scores*>(self);
  for (i64 c = 0; c < f.k; ++c) {
    const double b = f.b ? f.b[c] : 0.0;
    for (i64 i = 0; i < n; ++i) f.out[(start + i) * f.k + c] = z[c * ld + i] + b;
  }
}

inline void read_residuals(const void* self, i64 start, i64 n, double* z, i64 ld, double*) {
  const Residuals& f = *static_cast<const Residuals*>(self);
  for (i64 c = 0; c < f.k; ++c)
    for (i64 i = 0; i < n; ++i) z[c * ld + i] = f.u[(start + i) * f.k + c];
}

}  // namespace empirisk::EMPIRISK_ISA
