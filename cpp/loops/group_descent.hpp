// Cyclic descent over groups of coordinates: min_w r(w)^2/2 + sum_g s_g ||w_g||, loss-free, on a model of descent_models.hpp.
// w is measured along the principal axes V_g of each group, where its curvatures are a diagonal D. The minimiser of one
// group is exact: with a = V_g'q_g + D w_g it is 0 when ||a|| <= s_g, else w_i = a_i / (d_i + s_g/t) at the norm
// t = ||w_g||, the root of ||a / (d t + s_g)|| = 1 (Qin, Scheinberg and Goldfarb 2013).
#pragma once
#include <cmath>

#include "loops/anderson.hpp"
#include "loops/coordinate.hpp"
#include "loops/descent_models.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Model>
class GroupDescent {
 public:
  GroupDescent(Model& model, double* w, const GroupTask& task)
      : m_(model), w_(w), t_(task), q_(task.k), a_(task.k), raw_(task.k), axes_(task.groups), past_(task.k, model.state_size()) {
    const double* axes = task.axes;
    for (i64 g = 0; g < task.groups; ++g) {
      const i64 size = task.start[g + 1] - task.start[g];
      axes_[g] = axes;
      if (axes) axes += size * size;
    }
  }

  QuadraticResult run() {
    QuadraticResult out{0, HUGE_VAL, HUGE_VAL, 0.0};
    past_.restart(w_, m_.state());
    while (out.epochs < t_.max_epochs) {
      out.move = 0.0;
      for (i64 g = 0; g < t_.groups; ++g) out.move = most(out.move, step(g));
      ++out.epochs;
      const bool still = out.move <= t_.tol_move;
      if (still || out.epochs % 10 == 0 || out.epochs == t_.max_epochs) {
        out.gap = gap();
        if (out.gap <= t_.tol_gap || still) break;
      }
      past_.keep(w_, m_.state());
      if (past_.full()) {
        const double before = objective();
        if (past_.extrapolate(w_, m_.state()) && !(objective() < before)) past_.last(w_, m_.state());
        past_.restart(w_, m_.state());
      }
    }
    out.r_square = most(2.0 * m_.half_square(w_) + m_.constant(), 0.0);
    return out;
  }

 private:
  // Minimise over one group; how far that moves its part of the scores.
  double step(i64 g) {
    const i64 first = t_.start[g], last = t_.start[g + 1];
    const double s = t_.strength[g];
    double square = 0.0, stiff = 0.0;
    for (i64 j = first; j < last; ++j) raw_[j] = m_.correlation(j);
    onto_axes(g, raw_.data(), a_.data());
    for (i64 j = first; j < last; ++j) {
      const double d = m_.curvature(j);
      a_[j] += d > 0.0 ? d * w_[j] : 0.0;
      square += a_[j] * a_[j];
      stiff = most(stiff, d);
    }
    const bool zero = s > 0.0 && (square <= s * s || !(stiff > 0.0));  // columns without information only cost
    const double pull = zero || !(s > 0.0) ? 0.0 : s / norm(first, last, s, std::sqrt(square));
    double moved = 0.0, change = 0.0;
    for (i64 j = first; j < last; ++j) {
      const double d = most(m_.curvature(j), 0.0), stiffness = d + pull;
      const double next = zero ? 0.0 : stiffness > 0.0 ? a_[j] / stiffness : w_[j];
      const double delta = next - w_[j];
      w_[j] = next;
      a_[j] = delta;
      moved += d * delta * delta;
      change += delta * delta;
    }
    if (change > 0.0) move(g);
    return std::sqrt(moved);
  }

  // Change the scores by a_, which is along the axes of group g.
  void move(i64 g) {
    const i64 first = t_.start[g], size = t_.start[g + 1] - first;
    for (i64 i = 0; i < size; ++i) {
      double delta = a_[first + i];
      if (axes_[g]) {
        delta = 0.0;
        for (i64 c = 0; c < size; ++c) delta += axes_[g][i * size + c] * a_[first + c];
      }
      if (delta != 0.0) m_.move(first + i, delta);
    }
  }

  void onto_axes(i64 g, const double* from, double* to) const {
    const i64 first = t_.start[g], size = t_.start[g + 1] - first;
    for (i64 c = 0; c < size; ++c) {
      double sum = from[first + c];
      if (axes_[g]) {
        sum = 0.0;
        for (i64 i = 0; i < size; ++i) sum += axes_[g][i * size + c] * from[first + i];
      }
      to[first + c] = sum;
    }
  }

  // The root t of phi(t) = ||a / (d t + s)|| = 1 by Newton's method on 1 - 1/phi, which is nearly linear: from the left
  // it climbs to the root.
  double norm(i64 first, i64 last, double s, double size) const {
    double t = 0.0, phi = size / s;
    for (int i = 0; i < 100; ++i) {
      double slope = 0.0, square = 0.0;
      for (i64 j = first; j < last; ++j) {
        const double d = most(m_.curvature(j), 0.0), c = d * t + s, x = a_[j] / c;
        square += x * x;
        slope += x * x * d / c;
      }
      phi = std::sqrt(square);
      if (!(slope > 0.0) || phi <= 1.0) break;
      const double next = t + (phi - 1.0) * square / slope;  // slope = -phi phi'
      if (!(next > t)) break;
      t = next;
      if (phi - 1.0 <= 1e-15) break;
    }
    return t > 0.0 ? t : 1e-300;
  }

  double objective() const {
    double sum = m_.half_square(w_);
    for (i64 g = 0; g < t_.groups; ++g) sum += t_.strength[g] * length(w_, g);
    return sum;
  }

  double length(const double* x, i64 g) const {
    double square = 0.0;
    for (i64 j = t_.start[g]; j < t_.start[g + 1]; ++j) square += x[j] * x[j];
    return std::sqrt(square);
  }

  // (1-t)^2 r^2/2 + sum_g s_g ||w_g|| - t w.q, t the scale that makes t r dual feasible.
  double gap() {
    m_.correlations(raw_.data());
    for (i64 g = 0; g < t_.groups; ++g) onto_axes(g, raw_.data(), q_.data());
    double t = 1.0, cost = 0.0, inner = 0.0;
    for (i64 g = 0; g < t_.groups; ++g) {
      if (!(t_.strength[g] > 0.0)) return HUGE_VAL;
      const double size = length(q_.data(), g);
      if (size * t > t_.strength[g]) t = t_.strength[g] / size;
      cost += t_.strength[g] * length(w_, g);
    }
    for (i64 j = 0; j < t_.k; ++j) inner += w_[j] * q_[j];
    const double rest = most(2.0 * m_.half_square(w_) + m_.constant(), 0.0);
    return most(0.5 * (1.0 - t) * (1.0 - t) * rest + cost - t * inner, 0.0);
  }

  Model& m_;
  double* w_;
  const GroupTask& t_;
  Buffer<double> q_, a_, raw_;
  Buffer<const double*> axes_;
  Anderson past_;
};

}  // namespace empirisk::EMPIRISK_ISA
