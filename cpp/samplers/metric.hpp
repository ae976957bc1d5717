// The shape of a proposal: independent scales of the parameters, or the lower factor L of a covariance  C = L L'.
// Momenta have the covariance C^-1, so that velocities C p have the covariance C of the target where C is estimated well.
#pragma once
#include <cstdint>

#include "samplers/philox.hpp"

namespace empirisk {

struct Metric {
  std::int64_t d = 0;
  const double* scale = nullptr;   // (d) standard deviations; used where there is no factor
  const double* factor = nullptr;  // (d, d) lower triangle in C order, or null

  // out = L z, noise of covariance C.
  // Four sums run side by side, each in its own order: one alone would wait for every addition. `out` may be z.
  void shape(const double* z, double* out) const {
    std::int64_t i = d - 1;
    if (factor)
      for (; i >= 3; i -= 4) shape_rows<4>(i - 3, z, out);
    for (; i >= 0; --i) {
      if (factor)
        shape_rows<1>(i, z, out);
      else
        out[i] = scale[i] * z[i];
    }
  }

  // out = L' v, another array than v.
  void turn(const double* v, double* out) const {
    for (std::int64_t j = 0; j < d; ++j) out[j] = factor ? 0.0 : scale[j] * v[j];
    for (std::int64_t i = 0; factor && i < d; ++i)
      for (std::int64_t j = 0; j <= i; ++j) out[j] += factor[i * d + j] * v[i];
  }

  // out = C p; `room` holds d numbers.
  void velocity(const double* p, double* out, double* room) const {
    turn(p, room);
    shape(room, out);
  }

  // A momentum p = L'^-1 z of covariance C^-1.
  void momentum(Philox& rng, double* p) const {
    for (std::int64_t i = 0; i < d; ++i) p[i] = rng.normal();
    if (!factor) {
      for (std::int64_t i = 0; i < d; ++i) p[i] /= scale[i];
      return;
    }
    for (std::int64_t j = d - 1; j >= 0; --j) {
      double sum = p[j];
      for (std::int64_t i = j + 1; i < d; ++i) sum -= factor[i * d + j] * p[i];
      p[j] = sum / factor[j * d + j];
    }
  }

 private:
  template <int R>
  void shape_rows(std::int64_t first, const double* z, double* out) const {
    const double* row = factor + first * d;
    double sum[R] = {};
    for (std::int64_t j = 0; j <= first; ++j)
      for (int r = 0; r < R; ++r) sum[r] += row[r * d + j] * z[j];
    for (int r = 1; r < R; ++r)
      for (std::int64_t j = first + 1; j <= first + r; ++j) sum[r] += row[r * d + j] * z[j];
    for (int r = 0; r < R; ++r) out[first + r] = sum[r];
  }
};

}  // namespace empirisk
