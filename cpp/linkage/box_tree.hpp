// A tree of boxes around rows, for searches whose distances are sums over few columns (Friedman, Bentley and Finkel, ACM Transactions
// on Mathematical Software 3, 1977).
#pragma once
#include "linkage/panels.hpp"

namespace empirisk::EMPIRISK_ISA {

// Boxes of rows, halved across their longest side; a child follows its node. All but the last of the panels are full: the place of a
// row in the order of the tree is that of its lane.
class BoxTree {
 public:
  static constexpr i64 leaf_rows = 2 * wide;

  BoxTree(const double* rows, i64 n, i64 p)
      : n_(n), p_(p), sorted_(n * p), panels_(round_up(n, wide) * p), low_(most_nodes() * p), high_(most_nodes() * p),
        number(round_up(n, wide)), right(most_nodes()), first(most_nodes()), last(most_nodes()), leaf(most_nodes()) {
    std::memcpy(sorted_.data(), rows, sizeof(double) * std::size_t(n * p));
    for (i64 i = 0; i < round_up(n, wide); ++i) number[i] = i < n ? i : -1;
    build(0, n);
  }

  i64 nodes = 0, leaves = 0;

 private:
  i64 n_, p_;
  Buffer<double> sorted_, panels_, low_, high_;

 public:
  Buffer<i64> number;  // the row at a place, or -1
  Buffer<i64> right, first, last, leaf;  // of a node: its second child or -1, its panels; and the node of each leaf
  const double* panels() const { return panels_.data(); }
  const double* row_at(i64 place) const { return sorted_.data() + place * p_; }
  i64 begin(i64 node) const { return first[node] * wide; }
  i64 end(i64 node) const { return least(n_, last[node] * wide); }

  // A bound below all distances to a box, as they are computed.
  template <class Metric>
  EMPIRISK_INLINE double bound(const double* row, i64 node) const {
    return between<Metric>(row, row, node);
  }

  // A bound below all distances between the rows of two boxes.
  template <class Metric>
  EMPIRISK_INLINE double bound(i64 node, i64 other) const {
    return between<Metric>(low_.data() + node * p_, high_.data() + node * p_, other);
  }

  // Bounds below the distances of the rows of a panel to a box.
  template <class Metric>
  EMPIRISK_INLINE Lanes bounds(i64 panel, i64 node) const {
    const double *low = low_.data() + node * p_, *high = high_.data() + node * p_, *x = panels_.data() + panel * p_ * wide;
    Lanes sum = fill(0.0);
    for (i64 d = 0; d < p_; ++d, x += wide) Metric::add(sum, larger(fill(0.0), larger(fill(low[d]) - load(x), load(x) - fill(high[d]))));
    return Metric::finish(sum) * fill(1.0 - 1e-13);
  }

 private:
  i64 most_nodes() const { return 4 * ceil_div(n_, leaf_rows) + 4; }

  template <class Metric>
  EMPIRISK_INLINE double between(const double* from, const double* to, i64 node) const {
    const double *low = low_.data() + node * p_, *high = high_.data() + node * p_;
    double sum = 0.0;
    for (i64 d = 0; d < p_; ++d) sum += Metric::one(most(0.0, most(low[d] - to[d], from[d] - high[d])));
    return sum * (1.0 - 1e-13);
  }

  i64 build(i64 from, i64 to) {
    const i64 node = nodes++;
    first[node] = from / wide;
    last[node] = ceil_div(to, wide);
    double *low = low_.data() + node * p_, *high = high_.data() + node * p_;
    for (i64 d = 0; d < p_; ++d) {
      low[d] = infinite;
      high[d] = -infinite;
    }
    for (i64 k = from; k < to; ++k) {
      for (i64 d = 0; d < p_; ++d) {
        const double v = sorted_[k * p_ + d];
        low[d] = v < low[d] ? v : low[d];
        high[d] = v > high[d] ? v : high[d];
      }
    }
    if (to - from <= leaf_rows) {
      right[node] = -1;
      leaf[leaves++] = node;
      copy(from, to);
      return node;
    }
    i64 axis = 0;
    for (i64 d = 1; d < p_; ++d)
      if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
    const i64 middle = from + round_up((to - from) / 2, wide);
    select(from, to - 1, middle, axis);
    build(from, middle);
    right[node] = build(middle, to);
    return node;
  }

  bool smaller(i64 place, double value, i64 row, i64 axis) const {
    const double v = sorted_[place * p_ + axis];
    return v < value || (v == value && number[place] < row);
  }

  bool larger_than(i64 place, double value, i64 row, i64 axis) const {
    const double v = sorted_[place * p_ + axis];
    return v > value || (v == value && number[place] > row);
  }

  // Puts the rows that belong before place k there (Hoare's selection).
  void select(i64 low, i64 high, i64 k, i64 axis) {
    while (low < high) {
      const i64 middle = low + (high - low) / 2, pivot = number[middle];
      const double value = sorted_[middle * p_ + axis];
      i64 i = low, j = high;
      while (i <= j) {
        while (smaller(i, value, pivot, axis)) ++i;
        while (larger_than(j, value, pivot, axis)) --j;
        if (i <= j) exchange(i++, j--);
      }
      if (k <= j) high = j;
      else if (k >= i) low = i;
      else return;
    }
  }

  void exchange(i64 i, i64 j) {
    const i64 row = number[i];
    number[i] = number[j];
    number[j] = row;
    double *a = sorted_.data() + i * p_, *b = sorted_.data() + j * p_;
    for (i64 d = 0; d < p_; ++d) {
      const double v = a[d];
      a[d] = b[d];
      b[d] = v;
    }
  }

  void copy(i64 from, i64 to) {
    for (i64 k = from; k < round_up(to, wide); ++k) {
      double* lane = panels_.data() + k / wide * wide * p_ + k % wide;
      for (i64 d = 0; d < p_; ++d) lane[d * wide] = k < to ? sorted_[k * p_ + d] : infinite;
    }
  }
};

}  // namespace empirisk::EMPIRISK_ISA
