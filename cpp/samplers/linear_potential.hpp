// The potential of a linear problem with a compiled loss and an elastic net: one fused read of the rows.
#pragma once
#include <cmath>

#include "loops/row_functions.hpp"
#include "loops/table.hpp"
#include "samplers/potential.hpp"

namespace empirisk {

struct LinearTarget {
  Matrix x;
  ScalarLoss loss = ScalarLoss::half_squared;
  double parameter = 0.0;       // of the loss
  const double* y = nullptr;    // (rows)
  const double* s = nullptr;    // (rows), or null for ones
  const double* offset = nullptr;
  bool intercept = true;        // the last parameter, which has no penalty
  double loss_scale = 1.0;      // U = loss_scale sum_i s_i l(y_i, z_i) + l2 / 2 |coef|^2 + l1 |coef|_1
  double l2 = 0.0, l1 = 0.0;
  double smoothing = 0.0;       // t of (w - prox_t(w)) / t, which stands for the gradient of l1 |w|
};

// (w - prox(w)) / t for the prox of t l1 |.|: the slope of l1 |w| outside of [-t l1, t l1], and linear between.
inline double proximal_slope(double w, double l1, double t) { return w > t * l1 ? l1 : w < -t * l1 ? -l1 : l1 > 0.0 ? w / t : 0.0; }

// Adds the elastic net of `count` coefficients to the gradient of the mean loss, scaled, and returns its value.
struct Net {
  double l2 = 0.0, l1 = 0.0, smoothing = 1.0;

  double add(const double* w, double* grad, std::int64_t count, double loss_scale) const {
    double square = 0.0, absolute = 0.0;
    for (std::int64_t j = 0; j < count; ++j) {
      square += w[j] * w[j];
      absolute += std::abs(w[j]);
      grad[j] = loss_scale * grad[j] + l2 * w[j] + proximal_slope(w[j], l1, smoothing);
    }
    return 0.5 * l2 * square + l1 * absolute;
  }
};

class LinearPotential final : public Potential {
 public:
  explicit LinearPotential(const LinearTarget& t) : Potential(t.x.cols + (t.intercept ? 1 : 0)), t_(t) {}

  double value_grad(const double* w, double* grad) override {
    const std::int64_t p = t_.x.cols;
    const double b = t_.intercept ? w[p] : 0.0;
    const LinearLoss f{t_.loss, t_.parameter, t_.y, t_.s, t_.offset, b, nullptr, nullptr, nullptr};
    double sums[2] = {};
    loops().row_pass(t_.x, RowPass{1, w, grad, sums, {loops().linear_loss, &f, 2}});
    const double penalty = Net{t_.l2, t_.l1, t_.smoothing}.add(w, grad, p, t_.loss_scale);
    if (t_.intercept) grad[p] = t_.loss_scale * sums[1];
    return t_.loss_scale * sums[0] + penalty;
  }

 private:
  LinearTarget t_;
};

}  // namespace empirisk
