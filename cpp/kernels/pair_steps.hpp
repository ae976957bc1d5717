// Sequential minimal optimisation of few variables: the steepest variable that may rise, and the partner that promises the largest
// decrease (second-order selection of Fan, Chen and Lin, JMLR 6, 2005). Ties go to the smaller number.
#pragma once
#include <limits>

#include "kernels/kernel_table.hpp"
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr double infinite = std::numeric_limits<double>::infinity();

// The smallest of many keys and its place, lane by lane; of equal keys the first.
struct LeastOf {
  static constexpr i64 L = 8;
  alignas(64) double key[L], place[L];
  LeastOf() {
    for (i64 l = 0; l < L; ++l) key[l] = infinite, place[l] = 0.0;
  }
  EMPIRISK_INLINE void see(const double* keys, double first) {
    for (i64 l = 0; l < L; ++l) {
      const bool less = keys[l] < key[l];
      key[l] = less ? keys[l] : key[l];
      place[l] = less ? first + double(l) : place[l];
    }
  }
  // Returns the place, and the key through `out`.
  i64 result(double& out) const {
    i64 best = 0;
    for (i64 l = 1; l < L; ++l)
      if (key[l] < key[best] || (key[l] == key[best] && place[l] < place[best])) best = l;
    out = key[best];
    return i64(place[best]);
  }
};

class PairWalk {
 public:
  explicit PairWalk(const PairProblem& p) : p_(p), rise_(p.stride), fall_(p.stride) {
    for (i64 k = 0; k < p_.stride; ++k) {
      rise_[k] = infinite;  // beyond the variables nothing moves
      fall_[k] = -infinite;
    }
    for (i64 k = 0; k < p_.n; ++k) bar(k);
  }

  PairSteps run() {
    PairSteps out;
    i64 up = steepest();
    for (;;) {
      if (!(top_ < infinite)) {
        out.violation = 0.0;
        break;
      }
      const i64 down = partner(up);
      out.violation = most(0.0, bottom_ - top_);
      if (!(out.violation > p_.tolerance) || out.steps >= p_.most_steps) break;
      const double step = length(up, down, out);
      up = move(up, down, step);
      ++out.steps;
    }
    return out;
  }

 private:
  void bar(i64 k) {
    rise_[k] = p_.value[k] < p_.high[k] ? 0.0 : infinite;
    fall_[k] = p_.value[k] > p_.low[k] ? 0.0 : -infinite;
  }

  // The variable of the smallest slope among those that may rise.
  i64 steepest() {
    LeastOf found;
    for (i64 k = 0; k < p_.stride; k += LeastOf::L) {
      alignas(64) double keys[LeastOf::L];
      for (i64 l = 0; l < LeastOf::L; ++l) keys[l] = p_.slope[k + l] + rise_[k + l];
      found.see(keys, double(k));
    }
    return found.result(top_);
  }

  // Among those that may fall, the one of the largest (slope difference)^2 / curvature; notes the largest slope of all.
  i64 partner(i64 up) {
    const float* row = p_.matrix + up * p_.stride;
    const double own = p_.diagonal[up], top = top_;
    LeastOf found, steep;
    for (i64 k = 0; k < p_.stride; k += LeastOf::L) {
      alignas(64) double keys[LeastOf::L], slopes[LeastOf::L];
      for (i64 l = 0; l < LeastOf::L; ++l) {
        const double slope = p_.slope[k + l] + fall_[k + l], rise = slope - top;
        double curved = own + p_.diagonal[k + l] - 2.0 * double(row[k + l]);
        curved = curved > flat ? curved : flat;
        keys[l] = rise > 0.0 ? -(rise * rise) / curved : infinite;
        slopes[l] = -slope;
      }
      found.see(keys, double(k));
      steep.see(slopes, double(k));
    }
    double key;
    steep.result(key);
    bottom_ = -key;
    return found.result(key);
  }

  double length(i64 up, i64 down, PairSteps& out) const {
    const double sum = p_.diagonal[up] + p_.diagonal[down];
    const double curved = sum - 2.0 * double(p_.matrix[up * p_.stride + down]);
    // Entries are rounded to float32: a curvature that is negative beyond that is no rounding.
    if (curved < out.curvature && curved < -1e-6 * (sum > 0.0 ? sum : 1.0)) {
      out.curvature = curved;
      out.witness[0] = up;
      out.witness[1] = down;
    }
    return (p_.slope[down] - p_.slope[up]) / (curved > flat ? curved : flat);
  }

  // Moves the pair as far as the box allows, and returns the next variable that is to rise.
  i64 move(i64 up, i64 down, double step) {
    const double room_up = p_.high[up] - p_.value[up], room_down = p_.value[down] - p_.low[down];
    const double room = least(room_up, room_down);
    step = least(step, room);
    p_.value[up] = step == room_up ? p_.high[up] : p_.value[up] + step;  // a bound is reached exactly
    p_.value[down] = step == room_down ? p_.low[down] : p_.value[down] - step;
    bar(up);
    bar(down);
    const float *a = p_.matrix + up * p_.stride, *b = p_.matrix + down * p_.stride;
    LeastOf found;
    for (i64 k = 0; k < p_.stride; k += LeastOf::L) {
      alignas(64) double keys[LeastOf::L];
      for (i64 l = 0; l < LeastOf::L; ++l) {
        const double slope = p_.slope[k + l] + step * (double(a[k + l]) - double(b[k + l]));
        p_.slope[k + l] = slope;
        keys[l] = slope + rise_[k + l];
      }
      found.see(keys, double(k));
    }
    return found.result(top_);
  }

  static constexpr double flat = 1e-12;  // a curvature that small lets the step end at the box

  PairProblem p_;
  Buffer<double> rise_, fall_;
  double top_ = infinite, bottom_ = -infinite;
};

static PairSteps pair_steps(const PairProblem& problem) { return PairWalk(problem).run(); }

}  // namespace empirisk::EMPIRISK_ISA
