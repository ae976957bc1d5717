// Towards the minimiser over the current support and signs by conjugate gradients on the columns in place: for supports
// whose Gram matrix is too large, and so ill-conditioned that coordinate descent takes thousands of epochs.
#pragma once
#include <cmath>
#include <cstring>

#include "loops/coordinate.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

// min over w_S of half a square plus l2 |w|^2/2 plus the linear l1 sign.w; an iteration costs about what an epoch does.
template <class Model>
class SupportKrylov {
 public:
  SupportKrylov(Model& model, const QuadraticTask& task)
      : m_(model), t_(task), members_(task.k), signs_(task.k), step_(task.k), rest_(task.k), way_(task.k), image_(task.k), before_(task.k),
        state_(model.state_size()), scratch_(model.state_size()) {
    std::memset(signs_.data(), 0, std::size_t(task.k));
  }

  // Whether the signs of w are nearly those of the last call, on a support that the rows can tell apart.
  bool settled(const double* w) {
    i64 changed = 0, held = 0;
    for (i64 j = 0; j < t_.k; ++j) {
      const signed char sign = w[j] > 0.0 ? 1 : w[j] < 0.0 ? -1 : 0;
      changed += sign != signs_[j];
      held += sign != 0;
      signs_[j] = sign;
    }
    return changed * 100 <= held && held > 0 && (t_.l2 > 0.0 || held < m_.rows());
  }

  // Iterations made; w moved where the objective fell. Coefficients that would change their sign become 0 and leave the
  // support, and the others are solved again: what remains after that alone is seldom lower than the start.
  i64 run(double* w, i64 most_iterations) {
    const double start = objective(w);
    std::memcpy(before_.data(), w, sizeof(double) * std::size_t(t_.k));
    std::memcpy(state_.data(), m_.state(), sizeof(double) * std::size_t(m_.state_size()));
    i64 done = 0;
    for (int round = 0; round < rounds && done < most_iterations; ++round) {
      collect(w);
      done += solve(w, most_iterations - done);
      const i64 left = move(w);
      if (left == 0 || left * 20 > a_) break;
    }
    if (objective(w) < start) return done;
    std::memcpy(w, before_.data(), sizeof(double) * std::size_t(t_.k));
    std::memcpy(m_.state(), state_.data(), sizeof(double) * std::size_t(m_.state_size()));
    return done;
  }

 private:
  static constexpr int rounds = 6;
  static constexpr double fall = 0.2;  // of the norm of the gradient; signs change on the way, so that more is in vain

  static constexpr i64 look = 25;      // iterations between counts of the coefficients that would change their sign

  i64 flips(const double* w) const {
    i64 count = 0;
    for (i64 i = 0; i < a_; ++i) count += (w[members_[i]] + step_[i]) * w[members_[i]] <= 0.0;
    return count;
  }

  void collect(const double* w) {
    a_ = 0;
    for (i64 j = 0; j < t_.k; ++j)
      if (w[j] != 0.0 && m_.curvature(j) > 0.0) members_[a_++] = j;
  }

  // How many coefficients left the support.
  i64 move(double* w) {
    i64 left = 0;
    for (i64 i = 0; i < a_; ++i) {
      const i64 j = members_[i];
      const double next = w[j] + step_[i], kept = next * w[j] > 0.0 ? next : 0.0;
      left += kept == 0.0;
      if (kept == w[j]) continue;
      m_.move(j, kept - w[j]);
      w[j] = kept;
    }
    return left;
  }

  // Preconditioned by the curvatures; step_ is the solution so far.
  i64 solve(const double* w, i64 most_iterations) {
    double energy = 0.0;
    for (i64 i = 0; i < a_; ++i) {
      const i64 j = members_[i];
      rest_[i] = m_.correlation(j) - t_.l2 * w[j] - (w[j] > 0.0 ? t_.l1 : -t_.l1);
      step_[i] = 0.0;
      way_[i] = rest_[i] / (m_.curvature(j) + t_.l2);
      energy += rest_[i] * way_[i];
    }
    const double enough = fall * fall * energy;
    i64 done = 0;
    while (done < most_iterations && energy > enough && energy > 0.0) {
      const double bend = apply();
      ++done;
      if (!(bend > 0.0)) break;
      const double length = energy / bend;
      double next = 0.0;
      for (i64 i = 0; i < a_; ++i) {
        step_[i] += length * way_[i];
        rest_[i] -= length * image_[i];
        next += rest_[i] * rest_[i] / (m_.curvature(members_[i]) + t_.l2);
      }
      if (done % look == 0 && flips(w) * 20 > a_) break;
      const double keep = next / energy;
      energy = next;
      for (i64 i = 0; i < a_; ++i) way_[i] = rest_[i] / (m_.curvature(members_[i]) + t_.l2) + keep * way_[i];
    }
    return done;
  }

  // image = (X_S' H X_S + l2) way; returns way . image
  double apply() {
    std::memset(scratch_.data(), 0, sizeof(double) * std::size_t(m_.state_size()));
    Model at_zero = m_.at(scratch_.data());
    for (i64 i = 0; i < a_; ++i) at_zero.move(members_[i], way_[i]);
    double bend = 0.0;
    for (i64 i = 0; i < a_; ++i) {
      image_[i] = t_.l2 * way_[i] - at_zero.correlation(members_[i]);
      bend += way_[i] * image_[i];
    }
    return bend;
  }

  double objective(const double* w) const {
    double absolute = 0.0, square = 0.0;
    for (i64 j = 0; j < t_.k; ++j) {
      absolute += std::fabs(w[j]);
      square += w[j] * w[j];
    }
    return m_.half_square(w) + t_.l1 * absolute + 0.5 * t_.l2 * square;
  }

  Model& m_;
  const QuadraticTask& t_;
  i64 a_ = 0;
  Buffer<i64> members_;
  Buffer<signed char> signs_;
  Buffer<double> step_, rest_, way_, image_, before_, state_, scratch_;
};

}  // namespace empirisk::EMPIRISK_ISA
