// The rows of a node for the absolute error, whose medians are no function of sums.
//
// The rows of the root stand in the order of their targets, and splits keep the order of rows: the place of a row among its
// node's targets is its number there, and no node sorts. The weights and sums of the rows on the left lie in a binary indexed
// tree (of Fenwick) over these places, so that moving a row and finding a median cost O(log rows); the right side is what is left of the whole node.
#pragma once
#include <bit>
#include <cmath>

#include "trees/rows_by_code.hpp"

namespace empirisk::EMPIRISK_ISA {

class MedianModel {
 public:
  struct Entry {
    u32 row, draws;
    double y, weight;
  };
  static constexpr int most_features = 1;
  static constexpr bool two_moments = false;

  MedianModel(const ForestData& d, NoGain) : by_code_(most_rows(d)), whole_(most_rows(d) + 1), left_(most_rows(d) + 1) {}

  static Entry entry(const ForestData& d, i64 i, i32 draws) { return {u32(i), u32(draws), d.y[i], (d.weight ? d.weight[i] : 1.0) * draws}; }

  // -- the node --
  void open(const Entry* e, i64 m) {
    e_ = e, m_ = m, indexed_ = false;
    rows_ = 0.0, total_ = Moved{};
    for (i64 i = 0; i < m; ++i) rows_ += double(e[i].draws), total_.weight += e[i].weight;
    median_ = middle();
    cost_ = 0.0;
    for (i64 i = 0; i < m; ++i) cost_ += e[i].weight * std::fabs(e[i].y - median_);
  }
  bool pure(const Entry* e, i64 m) const { return e[0].y == e[m - 1].y; }
  double rows() const { return rows_; }
  double weight() const { return total_.weight; }
  double scale() const { return 1.0; }
  void leaf(double* value) const { value[0] = median_; }
  double cost(const Entry*, i64) const { return cost_; }

  // -- the rows of one feature, sorted by code --
  void collect(const Entry* e, i64 m, const u8* codes, i64 stride, const i32* features, int) {
    if (!indexed_) index();
    by_code_.collect(e, m, codes + features[0], stride, [](i64 i) { return u32(i); });
  }
  const CodeSet& present(int) const { return by_code_.present(); }
  void forget(int) { by_code_.forget(); }

  // -- rows moved to the left, code by code --
  void start(int) {
    std::memset(static_cast<void*>(left_.data()), 0, sizeof(Moved) * std::size_t(m_ + 1));
    moved_ = Moved{}, left_rows_ = 0.0;
  }
  void move(int c) {
    by_code_.each(c, [this](u32 place) {
      const Moved row = at(place);
      moved_ += row, left_rows_ += double(e_[place].draws);
      for (i64 k = i64(place) + 1; k <= m_; k += k & -k) left_[k] += row;
    });
  }
  bool judge(double min_rows, double min_weight, double& num, double& den) const {
    const Moved right{total_.weight - moved_.weight, total_.sum - moved_.sum};
    if (left_rows_ < min_rows || rows_ - left_rows_ < min_rows || moved_.weight < min_weight || right.weight < min_weight || !(right.weight > 0.0))
      return false;
    const double left_cost = least_cost(moved_, [this](i64 k) { return left_[k]; });
    const double right_cost = least_cost(right, [this](i64 k) { return Moved{whole_[k].weight - left_[k].weight, whole_[k].sum - left_[k].sum}; });
    const double gain = cost_ - left_cost - right_cost;
    num = gain > 1e-12 * cost_ ? gain : 0.0, den = 1.0;  // below is rounding, which would decide between equal cuts
    return true;
  }
  double left_weight() const { return moved_.weight; }

  // Categories are sorted by their medians, a heuristic.
  int orders() const { return 1; }
  double key(int, int c) const {
    double total = 0.0, below = 0.0, found = 0.0;
    by_code_.each(c, [&](u32 place) { total += e_[place].weight; });
    by_code_.each(c, [&](u32 place) {
      if (below < 0.5 * total) found = e_[place].y;
      below += e_[place].weight;
    });
    return found;
  }

 private:
  struct Moved {  // of a set of rows; targets are counted from the median of the node, near which their sums keep their digits
    double weight = 0.0, sum = 0.0;
    void operator+=(const Moved& x) { weight += x.weight, sum += x.sum; }
  };

  Moved at(i64 place) const { return {e_[place].weight, e_[place].weight * (e_[place].y - median_)}; }

  // The middle of the interval of medians.
  double middle() const {
    double below = 0.0;
    for (i64 i = 0; i < m_; ++i) {
      below += e_[i].weight;
      if (below > 0.5 * total_.weight) return e_[i].y;
      if (below == 0.5 * total_.weight && i + 1 < m_) return 0.5 * e_[i].y + 0.5 * e_[i + 1].y;
    }
    return e_[m_ - 1].y;
  }

  void index() {
    std::memset(static_cast<void*>(whole_.data()), 0, sizeof(Moved) * std::size_t(m_ + 1));
    total_.sum = 0.0;
    for (i64 k = 1; k <= m_; ++k) {
      const Moved row = at(k - 1);
      total_.sum += row.sum, whole_[k] += row;
      if (const i64 next = k + (k & -k); next <= m_) whole_[next] += whole_[k];
    }
    indexed_ = true;
  }

  // sum w |y - median| over a set, whose part below place k is a sum of nodes(k): found by halving.
  template <class Nodes>
  double least_cost(const Moved& all, const Nodes& nodes) const {
    Moved below;
    i64 place = 0;
    for (i64 step = i64(std::bit_floor(std::uint64_t(m_))); step > 0; step /= 2) {
      if (place + step > m_) continue;
      const Moved node = nodes(place + step);
      if (below.weight + node.weight < 0.5 * all.weight) place += step, below += node;
    }
    const double median = e_[least(place, m_ - 1)].y - median_;
    return (all.sum - 2.0 * below.sum) - median * (all.weight - 2.0 * below.weight);
  }

  RowsByCode<u32> by_code_;
  Buffer<Moved> whole_, left_;
  const Entry* e_ = nullptr;
  i64 m_ = 0;
  Moved total_, moved_;
  double rows_ = 0.0, median_ = 0.0, cost_ = 0.0, left_rows_ = 0.0;
  bool indexed_ = false;
};

}  // namespace empirisk::EMPIRISK_ISA
