// The exact minimiser over the current support and signs, from a Cholesky factor of the Gram matrix of the support: where
// coordinate descent has found the signs, this ends a long tail of epochs. A coefficient that would change its sign stops
// at zero and leaves the support, and the rest is solved again.
#pragma once
#include <cmath>

#include "loops/block_product.hpp"
#include "loops/coordinate.hpp"

namespace empirisk::EMPIRISK_ISA {

// L (n, n), rows contiguous: in, the lower triangle of a symmetric matrix; out, its Cholesky factor. False when a pivot is
// within rounding of zero. Panels: the product with all earlier columns by register tiles, then a small triangular solve.
inline bool cholesky(double* l, i64 n) {
  constexpr i64 panel = 32;
  double part[panel * panel];
  for (i64 i0 = 0; i0 < n; i0 += panel) {
    const i64 ni = least(panel, n - i0);
    for (i64 j0 = 0; j0 <= i0; j0 += panel) {
      const i64 nj = least(panel, n - j0);
      if (j0 > 0) dots(l + i0 * n, n, ni, j0, nj, l + j0 * n, n, Strided{part, panel, 1});
      for (i64 r = 0; r < ni; ++r) {
        double* row = l + (i0 + r) * n + j0;
        const i64 width = j0 == i0 ? r + 1 : nj;
        for (i64 c = 0; c < width; ++c) {
          const double* left = l + (j0 + c) * n + j0;
          double sum = row[c] - (j0 > 0 ? part[r * panel + c] : 0.0);
          const double diagonal = row[c];
          for (i64 t = 0; t < c; ++t) sum -= row[t] * left[t];
          if (j0 == i0 && c == r) {
            if (!(sum > 1e-13 * diagonal)) return false;
            row[c] = std::sqrt(sum);
          } else {
            row[c] = sum / left[c];
          }
        }
      }
    }
  }
  return true;
}

inline void cholesky_solve(const double* l, i64 n, double* x) {
  for (i64 i = 0; i < n; ++i) {
    double sum = x[i];
    for (i64 t = 0; t < i; ++t) sum -= l[i * n + t] * x[t];
    x[i] = sum / l[i * n + i];
  }
  for (i64 i = n; i-- > 0;) {
    x[i] /= l[i * n + i];
    for (i64 t = 0; t < i; ++t) x[t] -= l[i * n + t] * x[i];
  }
}

class SupportStep {
 public:
  explicit SupportStep(i64 k) : members_(k), direction_(k) {}

  // True when w moved.
  bool run(const QuadraticTask& task, const double* g, i64 ld, double* q, double* w) {
    bool moved = false;
    for (int round = 0; round < 6; ++round) {
      const i64 a = collect(task, g, ld, w);
      if (a == 0 || a > largest_support) return moved;
      const Buffer<double> l(a * a);
      for (i64 i = 0; i < a; ++i) {
        const i64 f = members_[i];
        for (i64 j = 0; j <= i; ++j) l[i * a + j] = g[f * ld + members_[j]];
        l[i * a + i] += task.l2;
        direction_[i] = q[f] - task.l2 * w[f] - (w[f] > 0.0 ? task.l1 : -task.l1);
      }
      if (!cholesky(l.data(), a)) return moved;
      cholesky_solve(l.data(), a, direction_.data());
      const double t = longest_step(a, w);
      if (!std::isfinite(t)) return moved;
      move(a, t, task.k, g, ld, q, w);
      moved = true;
      if (t >= 1.0) return moved;
    }
    return moved;
  }

 private:
  static constexpr i64 largest_support = 2048;

  i64 collect(const QuadraticTask& task, const double* g, i64 ld, const double* w) {
    i64 a = 0;
    for (i64 j = 0; j < task.k; ++j)
      if (w[j] != 0.0 && g[j * ld + j] > 0.0) members_[a++] = j;
    return a;
  }

  // Up to the first change of sign; NaN when the direction is not finite.
  double longest_step(i64 a, const double* w) const {
    double t = 1.0, total = 0.0;
    for (i64 i = 0; i < a; ++i) {
      const double x = w[members_[i]], d = direction_[i];
      total += d;
      if (x * (x + t * d) < 0.0) t = -x / d;
    }
    return std::isfinite(total) ? t : total - total;
  }

  void move(i64 a, double t, i64 k, const double* g, i64 ld, double* q, double* w) {
    for (i64 i = 0; i < a; ++i) {
      const i64 f = members_[i];
      double next = w[f] + t * direction_[i];
      if (w[f] * next < 0.0 || std::fabs(next) < 1e-15 * std::fabs(w[f])) next = 0.0;
      const double delta = next - w[f];
      w[f] = next;
      const double* EMPIRISK_RESTRICT row = g + f * ld;
      double* EMPIRISK_RESTRICT to = q;
      for (i64 j = 0; j < k; ++j) to[j] -= delta * row[j];
    }
  }

  Buffer<i64> members_;
  Buffer<double> direction_;
};

}  // namespace empirisk::EMPIRISK_ISA
