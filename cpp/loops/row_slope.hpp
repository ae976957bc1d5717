// Derivatives of the losses in the score, for one row: the closed list of the stochastic steps.
#pragma once
#include "loops/stochastic.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

// A hint that memory will be read soon.
EMPIRISK_INLINE void fetch([[maybe_unused]] const void* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#endif
}

EMPIRISK_INLINE double sign_of(double r) { return double(r > 0.0) - double(r < 0.0); }

EMPIRISK_INLINE double row_slope(RowLoss loss, double parameter, double y, double z) {
  switch (loss) {
    case RowLoss::absolute: return sign_of(z - y);
    case RowLoss::epsilon_insensitive: {
      const double r = z - y;
      return r > parameter ? 1.0 : r < -parameter ? -1.0 : 0.0;
    }
    case RowLoss::exponential: return -y * exp_fast(-y * z);
    case RowLoss::gamma: return 1.0 - y * exp_fast(-z);
    case RowLoss::half_squared: return z - y;
    case RowLoss::hinge: return y * z < 1.0 ? -y : 0.0;
    case RowLoss::huber: return least(most(z - y, -parameter), parameter);
    case RowLoss::logistic: return -y / (1.0 + exp_fast(y * z));
    case RowLoss::modified_huber: return -y * least(most(1.0 - y * z, 0.0), 2.0);
    case RowLoss::perceptron: return y * z <= 0.0 ? -y : 0.0;
    case RowLoss::poisson: return exp_fast(z) - y;
    case RowLoss::quantile: return z > y ? 1.0 - parameter : z < y ? -parameter : 0.0;
    case RowLoss::squared_hinge: return y * least(y * z - 1.0, 0.0);
  }
  return 0.0;
}

}  // namespace empirisk::EMPIRISK_ISA
