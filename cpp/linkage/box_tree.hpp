// A tree of boxes around rows, for searches whose distances are sums over few columns (Friedman, Bentley and Finkel, ACM Transactions
// on Mathematical Software 3, 1977).
#pragma once
#include "linkage/panels.hpp"

namespace empirisk::EMPIRISK_ISA {

// Boxes of rows, halved across their longest side; a child follows its node. Leaves hold whole panels.
class BoxTree {
 public:
  static constexpr i64 leaf_rows = 2 * wide;

  BoxTree(const double* rows, i64 n, i64 p)
      : x_(rows), n_(n), p_(p), order_(n_), data_(4 * (n_ + wide) * p_), number(4 * (n_ + wide)),
        low_(most_nodes() * p_), high_(most_nodes() * p_), right(most_nodes()), first(most_nodes()), last(most_nodes()), leaf(most_nodes()) {
    for (i64 i = 0; i < n_; ++i) order_[i] = i;
    build(0, n_);
  }

  i64 nodes = 0, leaves = 0;

 private:
  const double* x_;
  i64 n_, p_, panels_ = 0;
  Buffer<i64> order_;
  Buffer<double> data_;

 public:
  Buffer<i64> number;  // the row of a lane, or -1

 private:
  Buffer<double> low_, high_;

 public:
  Buffer<i64> right, first, last, leaf;  // of a node: its second child or -1, its panels; and the node of each leaf
  const double* rows() const { return data_.data(); }

  // A bound below all distances to a box, as they are computed.
  template <class Metric>
  EMPIRISK_INLINE double bound(const double* row, i64 node) const {
    const double *low = low_.data() + node * p_, *high = high_.data() + node * p_;
    double sum = 0.0;
    for (i64 d = 0; d < p_; ++d) sum += Metric::one(most(0.0, most(low[d] - row[d], row[d] - high[d])));
    return sum * (1.0 - 1e-13);
  }

 private:
  i64 most_nodes() const { return 4 * ceil_div(n_, leaf_rows) + 4; }

  i64 build(i64 begin, i64 end) {
    const i64 node = nodes++;
    double *low = low_.data() + node * p_, *high = high_.data() + node * p_;
    for (i64 d = 0; d < p_; ++d) {
      low[d] = infinite;
      high[d] = -infinite;
      for (i64 k = begin; k < end; ++k) {
        const double v = x_[order_[k] * p_ + d];
        low[d] = v < low[d] ? v : low[d];
        high[d] = v > high[d] ? v : high[d];
      }
    }
    if (end - begin <= leaf_rows) {
      right[node] = -1;
      leaf[leaves++] = node;
      keep(node, begin, end);
      return node;
    }
    i64 axis = 0;
    for (i64 d = 1; d < p_; ++d)
      if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
    const i64 middle = begin + round_up((end - begin) / 2, wide);
    select(begin, end - 1, middle, axis);
    build(begin, middle);
    right[node] = build(middle, end);
    return node;
  }

  bool smaller_at(i64 a, i64 b, i64 axis) const {
    const double u = x_[a * p_ + axis], v = x_[b * p_ + axis];
    return u < v || (u == v && a < b);
  }

  // Puts the rows that belong before place k there (Hoare's selection).
  void select(i64 low, i64 high, i64 k, i64 axis) {
    while (low < high) {
      const i64 pivot = order_[low + (high - low) / 2];
      i64 i = low, j = high;
      while (i <= j) {
        while (smaller_at(order_[i], pivot, axis)) ++i;
        while (smaller_at(pivot, order_[j], axis)) --j;
        if (i <= j) {
          const i64 t = order_[i];
          order_[i++] = order_[j];
          order_[j--] = t;
        }
      }
      if (k <= j) high = j;
      else if (k >= i) low = i;
      else return;
    }
  }

  void keep(i64 node, i64 begin, i64 end) {
    first[node] = panels_;
    for (i64 k = begin; k < begin + round_up(end - begin, wide); ++k) {
      const i64 at = panels_ * wide + (k - begin), row = k < end ? order_[k] : -1;
      number[at] = row;
      double* to = data_.data() + at / wide * wide * p_ + at % wide;
      for (i64 d = 0; d < p_; ++d) to[d * wide] = row < 0 ? infinite : x_[row * p_ + d];
    }
    panels_ += ceil_div(end - begin, wide);
    last[node] = panels_;
  }
};

}  // namespace empirisk::EMPIRISK_ISA
