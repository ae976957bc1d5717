// Stochastic steps over a dense matrix. Rows are copied a few steps ahead, centred, scaled and padded to whole vectors: the copies
// do not wait for one another, so the processor overlaps them with the chain of steps, which do.
#pragma once
#include "loops/row_slope.hpp"
#include "support/view.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class T>
class DenseStochastic {
  static constexpr i64 ring = 8;  // rows in flight
  const DenseView<T>& x_;
  const StochasticTask& task_;
  const StochasticState& state_;
  const i64 p_, size_, padded_;
  const Buffer<double> v_, rows_, center_, scale_, pull_, soft_, shrink_, gradient_, velocity_, sum_;
  double size_of_step_ = -1.0;

  static void fill_with(const Buffer<double>& to, i64 n, const double* from, i64 k, double otherwise) {
    for (i64 j = 0; j < n; ++j) to[j] = from && j < k ? from[j] : otherwise;
  }

  EMPIRISK_INLINE void copy_row(i64 i, double* EMPIRISK_RESTRICT out) const {
    const T* r = x_.data + i * x_.row_stride;
    const double *c = center_.data(), *s = scale_.data();
    i64 j = 0;
    for (; j + lanes<double> <= p_; j += lanes<double>) store(out + j, (load_double(r + j) - load(c + j)) * load(s + j));
    for (; j < p_; ++j) out[j] = (double(r[j]) - c[j]) * s[j];
  }

  EMPIRISK_INLINE double dot(const double* a, const double* b) const {
    Vec<double> s = fill(0.0), t = fill(0.0);
    i64 j = 0;
    for (; j + 2 * lanes<double> <= padded_; j += 2 * lanes<double>) {
      s += load(a + j) * load(b + j);
      t += load(a + j + lanes<double>) * load(b + j + lanes<double>);
    }
    if (j < padded_) s += load(a + j) * load(b + j);
    return lane_sum(s + t);
  }

  EMPIRISK_INLINE void prefetch_row(i64 i) const {
    const char* r = reinterpret_cast<const char*>(x_.data + i * x_.row_stride);
    for (i64 b = 0; b < p_ * i64(sizeof(T)); b += 64) fetch(r + b);
    fetch(task_.y + i);
    if (task_.weight) fetch(task_.weight + i);
    if (task_.anchor) fetch(task_.anchor + i);
  }

  EMPIRISK_INLINE double slope(i64 i, double z) const {
    const double raw = row_slope(task_.loss, task_.parameter, task_.y[i], z) - (task_.anchor ? task_.anchor[i] : 0.0);
    return task_.weight ? raw * task_.weight[i] : raw;
  }

  // What depends on the step size alone.
  void set_size(double g) {
    if (g == size_of_step_) return;
    size_of_step_ = g;
    for (i64 j = 0; j < size_; ++j) {
      pull_[j] = task_.drift ? g * task_.drift[j] : 0.0;
      soft_[j] = task_.l1 ? g * task_.l1[j] : 0.0;
      shrink_[j] = task_.l2 ? 1.0 / (1.0 + g * task_.l2[j]) : 1.0;
    }
  }

  void add_to_sum() const {
    double* EMPIRISK_RESTRICT to = sum_.data();
    const double* EMPIRISK_RESTRICT v = v_.data();
    for (i64 j = 0; j < padded_; ++j) to[j] += v[j];
  }

  // v <- prox(v - f x - pull)
  template <bool Drift, bool Soft>
  EMPIRISK_INLINE void move(double f, const double* EMPIRISK_RESTRICT x) const {
    double* EMPIRISK_RESTRICT v = v_.data();
    const double *EMPIRISK_RESTRICT pull = pull_.data(), *EMPIRISK_RESTRICT soft = soft_.data(), *EMPIRISK_RESTRICT shrink = shrink_.data();
    for (i64 j = 0; j < padded_; ++j) {
      double u = v[j] - f * x[j];
      if (Drift) u -= pull[j];
      if (Soft) u = most(u - soft[j], 0.0) - most(-u - soft[j], 0.0);
      v[j] = u * shrink[j];
    }
  }

  void keep_above() const {
    for (i64 j = 0; task_.low && j < size_; ++j) v_[j] = most(v_[j], task_.low[j]);
  }

  template <bool Drift, bool Soft>
  void single() {
    const i64 n = task_.n_order;
    for (i64 t = 0; t < least(ring - 1, n); ++t) copy_row(task_.order[t], rows_.data() + t * padded_);
    for (i64 t = 0; t < n; ++t) {
      if (t + 3 * ring < n) prefetch_row(task_.order[t + 3 * ring]);
      if (t + ring - 1 < n) copy_row(task_.order[t + ring - 1], rows_.data() + (t + ring - 1) % ring * padded_);
      set_size(task_.sizes[t / task_.every]);
      if (state_.sum) add_to_sum();
      const double* row = rows_.data() + t % ring * padded_;
      move<Drift, Soft>(size_of_step_ * slope(task_.order[t], dot(row, v_.data())), row);
      if (task_.low) keep_above();
    }
  }

  // Batches and momentum: the mean gradient of the loss first, then one move.
  void batches() {
    const i64 n = task_.n_order;
    double* EMPIRISK_RESTRICT g = gradient_.data();
    double* EMPIRISK_RESTRICT m = velocity_.data();
    for (i64 t = 0, step = 0; t < n; ++step) {
      const i64 end = least(t + task_.batch, n);
      const double share = 1.0 / double(end - t);
      set_size(task_.sizes[step / task_.every]);
      if (state_.sum) add_to_sum();
      for (i64 j = 0; j < padded_; ++j) g[j] = 0.0;
      for (; t < end; ++t) {
        if (t + ring < n) prefetch_row(task_.order[t + ring]);
        double* row = rows_.data() + t % ring * padded_;
        copy_row(task_.order[t], row);
        const double f = share * slope(task_.order[t], dot(row, v_.data()));
        for (i64 j = 0; j < padded_; ++j) g[j] += f * row[j];
      }
      if (task_.momentum > 0.0) {
        for (i64 j = 0; j < padded_; ++j) m[j] = task_.momentum * m[j] + size_of_step_ * g[j] + pull_[j];
        for (i64 j = 0; j < padded_; ++j) g[j] = m[j] - pull_[j];
      }
      move<true, true>(task_.momentum > 0.0 ? 1.0 : size_of_step_, g);
      keep_above();
    }
  }

 public:
  DenseStochastic(const DenseView<T>& x, const StochasticTask& task, const StochasticState& state)
      : x_(x), task_(task), state_(state), p_(x.cols), size_(x.cols + task.intercept), padded_(round_up(most<i64>(size_, 1), lanes<double>)),
        v_(padded_), rows_(ring * padded_), center_(padded_), scale_(padded_), pull_(padded_), soft_(padded_), shrink_(padded_),
        gradient_(padded_), velocity_(padded_), sum_(padded_) {
    fill_with(v_, padded_, state.v, size_, 0.0);
    fill_with(rows_, ring * padded_, nullptr, 0, 0.0);
    fill_with(center_, padded_, task.center, p_, 0.0);
    fill_with(scale_, padded_, task.scale, p_, 1.0);
    fill_with(sum_, padded_, state.sum, size_, 0.0);
    fill_with(velocity_, padded_, state.velocity, size_, 0.0);
    fill_with(pull_, padded_, nullptr, 0, 0.0);
    fill_with(soft_, padded_, nullptr, 0, 0.0);
    fill_with(shrink_, padded_, nullptr, 0, 0.0);
    for (i64 k = 0; task.intercept && k < ring; ++k) rows_[k * padded_ + p_] = task.unit;
  }

  void run() {
    if (task_.batch > 1 || task_.momentum > 0.0) batches();
    else if (task_.drift && task_.l1) single<true, true>();
    else if (task_.drift) single<true, false>();
    else if (task_.l1) single<false, true>();
    else single<false, false>();
    for (i64 j = 0; j < size_; ++j) state_.v[j] = v_[j];
    for (i64 j = 0; state_.sum && j < size_; ++j) state_.sum[j] = sum_[j];
    for (i64 j = 0; state_.velocity && j < size_; ++j) state_.velocity[j] = velocity_[j];
  }
};

}  // namespace empirisk::EMPIRISK_ISA
