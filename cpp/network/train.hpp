// Minibatch steps of a network: rows are gathered, go forwards and backwards through the layers, and a rule moves the parameters.
// All buffers are made before the first step. Work is cut by the shape of the network alone, and merged in a fixed order.
#pragma once
#include <atomic>

#include "loops/row_slope.hpp"
#include "network/activations.hpp"
#include "network/finite.hpp"
#include "network/gemm.hpp"
#include "network/normalise.hpp"
#include "network/rules.hpp"
#include "network/step_threads.hpp"
#include "support/parallel.hpp"
#include "support/visit.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr i64 parameter_chunk = 1 << 15;

// Steele, Lea and Flood (OOPSLA 2014): the 64 bits that stand at place `i` of the stream of a seed.
EMPIRISK_INLINE std::uint64_t bits_at(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// A layer: where its parameters stand, and its buffers of batch x units numbers.
template <class T>
struct LayerPlace {
  i64 inputs = 0, units = 0, weights = 0, biases = 0, gains = 0;  // without gains these stand where the layer ends
  T *out = nullptr, *slope = nullptr;  // h, and f'(a), later the derivative of the objective in a
  NormalPlace<T> normal;
  bool plain() const { return normal.kind == Normal::none; }
  i64 end() const { return plain() ? gains : gains + units; }
};

constexpr i64 most_layers = 64;

template <class T>
class NetworkRun {
 public:
  explicit NetworkRun(const NetworkTask& task)
      : task_(task), multiply_{task}, cells_(cells(task)), own_(task.gradient ? 0 : parameters(task)), squares_(chunks(task)),
        spreads_(spreads(task)), threads_(StepThreads::here<T>(task.batch * parameters(task))) {
    T* next = cells_.data();
    const auto take = [&](i64 columns) { T* p = next; next += task.batch * columns; return p; };
    input_ = take(task.widths[0]);
    double* spread = spreads_.data();
    share_ = spread, spread += task.batch;
    i64 at = 0, widest = task.widths[0];
    for (i64 l = 0; l < task.depth; ++l) {
      const i64 a = task.widths[l], b = task.widths[l + 1];
      layer_[l] = {a, b, at, at + a * b, at + (a + 1) * b, take(b), take(b), {}};
      if (task.normals[l] != Normal::none) {
        double* const first = spread + most(task.batch, b);
        layer_[l].normal = {task.normals[l], b, take(b), spread, first, first + b};
        spread = first + 2 * b;
      }
      at = layer_[l].end();
      widest = most(widest, b);
    }
    back_ = take(widest);
    size_ = at;
    w_ = static_cast<T*>(task.w);
    g_ = task.gradient ? static_cast<T*>(task.gradient) : own_.data();
  }

  NetworkEnd run() {
    NetworkEnd end;
    for (i64 first = 0; first < task_.n_order; first += task_.batch, ++end.steps) {
      const i64* rows = task_.order + first;
      const i64 n = least(task_.batch, task_.n_order - first);
      threads_.begin();
      gather(rows, n);
      weigh(rows, n);
      for (i64 l = 0; l < task_.depth; ++l) forward(l, n, end.steps);
      loss_slopes(rows, n);
      for (i64 l = task_.depth - 1; l >= 0; --l) backward(l, n);
      if ((end.layer = first_bad(n)) != 0) return end;
      update(end.steps);
      if (n == task_.batch) threads_.end();
    }
    return end;
  }

  static i64 parameters(const NetworkTask& task) {
    i64 d = 0;
    for (i64 l = 0; l < task.depth; ++l) d += (task.widths[l] + 1 + (task.normals[l] != Normal::none)) * task.widths[l + 1];
    return d;
  }

 private:
  const NetworkTask& task_;
  Products<T> multiply_;
  Buffer<T> cells_, own_;
  Buffer<double> squares_, spreads_;
  StepThreads& threads_;
  LayerPlace<T> layer_[most_layers];
  std::atomic<bool> bad_[most_layers] = {};
  T *input_ = nullptr, *back_ = nullptr, *w_ = nullptr, *g_ = nullptr;
  double* share_ = nullptr;  // of each row in the weight of the batch
  i64 size_ = 0;

  static i64 cells(const NetworkTask& task) {
    i64 columns = task.widths[0], widest = task.widths[0];
    for (i64 l = 0; l < task.depth; ++l) {
      columns += (task.normals[l] == Normal::none ? 2 : 3) * task.widths[l + 1];
      widest = most(widest, task.widths[l + 1]);
    }
    return task.batch * (columns + widest);
  }
  static i64 spreads(const NetworkTask& task) {
    i64 count = task.batch;
    for (i64 l = 0; l < task.depth; ++l)
      if (task.normals[l] != Normal::none) count += most(task.batch, task.widths[l + 1]) + 2 * task.widths[l + 1];
    return count;
  }
  static i64 chunks(const NetworkTask& task) { return ceil_div(parameters(task), parameter_chunk); }

  const T* before(i64 l) const { return l ? layer_[l - 1].out : input_; }

  // The rows of the batch, centred and scaled, one after the other.
  void gather(const i64* rows, i64 n) {
    const i64 p = task_.widths[0];
    const bool dense = task_.x.storage == Storage::dense;
    each_rows(n, 8 * n * p, [&](i64 from, i64 to) {
      for (i64 r = from; r < to; ++r) dense ? dense_row(rows[r], input_ + r * p) : sparse_row(rows[r], input_ + r * p);
    });
  }

  void dense_row(i64 row, T* out) const {
    const DenseView<T> x = dense_view<T>(task_.x);
    const T* from = x.data + row * x.row_stride;
    if (x.col_stride == 1)
      for (i64 j = 0; j < x.cols; ++j) out[j] = from[j];
    else
      for (i64 j = 0; j < x.cols; ++j) out[j] = from[j * x.col_stride];
    scale_row(out);
  }

  void sparse_row(i64 row, T* out) const {
    for (i64 j = 0; j < task_.x.cols; ++j) out[j] = T(0);
    visit_compressed(task_.x, [&](const auto& x) {
      for (auto k = x.indptr[row]; k < x.indptr[row + 1]; ++k) out[x.indices[k]] += T(x.data[k]);
    });
    scale_row(out);
  }

  void scale_row(T* out) const {
    if (task_.center)
      for (i64 j = 0; j < task_.x.cols; ++j) out[j] = T(double(out[j]) - task_.center[j]);
    if (task_.inverse)
      for (i64 j = 0; j < task_.x.cols; ++j) out[j] = T(double(out[j]) * task_.inverse[j]);
  }

  void weigh(const i64* rows, i64 n) {
    double total = 0.0;
    for (i64 r = 0; r < n; ++r) total += share_[r] = task_.weight ? task_.weight[rows[r]] : 1.0;
    for (i64 r = 0; r < n; ++r) share_[r] /= total;
  }

  // body(from, to) on chunks of the rows of a batch.
  template <class F>
  void each_rows(i64 n, i64 work, const F& body) const {
    const i64 count = ceil_div(n, 32);
    for_chunks(count, threads_.of(work, count), [&](i64 c, int) { body(32 * c, least(n, 32 * (c + 1))); });
  }

  void forward(i64 l, i64 n, i64 step) {
    const LayerPlace<T>& layer = layer_[l];
    const NormalPlace<T>& normal = layer.normal;
    const Panels panels(layer.units);
    for_chunks(panels.count(), threads_.of(n * layer.inputs * layer.units, panels.count()), [&](i64 c, int) {
      const i64 from = panels.from(c), to = panels.to(c);
      multiply_.columns(n, layer.inputs, layer.units, before(l), w_ + layer.weights, layer.out, from, to);
      if (normal.kind == Normal::batch) normalise_columns(normal, layer.out, share_, n, from, to);
      if (normal.kind != Normal::layer) bend_block(l, 0, n, from, to, step);
    });
    if (normal.kind != Normal::layer) return;
    each_rows(n, 8 * n * layer.units, [&](i64 from, i64 to) {
      normalise_rows(normal, layer.out, from, to);
      bend_block(l, from, to, 0, layer.units, step);
    });
  }

  // Rows [top, bottom) and columns [from, to) of a layer: from sums to outputs and slopes.
  void bend_block(i64 l, i64 top, i64 bottom, i64 from, i64 to, i64 step) const {
    const LayerPlace<T>& layer = layer_[l];
    with_bend(task_.bends[l], [&](const auto& bend) { apply_bend(layer, top, bottom, from, to, bend); });
    if (task_.dropout > 0.0 && l + 1 < task_.depth) drop(layer, l, top, bottom, from, to, step);
  }

  template <class F>
  void apply_bend(const LayerPlace<T>& layer, i64 top, i64 bottom, i64 from, i64 to, const F& bend) const {
    const T* EMPIRISK_RESTRICT bias = w_ + layer.biases;
    const T* EMPIRISK_RESTRICT gain = layer.plain() ? nullptr : w_ + layer.gains;
    for (i64 r = top; r < bottom; ++r) {
      T* EMPIRISK_RESTRICT h = layer.out + r * layer.units;
      T* EMPIRISK_RESTRICT s = layer.slope + r * layer.units;
      const T* EMPIRISK_RESTRICT u = layer.normal.unit + (gain ? r * layer.units : 0);
      double value, slope;
      if (gain)
        for (i64 j = from; j < to; ++j) {
          bend(double(gain[j]) * double(u[j]) + double(bias[j]), value, slope);
          h[j] = T(value), s[j] = T(slope);
        }
      else
        for (i64 j = from; j < to; ++j) {
          bend(double(h[j]) + double(bias[j]), value, slope);
          h[j] = T(value), s[j] = T(slope);
        }
    }
  }

  // Leaves out a share of the units and scales the others up: the mean of what the next layer reads stays.
  void drop(const LayerPlace<T>& layer, i64 l, i64 top, i64 bottom, i64 from, i64 to, i64 step) const {
    const std::uint64_t stream = bits_at(task_.seed, std::uint64_t((task_.rule.taken + step) * most_layers + l));
    const std::uint64_t below = std::uint64_t(task_.dropout * 9007199254740992.0);  // of 2^53
    const T up = T(1.0 / (1.0 - task_.dropout));
    for (i64 r = top; r < bottom; ++r)
      for (i64 j = from, i = r * layer.units + from; j < to; ++j, ++i) {
        const T factor = (bits_at(stream, std::uint64_t(i)) >> 11) < below ? T(0) : up;
        layer.out[i] *= factor, layer.slope[i] *= factor;
      }
  }

  void loss_slopes(const i64* rows, i64 n) {
    const LayerPlace<T>& last = layer_[task_.depth - 1];
    const i64 k = last.units;
    for (i64 r = 0; r < n; ++r) {
      const double share = (task_.weight ? task_.weight[rows[r]] : 1.0) / double(n);
      const T* z = last.out + r * k;
      T* d = last.slope + r * k;
      if (task_.softmax) {
        softmax_slopes(z, k, i64(task_.y[rows[r]]), share, d);
      } else {
        const double* y = task_.y + rows[r] * k;
        for (i64 j = 0; j < k; ++j) d[j] *= T(share * row_slope(task_.loss, task_.parameter, y[j], double(z[j])));
      }
    }
  }

  static void softmax_slopes(const T* z, i64 k, i64 code, double share, T* d) {
    double top = double(z[0]), total = 0.0;
    for (i64 j = 1; j < k; ++j) top = most(top, double(z[j]));
    for (i64 j = 0; j < k; ++j) total += exp_fast(double(z[j]) - top);
    for (i64 j = 0; j < k; ++j) d[j] *= T(share * (exp_fast(double(z[j]) - top) / total - (j == code ? 1.0 : 0.0)));
  }

  // Gradients of a layer, and the slopes of the one before it; the two read what neither writes.
  void backward(i64 l, i64 n) {
    const LayerPlace<T>& layer = layer_[l];
    if (!layer.plain()) through_normal(layer, n);
    const Panels panels(layer.inputs);
    const i64 half = panels.count(), count = l ? 2 * half : half;
    bad_[l] = false;
    for_chunks(count + 1, threads_.of(n * layer.inputs * layer.units * (l ? 2 : 1), count), [&](i64 c, int) {
      if (c == count) {
        if (layer.plain()) bias_gradient(layer, n);
        return look(l, layer.biases, layer.end());
      }
      const i64 from = panels.from(c % half), to = panels.to(c % half);
      if (c < half) {
        multiply_.outer(n, layer.inputs, layer.units, before(l), layer.slope, g_ + layer.weights, from, to);
        return look(l, layer.weights + from * layer.units, layer.weights + to * layer.units);
      }
      multiply_.back(n, layer.inputs, layer.units, layer.slope, w_ + layer.weights, back_, from, to);
      T* slope = layer_[l - 1].slope;
      for (i64 r = 0; r < n; ++r)
        for (i64 i = r * layer.inputs + from; i < r * layer.inputs + to; ++i) slope[i] *= back_[i];
    });
  }

  // From the slopes in what the activation reads to those in the sums; gradients of biases and gains on the way.
  void through_normal(const LayerPlace<T>& layer, i64 n) {
    const NormalPlace<T>& normal = layer.normal;
    const Panels panels(layer.units);
    const i64 work = 8 * n * layer.units;
    const T* gain = w_ + layer.gains;
    for_chunks(panels.count(), threads_.of(work, panels.count()), [&](i64 c, int) {
      const i64 from = panels.from(c), to = panels.to(c);
      sum_slopes(normal, layer.slope, n, from, to, g_ + layer.biases, g_ + layer.gains);
      if (normal.kind == Normal::batch) slopes_of_columns(normal, gain, share_, layer.slope, n, from, to);
    });
    if (normal.kind == Normal::layer) each_rows(n, work, [&](i64 from, i64 to) { slopes_of_rows(normal, gain, layer.slope, from, to); });
  }

  void bias_gradient(const LayerPlace<T>& layer, i64 n) const {
    T* g = g_ + layer.biases;
    for (i64 j = 0; j < layer.units; ++j) g[j] = T(0);
    for (i64 r = 0; r < n; ++r)
      for (i64 j = 0; j < layer.units; ++j) g[j] += layer.slope[r * layer.units + j];
  }

  // Notes whether parameters [from, to) of a layer have a gradient that is not finite, while it is in the cache.
  void look(i64 l, i64 from, i64 to) {
    if (not_finite(g_ + from, to - from)) bad_[l].store(true, std::memory_order_relaxed);
  }

  // The first layer (from 1) whose outputs, else whose gradient, is not finite.
  i64 first_bad(i64 n) const {
    for (i64 l = 0; l < task_.depth; ++l)
      if (not_finite(layer_[l].out, n * layer_[l].units)) return l + 1;
    for (i64 l = 0; l < task_.depth; ++l)
      if (bad_[l].load(std::memory_order_relaxed)) return l + 1;
    return 0;
  }

  // body(from, to, penalised) on parts of chunk c of the parameters.
  template <class F>
  void parts_of_chunk(i64 c, const F& body) const {
    const i64 from = c * parameter_chunk, to = least(size_, from + parameter_chunk);
    for (i64 l = 0; l < task_.depth; ++l) {
      const i64 w = layer_[l].weights, b = layer_[l].biases, end = layer_[l].end();
      if (most(w, from) < least(b, to)) body(most(w, from), least(b, to), true);
      if (most(b, from) < least(end, to)) body(most(b, from), least(end, to), false);
    }
  }

  void penalise(i64 from, i64 to) {
    const T l1 = T(task_.l1), l2 = T(task_.l2);
    for (i64 i = from; i < to; ++i) g_[i] += l2 * w_[i] + l1 * T((w_[i] > T(0)) - (w_[i] < T(0)));
  }

  void update(i64 step) {
    const i64 count = chunks(task_);
    const int threads = threads_.of(16 * size_, count);
    const bool penalty = task_.l1 > 0.0 || task_.l2 > 0.0;
    const StepNumbers<T> numbers = step_numbers<T>(task_.rule, step);
    const T factor = task_.clip > 0.0 ? clipped(count, threads, penalty) : T(1);
    for_chunks(count, threads, [&](i64 c, int) {
      parts_of_chunk(c, [&](i64 from, i64 to, bool weights) {
        if (penalty && weights && !(task_.clip > 0.0)) penalise(from, to);
        if (factor != T(1))
          for (i64 i = from; i < to; ++i) g_[i] *= factor;
        apply_rule<T>(task_.rule, numbers, from, to - from, w_, g_);
      });
    });
  }

  // What the gradient, penalty included, is multiplied by to be no longer than `clip`.
  T clipped(i64 count, int threads, bool penalty) {
    for_chunks(count, threads, [&](i64 c, int) {
      double total = 0.0;
      parts_of_chunk(c, [&](i64 from, i64 to, bool weights) {
        if (penalty && weights) penalise(from, to);
        for (i64 i = from; i < to; ++i) total += double(g_[i]) * double(g_[i]);
      });
      squares_[c] = total;
    });
    const double norm = std::sqrt(fixed_sum(squares_.data(), count));
    return norm > task_.clip ? T(task_.clip / norm) : T(1);
  }
};

inline NetworkEnd network_steps(const NetworkTask& task) {
  if (task.x.is_float32) return NetworkRun<float>(task).run();
  return NetworkRun<double>(task).run();
}

}  // namespace empirisk::EMPIRISK_ISA
