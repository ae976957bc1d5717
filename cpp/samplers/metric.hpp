// The shape of a proposal: independent scales of the parameters, or the lower factor L of a covariance  C = L L'.
// Momenta have the covariance C^-1, so that velocities C p have the covariance C of the target where C is estimated well.
#pragma once
#include <cstdint>

#include "samplers/philox.hpp"
#include "samplers/sampler_table.hpp"

namespace empirisk {

struct Metric {
  std::int64_t d = 0;
  const double* scale = nullptr;   // (d) standard deviations; used where there is no factor
  const double* factor = nullptr;  // (d, d) lower triangle in C order, or null

  // out = L z, noise of covariance C. `out` may be z.
  void shape(const double* z, double* out) const {
    if (factor) return sampler_loops().lower_product(factor, d, z, out);
    for (std::int64_t i = 0; i < d; ++i) out[i] = scale[i] * z[i];
  }

  // out = L' v, another array than v.
  void turn(const double* v, double* out) const {
    if (factor) return sampler_loops().upper_product(factor, d, v, out);
    for (std::int64_t j = 0; j < d; ++j) out[j] = scale[j] * v[j];
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
};

}  // namespace empirisk
