// The loops of one instruction set of mixtures: expected statistics of the parts.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// One pass over rows that come from one of several Gaussians: log-densities, chances of the parts, and sums about their means.
struct GaussianPass {
  Matrix x;                        // dense
  const double* weight = nullptr;  // (rows), or null for ones
  std::int64_t parts = 0;
  std::int64_t factors = 0;          // 1 where all parts share one, else `parts`
  bool full = true;                  // whether factors are triangles, else diagonals
  const double* mean = nullptr;      // (parts, p)
  const double* inverse = nullptr;   // (factors, p, p) inverse lower factors of the covariances, or (factors, p) reciprocal deviations
  const double* log_scale = nullptr;  // (parts): logarithm of the weight of a part times its density at its mean
  const double* given = nullptr;     // (rows, parts): chances that are taken in the place of the computed ones, or null
  double* log_density = nullptr;     // (rows), or null
  double* chance = nullptr;          // (rows, parts), or null
  double* sums = nullptr;            // 1 + parts (1 + p + q) numbers, q = p p or p: sum of w log f, then of r w, r w d and r w d d'; or null
};

struct MixtureLoops {
  const char* name;
  void (*gaussian)(const GaussianPass& pass);
};

const MixtureLoops& mixture_loops();

}  // namespace empirisk
