// Cyclic coordinate descent on a weighted quadratic with an L1 and an L2 term, loss-free:
//   min_w  r(w)^2 / 2  +  l1 |w|_1  +  l2 |w|^2 / 2     (w >= 0 if positive)
// A Model knows the quadratic: correlations q_j = x_j . r with the current residual, curvatures x_j . x_j, and how r moves.
// Anderson acceleration (Bertrand and Massias, 2021): every 5 epochs the affine combination of the last iterates whose
// difference is smallest is tried, and kept when it lowers the objective.
#pragma once
#include <cmath>

#include "loops/coordinate.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Model>
class Descent {
 public:
  Descent(Model& model, double* w, const QuadraticTask& task)
      : m_(model), w_(w), t_(task), k_(task.k), q_(task.k), snap_w_((depth + 1) * task.k),
        snap_state_((depth + 1) * model.state_size()) {}

  QuadraticResult run() {
    QuadraticResult out{0, HUGE_VAL, HUGE_VAL, 0.0};
    i64 stored = 0;
    keep(stored++);
    while (out.epochs < t_.max_epochs) {
      out.move = epoch();
      ++out.epochs;
      const bool still = out.move <= t_.tol_move;
      if (still || out.epochs % 10 == 0 || out.epochs == t_.max_epochs) {
        out.gap = gap();
        if (out.gap <= t_.tol_gap || still) break;
      }
      keep(stored++);
      if (stored == depth + 1) {
        extrapolate();
        stored = 0;
        keep(stored++);
      }
    }
    out.r_square = most(2.0 * m_.half_square(w_) + m_.constant(), 0.0);
    return out;
  }

 private:
  static constexpr int depth = 5;

  // One cycle; the largest move |delta_j| |x_j|.
  double epoch() {
    double largest = 0.0;
    for (i64 j = 0; j < k_; ++j) {
      const double curvature = m_.curvature(j), denominator = curvature + t_.l2;
      if (!(curvature > 0.0)) {  // a column without information: its coefficient only costs
        if (w_[j] != 0.0 && t_.l1 + t_.l2 > 0.0) w_[j] = 0.0;
        continue;
      }
      const double next = threshold(m_.correlation(j) + curvature * w_[j]) / denominator;
      const double delta = next - w_[j];
      if (delta == 0.0) continue;
      w_[j] = next;
      m_.move(j, delta);
      const double size = std::fabs(delta) * std::sqrt(curvature);
      if (size > largest) largest = size;
    }
    return largest;
  }

  double threshold(double v) const {
    if (v > t_.l1) return v - t_.l1;
    if (v < -t_.l1 && !t_.positive) return v + t_.l1;
    return 0.0;
  }

  double objective() const {
    double absolute = 0.0, square = 0.0;
    for (i64 j = 0; j < k_; ++j) {
      absolute += std::fabs(w_[j]);
      square += w_[j] * w_[j];
    }
    return m_.half_square(w_) + t_.l1 * absolute + 0.5 * t_.l2 * square;
  }

  // Duality gap of the sub-problem, the L2 term read as extra rows of the design. Written without the difference of two
  // large objectives: (1-t)^2 (r^2 + l2 w^2)/2 + l1 |w| - t w.(q - l2 w), t the scale that makes t r dual feasible.
  double gap() {
    if (!(t_.l1 > 0.0)) return HUGE_VAL;
    m_.correlations(q_.data());
    double largest = 0.0, absolute = 0.0, square = 0.0, inner = 0.0;
    for (i64 j = 0; j < k_; ++j) {
      if (!(m_.curvature(j) > 0.0)) continue;
      const double v = q_[j] - t_.l2 * w_[j], size = t_.positive ? v : std::fabs(v);
      if (size > largest) largest = size;
      absolute += std::fabs(w_[j]);
      square += w_[j] * w_[j];
      inner += w_[j] * v;
    }
    const double t = largest > t_.l1 ? t_.l1 / largest : 1.0;
    const double rest = 2.0 * m_.half_square(w_) + m_.constant() + t_.l2 * square;
    const double gap = 0.5 * (1.0 - t) * (1.0 - t) * most(rest, 0.0) + t_.l1 * absolute - t * inner;
    return gap > 0.0 ? gap : 0.0;
  }

  void keep(i64 slot) {
    std::memcpy(snap_w_.data() + slot * k_, w_, sizeof(double) * std::size_t(k_));
    const i64 size = m_.state_size();
    std::memcpy(snap_state_.data() + slot * size, m_.state(), sizeof(double) * std::size_t(size));
  }

  // Coefficients c (sum 1) that minimise |sum_i c_i (w_{i+1} - w_i)|; false when the differences are degenerate.
  bool mixing(double* c) const {
    double a[depth][depth + 1], trace = 0.0;
    for (int i = 0; i < depth; ++i)
      for (int j = 0; j <= i; ++j) {
        const double *p = snap_w_.data() + i * k_, *q = snap_w_.data() + j * k_;
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

  // The last iterate is in slot `depth`, and stays when the extrapolated point is no better.
  void extrapolate() {
    double c[depth];
    if (!mixing(c)) return;
    const double before = objective();
    combine(c, snap_w_.data(), k_, w_);
    combine(c, snap_state_.data(), m_.state_size(), m_.state());
    bool feasible = true;
    for (i64 j = 0; t_.positive && j < k_; ++j) feasible = feasible && w_[j] >= 0.0;
    if (feasible && objective() < before) return;
    std::memcpy(w_, snap_w_.data() + depth * k_, sizeof(double) * std::size_t(k_));
    std::memcpy(m_.state(), snap_state_.data() + depth * m_.state_size(), sizeof(double) * std::size_t(m_.state_size()));
  }

  static void combine(const double* c, const double* from, i64 size, double* to) {
    for (i64 f = 0; f < size; ++f) {
      double sum = 0.0;
      for (int i = 0; i < depth; ++i) sum += c[i] * from[(i + 1) * size + f];
      to[f] = sum;
    }
  }

  Model& m_;
  double* w_;
  const QuadraticTask& t_;
  i64 k_;
  Buffer<double> q_, snap_w_, snap_state_;
};

}  // namespace empirisk::EMPIRISK_ISA
