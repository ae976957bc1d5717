// The scalar losses that the passes know: value, first and second derivative in the score of each row of a block. Every loop is
// branch-free, so that it becomes vector code; each is tested equal to its Python class. One row of `loss_rows` each.
#pragma once
#include <cmath>

#include "loops/row_functions.hpp"
#include "support/simd.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Rows {
  i64 n;
  const double* EMPIRISK_RESTRICT y;
  const double* EMPIRISK_RESTRICT z;
  double* EMPIRISK_RESTRICT value;
  double* EMPIRISK_RESTRICT first;
  double* EMPIRISK_RESTRICT second;
  double parameter;
};

inline void half_squared_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double miss = r.z[i] - r.y[i];
    r.value[i] = 0.5 * miss * miss;
    r.first[i] = miss;
    r.second[i] = 1.0;
  }
}

inline void huber_rows(const Rows& r) {
  const double d = r.parameter;
  for (i64 i = 0; i < r.n; ++i) {
    const double miss = r.z[i] - r.y[i], low = miss < -d ? -d : miss, kept = low > d ? d : low;
    r.value[i] = kept * (miss - 0.5 * kept);
    r.first[i] = kept;
    r.second[i] = miss < -d || miss > d ? 0.0 : 1.0;
  }
}

inline void squared_hinge_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double room = 1.0 - r.y[i] * r.z[i], short_of = room < 0.0 ? 0.0 : room;
    r.value[i] = 0.5 * short_of * short_of;
    r.first[i] = -r.y[i] * short_of;
    r.second[i] = room > 0.0 ? 1.0 : 0.0;
  }
}

inline void modified_huber_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double room = 1.0 - r.y[i] * r.z[i], short_of = room < 0.0 ? 0.0 : room, pull = short_of > 2.0 ? 2.0 : short_of;
    r.value[i] = pull * (short_of - 0.5 * pull);
    r.first[i] = -r.y[i] * pull;
    r.second[i] = room > 0.0 && room <= 2.0 ? 1.0 : 0.0;
  }
}

inline void exponential_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double e = exp_fast(-r.y[i] * r.z[i]);
    r.value[i] = e;
    r.first[i] = -r.y[i] * e;
    r.second[i] = e;
  }
}

inline void logistic_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double m = r.y[i] * r.z[i], a = m < 0.0 ? -m : m;
    const double e = exp_fast(-a), q = 1.0 / (1.0 + e);
    r.value[i] = log1p_fast(e) + (m < 0.0 ? a : 0.0);
    r.first[i] = -r.y[i] * (m < 0.0 ? q : e * q);
    r.second[i] = e * q * q;
  }
}

// y is a share of [0, 1]; the tail that is small is formed by itself, and 1 - y where it meets the large one.
inline void bernoulli_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double z = r.z[i], y = r.y[i], a = z < 0.0 ? -z : z;
    const double e = exp_fast(-a), q = 1.0 / (1.0 + e), tail = e * q;
    r.value[i] = log1p_fast(e) + (z > 0.0 ? (1.0 - y) * z : -y * z);
    r.first[i] = z > 0.0 ? (1.0 - y) - tail : tail - y;
    r.second[i] = tail * q;
  }
}

inline void poisson_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double e = exp_fast(r.z[i]);
    r.value[i] = e - r.y[i] * r.z[i];
    r.first[i] = e - r.y[i];
    r.second[i] = e;
  }
}

inline void gamma_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double ratio = r.y[i] * exp_fast(-r.z[i]);
    r.value[i] = ratio + r.z[i];
    r.first[i] = 1.0 - ratio;
    r.second[i] = ratio;
  }
}

inline void inverse_gaussian_rows(const Rows& r) {
  for (i64 i = 0; i < r.n; ++i) {
    const double e = exp_fast(-r.z[i]), ratio = r.y[i] * e;
    r.value[i] = e * (0.5 * ratio - 1.0);
    r.first[i] = e * (1.0 - ratio);
    r.second[i] = e * (2.0 * ratio - 1.0);
  }
}

inline void tweedie_rows(const Rows& r) {
  const double a = 2.0 - r.parameter, b = r.parameter - 1.0;
  for (i64 i = 0; i < r.n; ++i) {
    const double up = exp_fast(a * r.z[i]), down = r.y[i] > 0.0 ? r.y[i] * exp_fast(-b * r.z[i]) : 0.0;
    r.value[i] = up / a + down / b;
    r.first[i] = up - down;
    r.second[i] = a * up + b * down;
  }
}

// With t = z + log a: the parts y t and y z of log(1 + e^t) and of y z cancel beforehand.
inline void negative_binomial_rows(const Rows& r) {
  const double a = r.parameter, log_a = std::log(a), size = 1.0 / a;
  for (i64 i = 0; i < r.n; ++i) {
    const double z = r.z[i], y = r.y[i], t = z + log_a, far = t < 0.0 ? -t : t;
    const double e = exp_fast(-far), q = 1.0 / (1.0 + e), tail = e * q;
    r.value[i] = (y + size) * log1p_fast(e) + (t > 0.0 ? t * size + y * log_a : -y * z);
    r.first[i] = t > 0.0 ? q * size - y * tail : tail * size - y * q;
    r.second[i] = (y + size) * (tail * q);
  }
}

// In the order of ScalarLoss.
constexpr void (*loss_rows[])(const Rows&) = {
    half_squared_rows, logistic_rows, bernoulli_rows,        huber_rows,   squared_hinge_rows,    exponential_rows,
    poisson_rows,      gamma_rows,    inverse_gaussian_rows, tweedie_rows, negative_binomial_rows, modified_huber_rows};

}  // namespace empirisk::EMPIRISK_ISA
