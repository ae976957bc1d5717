// The potential of a multinomial logistic model with an elastic net: one fused read of the rows.
#pragma once
#include <vector>

#include "samplers/linear_potential.hpp"

namespace empirisk {

struct SoftmaxTarget {
  Matrix x;
  const std::int64_t* y = nullptr;  // (rows) class codes
  const double* s = nullptr;        // (rows), or null for ones
  std::int64_t k = 0;               // classes
  const double* basis = nullptr;    // (k, k - 1): intercepts are b = basis v, whose sum is 0; null: there are none
  double loss_scale = 1.0;          // U = loss_scale sum_i s_i l(y_i, z_i) + l2 / 2 |W|^2 + l1 |W|_1
  Net net;
};

// The parameters are W (cols, k) in C order, and v: the likelihood cannot see a number that is added to all intercepts, whose
// prior is flat, so that such moves are left out.
class SoftmaxPotential final : public Potential {
 public:
  explicit SoftmaxPotential(const SoftmaxTarget& t)
      : Potential(t.x.cols * t.k + (t.basis ? t.k - 1 : 0)), t_(t), b_(std::size_t(t.k)), sums_(std::size_t(t.k + 1)) {}

  double value_grad(const double* w, double* grad) override {
    const std::int64_t k = t_.k, coefficients = t_.x.cols * k;
    const double* v = w + coefficients;
    for (std::int64_t c = 0; t_.basis && c < k; ++c) {
      b_[std::size_t(c)] = 0.0;
      for (std::int64_t j = 0; j < k - 1; ++j) b_[std::size_t(c)] += t_.basis[c * (k - 1) + j] * v[j];
    }
    sums_.assign(sums_.size(), 0.0);
    const SoftmaxLoss f{t_.y, t_.s, t_.basis ? b_.data() : nullptr, k, nullptr, nullptr};
    loops().row_pass(t_.x, RowPass{k, w, grad, sums_.data(), {loops().softmax_loss, &f, k + 1}});
    const double penalty = t_.net.add(w, grad, coefficients, t_.loss_scale);
    for (std::int64_t j = 0; t_.basis && j < k - 1; ++j) {
      double sum = 0.0;
      for (std::int64_t c = 0; c < k; ++c) sum += t_.basis[c * (k - 1) + j] * sums_[std::size_t(1 + c)];
      grad[coefficients + j] = t_.loss_scale * sum;
    }
    return t_.loss_scale * sums_[0] + penalty;
  }

 private:
  SoftmaxTarget t_;
  std::vector<double> b_, sums_;
};

}  // namespace empirisk
