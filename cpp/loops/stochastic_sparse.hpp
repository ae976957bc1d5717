// Stochastic steps over CSR: a step costs the stored values of its rows, whatever the number of columns. Drift and penalty are spread
// over the rows that store a column (Pedregosa, Leblond and Lacoste-Julien 2017), and sums of iterates are brought up to date when
// a column moves, so that nothing waits for a pass over all columns. An L2 penalty that shrinks whole vectors is one factor of all
// coefficients (Shalev-Shwartz, Singer, Srebro and Cotter 2011, section 2.2): they are held without it.
#pragma once
#include "loops/row_slope.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T, class I>
class SparseStochastic {
  const CompressedView<T, I>& x_;
  const StochasticTask& task_;
  const StochasticState& state_;
  const i64 p_, size_;
  const Buffer<i64> last_, touched_;        // first step that a column's sum lacks; columns of a batch
  const Buffer<double> settled_;
  const Buffer<double> gradient_, parts_;   // of a batch: mean gradient, and how often the penalty counts
  const Buffer<double> slopes_;

  EMPIRISK_INLINE double scaled(i64 k) const {
    return task_.scale ? double(x_.data[k]) * task_.scale[x_.indices[k]] : double(x_.data[k]);
  }

  EMPIRISK_INLINE double constant() const { return task_.intercept ? task_.unit * state_.v[p_] : 0.0; }

  // `start` and the sum over the cells of row i.
  EMPIRISK_INLINE double score(i64 i, double start) const {
    const i64 end = i64(x_.indptr[i + 1]);
    double a = start, b = 0.0;
    i64 k = i64(x_.indptr[i]);
    for (; k + 2 <= end; k += 2) {
      a += scaled(k) * state_.v[x_.indices[k]];
      b += scaled(k + 1) * state_.v[x_.indices[k + 1]];
    }
    if (k < end) a += scaled(k) * state_.v[x_.indices[k]];
    return a + b;
  }

  EMPIRISK_INLINE double slope_at(i64 i, double z) const {
    const double raw = row_slope(task_.loss, task_.parameter, task_.y[i], z) - (task_.anchor ? task_.anchor[i] : 0.0);
    return task_.weight ? raw * task_.weight[i] : raw;
  }

  EMPIRISK_INLINE double slope(i64 i) const { return slope_at(i, score(i, constant())); }

  // The column has been what it is at all steps before `step`.
  EMPIRISK_INLINE void settle(i64 j, i64 step) const {
    if (!state_.sum) return;
    state_.sum[j] += state_.v[j] * double(step - last_[j]);
    last_[j] = step;
  }

  // One coordinate: gradient of the loss g, penalty and drift counted `part` times.
  EMPIRISK_INLINE void move(i64 j, double size, double g, double part, i64 step) const {
    settle(j, step + 1);
    double u = state_.v[j] - size * (task_.drift ? g + part * task_.drift[j] : g);
    const double strength = size * part;
    if (task_.l1) {
      const double soft = strength * task_.l1[j];
      u = most(u - soft, 0.0) - most(-u - soft, 0.0);
    }
    if (task_.l2) u /= 1.0 + strength * task_.l2[j];
    state_.v[j] = task_.low ? most(u, task_.low[j]) : u;
  }

  EMPIRISK_INLINE double share(i64 j) const { return task_.share ? task_.share[j] : 1.0; }

  EMPIRISK_INLINE void prefetch(i64 t) const {
    if (t + 8 >= task_.n_order) return;
    const i64 far = i64(x_.indptr[task_.order[t + 8]]);
    fetch(x_.indices + far);
    fetch(x_.data + far);
    const i64 near = task_.order[t + 3];
    for (i64 k = i64(x_.indptr[near]), end = least(i64(x_.indptr[near + 1]), k + 32); k < end; ++k) fetch(state_.v + x_.indices[k]);
  }

  i64 single() const {
    for (i64 t = 0; t < task_.n_order; ++t) {
      prefetch(t);
      const i64 i = task_.order[t];
      const double size = task_.sizes[t / task_.every], f = slope(i);
      for (i64 k = i64(x_.indptr[i]), end = i64(x_.indptr[i + 1]); k < end; ++k) {
        const i64 j = i64(x_.indices[k]);
        move(j, size, f * scaled(k), share(j), t);
      }
      if (task_.intercept) move(p_, size, f * task_.unit, 1.0, t);
    }
    return task_.n_order;
  }

  i64 batches() const {
    for (i64 j = 0; j < p_; ++j) gradient_[j] = parts_[j] = 0.0;
    i64 step = 0;
    for (i64 t = 0; t < task_.n_order; ++step) {
      const i64 end = least(t + task_.batch, task_.n_order), first = t;
      const double part = 1.0 / double(end - first), size = task_.sizes[step / task_.every];
      for (; t < end; ++t) slopes_[t - first] = part * slope(task_.order[t]);
      i64 n = 0;
      double whole = 0.0;
      for (t = first; t < end; ++t) {
        const i64 i = task_.order[t];
        whole += slopes_[t - first] * task_.unit;
        for (i64 k = i64(x_.indptr[i]), stop = i64(x_.indptr[i + 1]); k < stop; ++k) {
          const i64 j = i64(x_.indices[k]);
          if (parts_[j] == 0.0) touched_[n++] = j;
          parts_[j] += part * share(j);
          gradient_[j] += slopes_[t - first] * scaled(k);
        }
      }
      for (i64 k = 0; k < n; ++k) {
        const i64 j = touched_[k];
        move(j, size, gradient_[j], parts_[j], step);
        gradient_[j] = parts_[j] = 0.0;
      }
      if (task_.intercept) move(p_, size, whole, 1.0, step);
    }
    return step;
  }

  // v_j = factor u_j, the u in place of v; `total` is the sum of the factors so far, and `settled_` what of it a column's sum has.
  void settle_factor(i64 j, double total) const {
    if (!state_.sum) return;
    state_.sum[j] += state_.v[j] * (total - settled_[j]);
    settled_[j] = total;
  }

  void fold(double factor, double total) const {
    for (i64 j = 0; j < p_; ++j) {
      settle_factor(j, total);
      state_.v[j] *= factor;
    }
  }

  void whole() const {
    double factor = 1.0, total = 0.0;
    i64 step = 0;
    for (i64 j = 0; state_.sum && j < p_; ++j) settled_[j] = 0.0;
    for (i64 t = 0; t < task_.n_order; ++step) {
      const i64 end = least(t + task_.batch, task_.n_order), first = t;
      const double part = 1.0 / double(end - first), size = task_.sizes[step / task_.every];
      total += factor;
      if (state_.sum && task_.intercept) state_.sum[p_] += state_.v[p_];
      for (; t < end; ++t) {
        const i64 i = task_.order[t];
        prefetch(t);
        slopes_[t - first] = part * slope_at(i, constant() + factor * score(i, 0.0));
      }
      for (t = first; t < end; ++t) {
        const i64 i = task_.order[t];
        const double f = size * slopes_[t - first];
        if (f == 0.0) continue;
        for (i64 k = i64(x_.indptr[i]), stop = i64(x_.indptr[i + 1]); k < stop; ++k) {
          const i64 j = i64(x_.indices[k]);
          settle_factor(j, total);
          state_.v[j] -= f * scaled(k) / factor;
        }
        if (task_.intercept) state_.v[p_] -= f * task_.unit;
      }
      if (p_ > 0 && task_.l2) factor /= 1.0 + size * task_.l2[0];
      if (factor < 1e-100) {  // before the u overflow
        fold(factor, total);
        factor = 1.0;
      }
    }
    fold(factor, total);
  }

 public:
  SparseStochastic(const CompressedView<T, I>& x, const StochasticTask& task, const StochasticState& state)
      : x_(x), task_(task), state_(state), p_(x.minor), size_(x.minor + task.intercept), last_(state.sum ? size_ : 0),
        touched_(task.batch > 1 ? p_ : 0), settled_(state.sum && task.whole ? p_ : 0), gradient_(task.batch > 1 ? p_ : 0), parts_(task.batch > 1 ? p_ : 0),
        slopes_(least(task.batch, task.n_order)) {
    for (i64 j = 0; state.sum && j < size_; ++j) last_[j] = 0;
  }

  void run() const {
    if (task_.whole) return whole();
    const i64 steps = task_.batch > 1 ? batches() : single();
    for (i64 j = 0; state_.sum && j < size_; ++j) settle(j, steps);
  }
};

}  // namespace empirisk::EMPIRISK_ISA
