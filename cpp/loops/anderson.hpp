// Anderson acceleration of a fixed-point iteration whose state is affine in w (Bertrand and Massias, 2021): the last
// iterates are kept, and the affine combination of them whose difference is smallest is offered.
#pragma once
#include <cmath>
#include <cstring>

#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

class Anderson {
 public:
  static constexpr int depth = 5;

  Anderson(i64 k, i64 state_size) : k_(k), size_(state_size), w_((depth + 1) * k), state_((depth + 1) * state_size) {}

  void restart(const double* w, const double* state) {
    stored_ = 0;
    keep(w, state);
  }
  void keep(const double* w, const double* state) {
    std::memcpy(w_.data() + stored_ * k_, w, sizeof(double) * std::size_t(k_));
    std::memcpy(state_.data() + stored_ * size_, state, sizeof(double) * std::size_t(size_));
    ++stored_;
  }
  bool full() const { return stored_ == depth + 1; }

  // The combination of the iterates; false when their differences are degenerate.
  bool extrapolate(double* w, double* state) const {
    double c[depth];
    if (!mixing(c)) return false;
    combine(c, w_.data(), k_, w);
    combine(c, state_.data(), size_, state);
    return true;
  }
  // Back to the last iterate.
  void last(double* w, double* state) const {
    std::memcpy(w, w_.data() + depth * k_, sizeof(double) * std::size_t(k_));
    std::memcpy(state, state_.data() + depth * size_, sizeof(double) * std::size_t(size_));
  }

 private:
  // Coefficients c (sum 1) that minimise |sum_i c_i (w_{i+1} - w_i)|.
  bool mixing(double* c) const {
    double a[depth][depth + 1], trace = 0.0;
    for (int i = 0; i < depth; ++i)
      for (int j = 0; j <= i; ++j) {
        const double *p = w_.data() + i * k_, *q = w_.data() + j * k_;
        double sum = 0.0;
        for (i64 f = 0; f < k_; ++f) sum += (p[k_ + f] - p[f]) * (q[k_ + f] - q[f]);
        a[i][j] = a[j][i] = sum;
        if (i == j) trace += sum;
      }
    if (!(trace > 0.0)) return false;
    for (int i = 0; i < depth; ++i) a[i][i] += 1e-12 * trace, a[i][depth] = 1.0;
    for (int p = 0; p < depth; ++p) {  // symmetric positive definite: no pivoting
      if (!(a[p][p] > 0.0)) return false;
      for (int i = p + 1; i < depth; ++i) {
        const double f = a[i][p] / a[p][p];
        for (int j = p; j <= depth; ++j) a[i][j] -= f * a[p][j];
      }
    }
    double total = 0.0;
    for (int i = depth - 1; i >= 0; --i) {
      double sum = a[i][depth];
      for (int j = i + 1; j < depth; ++j) sum -= a[i][j] * c[j];
      total += c[i] = sum / a[i][i];
    }
    for (int i = 0; i < depth; ++i) c[i] /= total;
    return std::isfinite(total) && total != 0.0;
  }

  static void combine(const double* c, const double* from, i64 size, double* to) {
    for (i64 f = 0; f < size; ++f) {
      double sum = 0.0;
      for (int i = 0; i < depth; ++i) sum += c[i] * from[(i + 1) * size + f];
      to[f] = sum;
    }
  }

  i64 k_, size_, stored_ = 0;
  Buffer<double> w_, state_;
};

}  // namespace empirisk::EMPIRISK_ISA
