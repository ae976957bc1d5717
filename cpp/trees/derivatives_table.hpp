// Derivatives of losses at given scores: what crosses from bind/ into the loops.
#pragma once
#include <cstdint>

#include "loops/row_functions.hpp"

namespace empirisk {

struct ScalarDerivatives {
  ScalarLoss loss;
  double parameter;
  const double* y;
  const double* z;
  const double* weight;  // null: ones
  const double* offset;  // null: none
  std::int64_t n;
  bool weigh_sizes;
};

struct SoftmaxDerivatives {
  const std::int64_t* y;
  const double* z;       // (k, n)
  const double* weight;  // null: ones
  std::int64_t n, k;
  bool weigh_sizes;
};

struct DerivativeSums {
  double loss, largest_g, largest_h;  // weighted sum of the losses; bounds of |g| and |h|, of w |g| and w |h| if so asked
};

struct DerivativeLoops {
  DerivativeSums (*scalar)(const ScalarDerivatives&, double* g, double* h);
  DerivativeSums (*softmax)(const SoftmaxDerivatives&, double* g, double* h);
};

}  // namespace empirisk
