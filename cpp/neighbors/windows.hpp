// Sums over all rows with weights that fall with the squared distance from a query: what local averages, local lines and densities
// are made of. Distances are sums of squared differences, a query is the work of one thread, and its sums run over the rows in their
// order: the answer has the same bits for any number of threads. No matrix of all pairs is stored.
#pragma once
#include <cmath>
#include <limits>

#include "neighbors/neighbor_table.hpp"
#include "support/parallel.hpp"
#include "support/row_tiles.hpp"
#include "support/vmath.hpp"

namespace empirisk::EMPIRISK_ISA {

// exp(-(d - least)/(2 h^2)): relative to the nearest row, whose weight is 1 however far it is.
struct GaussianWindow {
  double rate;
  explicit GaussianWindow(double h) : rate(-0.5 / (h * h)) {}
  EMPIRISK_INLINE double operator()(double d, double least) const { return exp_fast(rate * (d - least)); }
  bool beyond(double d, double least) const { return rate * (d - least) < -746.0; }
};

struct EpanechnikovWindow {
  double rate;
  explicit EpanechnikovWindow(double h) : rate(1.0 / (h * h)) {}
  EMPIRISK_INLINE double operator()(double d, double) const {
    const double w = 1.0 - rate * d;
    return w > 0.0 ? w : 0.0;
  }
  bool beyond(double d, double) const { return rate * d > 1.0; }
};

struct TricubeWindow {
  double rate;
  explicit TricubeWindow(double h) : rate(1.0 / (h * h)) {}
  EMPIRISK_INLINE double operator()(double d, double) const {
    const double t = rate * d, inside = t < 1.0 ? t : 1.0, w = 1.0 - inside * std::sqrt(inside);
    return w * w * w;
  }
  bool beyond(double d, double) const { return rate * d > 1.0; }
};

struct BoxcarWindow {
  double rate;
  explicit BoxcarWindow(double h) : rate(1.0 / (h * h)) {}
  EMPIRISK_INLINE double operator()(double d, double) const { return rate * d <= 1.0 ? 1.0 : 0.0; }
  bool beyond(double d, double) const { return rate * d > 1.0; }
};

// sum_l a[l] b[l] over a block of rows, in one order.
constexpr i64 window_block = 512;
EMPIRISK_INLINE double block_product(const double* a, const double* b) {
  constexpr i64 L = lanes<double>;
  Vec<double> one = fill(0.0), other = fill(0.0);
  for (i64 l = 0; l < window_block; l += 2 * L) {
    one += load(a + l) * load(b + l);
    other += load(a + l + L) * load(b + l + L);
  }
  return lane_sum(one + other);
}

template <class Window>
class WindowSums {
 public:
  explicit WindowSums(const WindowProblem& p)
      : p_(p), cols_(p.x.cols), blocks_(ceil_div(p.x.rows, window_block)), padded_(blocks_ * window_block),
        terms_(p.slopes ? cols_ + 1 : 1), rows_(padded_ * cols_), weight_(padded_), target_(padded_) {}

  void run() {
    pack();
    const i64 chunk = most<i64>(1, 16384 / padded_);  // queries; those of a call may be few where the rows are many
    const i64 chunks = ceil_div(p_.q.rows, chunk);
    const int threads = threads_for(p_.q.rows * p_.x.rows * (cols_ + 8 * p_.bandwidths), chunks);
    const i64 room = padded_ + blocks_ + (terms_ + 2) * window_block + cols_;
    Buffer<double> memory(threads * room);
    const DenseView<double> q = dense_view<double>(p_.q);
    for_chunks(chunks, threads, [&](i64 c, int thread) {
      double* own = memory.data() + thread * room;
      for (i64 i = c * chunk; i < least(p_.q.rows, (c + 1) * chunk); ++i) {
        double* point = own + room - cols_;
        for (i64 d = 0; d < cols_; ++d) point[d] = q.data[i * q.row_stride + d * q.col_stride];
        query(i, point, own);
      }
    });
  }

 private:
  // Block after block of rows, column by column; beyond the last row nothing has weight.
  void pack() {
    const DenseView<double> x = dense_view<double>(p_.x);
    for (i64 k = 0; k < padded_; ++k) {
      const bool there = k < p_.x.rows;
      weight_[k] = there ? p_.weight[k] : 0.0;
      target_[k] = there ? p_.target[k] : 0.0;
      double* to = rows_.data() + k / window_block * window_block * cols_ + k % window_block;
      for (i64 d = 0; d < cols_; ++d) to[d * window_block] = there ? x.data[k * x.row_stride + d * x.col_stride] : 0.0;
    }
  }

  void query(i64 i, const double* point, double* own) {
    double *distance = own, *nearest = own + padded_, *values = nearest + blocks_, *scaled = values + window_block;
    double* differences = scaled + window_block;
    i64 anchor = 0;
    const double least_of_all = measure(i, point, distance, nearest, anchor);
    const i64 each = terms_ * (terms_ + 1) / 2 + terms_ + 1, own_row = p_.left_out ? p_.left_out[i] : -1;
    const double own_weight = p_.left_weight ? p_.left_weight[i] : 0.0;
    for (i64 h = 0; h < p_.bandwidths; ++h) {
      double* sums = p_.sums + (h * p_.q.rows + i) * each;
      for (i64 c = 0; c < each; ++c) sums[c] = 0.0;
    }
    p_.least[i] = least_of_all;
    p_.anchor[i] = anchor;
    for (i64 b = 0; b < blocks_; ++b) {
      bool ready = false;
      for (i64 h = 0; h < p_.bandwidths; ++h) {
        const Window window(p_.bandwidth[h]);
        if (window.beyond(nearest[b], least_of_all)) continue;
        const double *d = distance + b * window_block, *s = weight_.data() + b * window_block;
        for (i64 l = 0; l < window_block; ++l) values[l] = s[l] * window(d[l], least_of_all);
        if (own_row >= 0 && own_row / window_block == b)
          values[own_row % window_block] = own_weight * window(d[own_row % window_block], least_of_all);
        if (!ready) relative(b, anchor, differences);
        ready = true;
        add(b, values, scaled, differences, p_.sums + (h * p_.q.rows + i) * each);
      }
    }
    for (i64 h = 0; h < p_.bandwidths; ++h) {
      double* sums = p_.sums + (h * p_.q.rows + i) * each;
      p_.empty[h * p_.q.rows + i] = !(sums[0] > 0.0);
      if (p_.fall_back && !(sums[0] > 0.0)) nearest_rows(distance, nearest, least_of_all, sums, each);
    }
  }

  // Squared distances from the query, and the nearest row: of equal ones the first.
  double measure(i64 i, const double* point, double* distance, double* nearest, i64& anchor) const {
    const i64 absent = p_.left_out && !(p_.left_weight && p_.left_weight[i] > 0.0) ? p_.left_out[i] : -1;
    double least_of_all = std::numeric_limits<double>::infinity();
    for (i64 b = 0; b < blocks_; ++b) {
      const double* rows = rows_.data() + b * window_block * cols_;
      double* d = distance + b * window_block;
      for (i64 l = 0; l < window_block; ++l) d[l] = 0.0;
      for (i64 c = 0; c < cols_; ++c) {
        const double v = point[c];
        for (i64 l = 0; l < window_block; ++l) {
          const double difference = rows[c * window_block + l] - v;
          d[l] += difference * difference;
        }
      }
      for (i64 l = most<i64>(0, p_.x.rows - b * window_block); l < window_block; ++l) d[l] = std::numeric_limits<double>::infinity();
      if (absent >= 0 && absent / window_block == b) d[absent % window_block] = std::numeric_limits<double>::infinity();
      double low = std::numeric_limits<double>::infinity();
      for (i64 l = 0; l < window_block; ++l) low = d[l] < low ? d[l] : low;
      nearest[b] = low;
      if (!(low < least_of_all)) continue;
      least_of_all = low;
      for (i64 l = window_block - 1; l >= 0; --l) anchor = d[l] == low ? b * window_block + l : anchor;
    }
    return least_of_all;
  }

  // Columns relative to the nearest row, where the weight is: sums of squares about it lose no digits.
  void relative(i64 b, i64 anchor, double* differences) const {
    if (terms_ == 1) return;
    const double* rows = rows_.data() + b * window_block * cols_;
    const double* middle = rows_.data() + anchor / window_block * window_block * cols_ + anchor % window_block;
    for (i64 c = 0; c < cols_; ++c)
      for (i64 l = 0; l < window_block; ++l) differences[c * window_block + l] = rows[c * window_block + l] - middle[c * window_block];
  }

  // sum w u u' (upper triangle, row by row), sum w u y and sum w^2, with u = (1, x - nearest).
  void add(i64 b, const double* values, double* scaled, const double* differences, double* sums) const {
    const double* y = target_.data() + b * window_block;
    double* with_target = sums + terms_ * (terms_ + 1) / 2;
    double total = 0.0;
    Vec<double> sum = fill(0.0);
    for (i64 l = 0; l < window_block; l += lanes<double>) sum += load(values + l);
    total = lane_sum(sum);
    i64 at = 0;
    sums[at++] += total;
    for (i64 c = 1; c < terms_; ++c) sums[at++] += block_product(values, differences + (c - 1) * window_block);
    with_target[0] += block_product(values, y);
    with_target[terms_] += block_product(values, values);
    for (i64 a = 1; a < terms_; ++a) {
      const double* u = differences + (a - 1) * window_block;
      for (i64 l = 0; l < window_block; ++l) scaled[l] = values[l] * u[l];
      for (i64 c = a; c < terms_; ++c) sums[at++] += block_product(scaled, differences + (c - 1) * window_block);
      with_target[a] += block_product(scaled, y);
    }
  }

  // An empty window: the mean of the rows at the smallest distance stands for it.
  void nearest_rows(const double* distance, const double* nearest, double low, double* sums, i64 each) const {
    for (i64 b = 0; b < blocks_; ++b) {
      if (nearest[b] != low) continue;
      for (i64 l = b * window_block; l < least(p_.x.rows, (b + 1) * window_block); ++l) {
        if (distance[l] != low) continue;
        sums[0] += weight_[l];
        sums[terms_ * (terms_ + 1) / 2] += weight_[l] * target_[l];
        sums[each - 1] += weight_[l] * weight_[l];
      }
    }
  }

  WindowProblem p_;
  i64 cols_, blocks_, padded_, terms_;
  Buffer<double> rows_, weight_, target_;
};

static void window_sums(const WindowProblem& problem) {
  switch (problem.form) {
    case WindowForm::gaussian: WindowSums<GaussianWindow>(problem).run(); break;
    case WindowForm::epanechnikov: WindowSums<EpanechnikovWindow>(problem).run(); break;
    case WindowForm::tricube: WindowSums<TricubeWindow>(problem).run(); break;
    case WindowForm::boxcar: WindowSums<BoxcarWindow>(problem).run(); break;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
