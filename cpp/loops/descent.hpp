// Cyclic coordinate descent on a weighted quadratic with an L1 and an L2 term, loss-free:
//   min_w  r(w)^2 / 2  +  l1 |w|_1  +  l2 |w|^2 / 2     (w >= 0 if positive)
// A Model knows the quadratic: correlations q_j = x_j . r with the current residual, curvatures x_j . x_j, and how r moves.
// Every 5 epochs the point that anderson.hpp offers is tried, and kept when it lowers the objective.
#pragma once
#include <cmath>

#include "loops/anderson.hpp"
#include "loops/coordinate.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Model>
class Descent {
 public:
  Descent(Model& model, double* w, const QuadraticTask& task)
      : m_(model), w_(w), t_(task), k_(task.k), q_(task.k), past_(task.k, model.state_size()) {}

  QuadraticResult run() {
    QuadraticResult out{0, HUGE_VAL, HUGE_VAL, 0.0};
    past_.restart(w_, m_.state());
    while (out.epochs < t_.max_epochs) {
      out.move = epoch();
      ++out.epochs;
      const bool still = out.move <= t_.tol_move;
      if (still || out.epochs % 10 == 0 || out.epochs == t_.max_epochs) {
        out.gap = gap();
        if (out.gap <= t_.tol_gap || still) break;
      }
      past_.keep(w_, m_.state());
      if (past_.full()) {
        extrapolate();
        past_.restart(w_, m_.state());
      }
    }
    out.r_square = most(2.0 * m_.half_square(w_) + m_.constant(), 0.0);
    return out;
  }

 private:
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

  // The last iterate stays when the extrapolated point is no better.
  void extrapolate() {
    const double before = objective();
    if (!past_.extrapolate(w_, m_.state())) return;
    bool feasible = true;
    for (i64 j = 0; t_.positive && j < k_; ++j) feasible = feasible && w_[j] >= 0.0;
    if (!feasible || !(objective() < before)) past_.last(w_, m_.state());
  }

  Model& m_;
  double* w_;
  const QuadraticTask& t_;
  i64 k_;
  Buffer<double> q_;
  Anderson past_;
};

}  // namespace empirisk::EMPIRISK_ISA
