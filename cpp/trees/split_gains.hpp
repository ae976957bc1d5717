// Gains of many cuts of one node at once: a[i], b[i] are the two moments of the left side of cut i. Compiled for each
// instruction set; every search over sorted rows ends here.
#pragma once
#include "support/vmath.hpp"
#include "trees/split_node.hpp"

namespace empirisk::EMPIRISK_ISA {

EMPIRISK_INLINE double times_log(double a, double ratio) {  // a log(ratio), 0 at a = 0
  const double value = a * log_fast(ratio > 0.0 ? ratio : 1.0);
  return a > 0.0 ? value : 0.0;
}

EMPIRISK_INLINE double over(double x, double y) { return y > 0.0 ? x / y : 0.0; }

// Squared error: with d = a - b A/B the gain is d^2 B / (b (B - b)), which does not cancel. Gini: twice that for 0/1 targets.
struct SquaredGain {
  double mean, inverse, factor;
  explicit SquaredGain(const SplitNode& t) : mean(over(t.a, t.b)), inverse(over(1.0, t.b)), factor(t.factor) {}
  EMPIRISK_INLINE double operator()(double a, double b) const {
    const double d = a - b * mean;
    return over(factor * d * d, b * (1.0 - b * inverse));
  }
};

struct NewtonGain {
  const SplitNode& t;
  EMPIRISK_INLINE double operator()(double a, double b) const {
    const double right = t.a - a;
    return over(a * a, b + t.l2) + over(right * right, t.b - b + t.l2) - t.score;
  }
};

struct PoissonGain {
  const SplitNode& t;
  EMPIRISK_INLINE double operator()(double a, double b) const {
    const double right = t.a - a;
    return 2.0 * (times_log(a, over(a, b)) + times_log(right, over(right, t.b - b))) - t.score;
  }
};

struct EntropyGain {
  const SplitNode& t;
  static EMPIRISK_INLINE double side(double a, double b) {
    const double inverse = over(1.0, b), other = b - a;
    return times_log(a, a * inverse) + times_log(other, other * inverse);
  }
  EMPIRISK_INLINE double operator()(double a, double b) const { return side(a, b) + side(t.a - a, t.b - b) - t.score; }
};

struct ErrorGain {
  const SplitNode& t;
  static EMPIRISK_INLINE double side(double a, double b) { return a < b - a ? -a : a - b; }
  EMPIRISK_INLINE double operator()(double a, double b) const { return side(a, b) + side(t.a - a, t.b - b) - t.score; }
};

// g[i] and their maximum, lane by lane so that the loop becomes vector code.
template <class Gain>
static double gains_of(const Gain& gain, const double* EMPIRISK_RESTRICT a, const double* EMPIRISK_RESTRICT b, i64 m, double* EMPIRISK_RESTRICT g) {
  for (i64 i = 0; i < m; ++i) g[i] = gain(a[i], b[i]);
  double top[8] = {-1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0};
  i64 i = 0;
  for (; i + 8 <= m; i += 8)
    for (i64 l = 0; l < 8; ++l) top[l] = g[i + l] > top[l] ? g[i + l] : top[l];
  for (; i < m; ++i) top[0] = g[i] > top[0] ? g[i] : top[0];
  double most = top[0];
  for (i64 l = 1; l < 8; ++l) most = top[l] > most ? top[l] : most;
  return most;
}

// Cuts that the limits forbid get a gain of minus infinity.
static double refuse_cuts(const SplitNode& t, const double* a, const double* b, i64 m, double* g) {
  double most = -std::numeric_limits<double>::infinity();
  for (i64 i = 0; i < m; ++i) {
    const double right = t.b - b[i];
    bool fine = b[i] >= t.min_weight && right >= t.min_weight;
    if (t.sign != 0) {
      const double l = over(a[i], b[i] + t.l2), r = over(t.a - a[i], right + t.l2);
      fine = fine && (t.sign > 0 ? l <= r : l >= r) && l >= t.low && l <= t.high && r >= t.low && r <= t.high;
    }
    if (!fine) g[i] = -std::numeric_limits<double>::infinity();
    most = g[i] > most ? g[i] : most;
  }
  return most;
}

static double split_gains(const SplitNode& t, const double* a, const double* b, i64 m, double* g) {
  double most = 0.0;
  switch (t.kind) {
    case SplitKind::squared: most = gains_of(SquaredGain(t), a, b, m, g); break;
    case SplitKind::newton: most = gains_of(NewtonGain{t}, a, b, m, g); break;
    case SplitKind::poisson: most = gains_of(PoissonGain{t}, a, b, m, g); break;
    case SplitKind::entropy: most = gains_of(EntropyGain{t}, a, b, m, g); break;
    case SplitKind::error: most = gains_of(ErrorGain{t}, a, b, m, g); break;
  }
  return t.min_weight > 0.0 || t.sign != 0 ? refuse_cuts(t, a, b, m, g) : most;
}

}  // namespace empirisk::EMPIRISK_ISA
