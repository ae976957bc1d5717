// Growth of one boosted tree on histograms: the smaller child is summed, the larger one is the difference to the parent.
// Compiled once; the passes over rows and bins are the loops of the instruction set.
#pragma once
#include <algorithm>
#include <vector>

#include "loops/table.hpp"
#include "trees/boost_limits.hpp"
#include "trees/boost_node.hpp"
#include "trees/flat_tree.hpp"
#include "trees/histogram_pool.hpp"

namespace empirisk {

class BoostGrower {
 public:
  BoostGrower(const BinnedColumns& columns, const BoostLimits& limits, std::int64_t histogram_bytes)
      : in_(columns), limits_(limits), moments(std::size_t(columns.n)), pool_(histogram_bytes) {
    for (auto& side : rows_) side.resize(std::size_t(columns.n));
  }

  // One tree for `moments` on the rows `root` (null rows: all) and the columns `tried` (rising).
  // mean_weight: of a row; it makes the smoothing of categories a number of rows of the mean curvature.
  void grow(const NodeRows& root, const std::vector<std::int32_t>& tried, const MomentScale& scale, std::uint64_t seed, double mean_weight) {
    scale_ = scale, seed_ = seed;
    lay_out(tried);
    nodes_.clear(), frontier_.clear();
    tree_ = FlatTree{};
    BoostNode first;
    first.n = root.n;
    if (root.rows) {
      std::copy(root.rows, root.rows + root.n, rows_[0].begin());
      first.side = 0;
    }
    first.alive.assign(limits_.interactions.size(), 1);
    nodes_.push_back(first);
    tree_.add_leaf(0.0, root.n, 0.0);
    std::int64_t leaves = 1;
    if (may_split(0) && more(leaves)) {
      nodes_[0].histogram = pool_.take();
      build(0, nodes_[0].histogram);
      nodes_[0].total = total_of(nodes_[0].histogram);
      smoothing_ = limits_.smoothing * b_of(nodes_[0].total, scale_) / (double(root.n) * mean_weight);
      consider(0);
    }
    while (!frontier_.empty() && more(leaves)) {
      const int at = next();
      split(at, more(++leaves));
    }
    for (const int at : frontier_) pool_.give_back(nodes_[std::size_t(at)].histogram);
  }

  NodeRows rows_of_node(int at) const {
    const BoostNode& node = nodes_[std::size_t(at)];
    return {node.side < 0 ? nullptr : rows_[node.side].data() + node.begin, node.n};
  }
  const std::vector<BoostNode>& nodes() const { return nodes_; }
  FlatTree& tree() { return tree_; }
  const BinnedColumns& columns() const { return in_; }
  const BoostLimits& limits() const { return limits_; }

 private:
  bool more(std::int64_t leaves) const { return limits_.max_leaves < 0 || leaves < limits_.max_leaves; }
  bool may_split(int at) const {
    const BoostNode& node = nodes_[std::size_t(at)];
    return node.n >= 2 * limits_.min_rows && (limits_.max_depth < 0 || node.depth < limits_.max_depth);
  }

  void lay_out(const std::vector<std::int32_t>& tried) {
    if (tried == tried_) return;
    tried_ = tried;
    start_.assign(1, 0);
    for (const auto j : tried_) start_.push_back(start_.back() + in_.n_bins[j] + 1);
    layout_ = {std::int64_t(tried_.size()), tried_.data(), start_.data(), std::int64_t(tried_.size()) == in_.p};
    pool_.resize(start_.back());
  }

  // Every row lies in one bin of the first column.
  BinSums total_of(int histogram) {
    BinSums total;
    for (std::int64_t i = 0; i < start_[1]; ++i) total.g += pool_[histogram][i].g, total.hc += pool_[histogram][i].hc;
    return total;
  }

  void build(int at, int histogram) {
    const CodedRows coded{in_.by_row, in_.p, moments.data()};
    loops().histogram.build(coded, rows_of_node(at), layout_, scale_.shift, pool_[histogram]);
  }

  // Finds the split of a node that has a histogram; the node waits at the frontier if there is one.
  void consider(int at) {
    BoostNode& node = nodes_[std::size_t(at)];
    node.split = best_split(node);
    if (node.split.column < 0) return pool_.give_back(node.histogram);
    frontier_.push_back(at);
    if (limits_.max_leaves >= 0) std::push_heap(frontier_.begin(), frontier_.end(), after());
  }

  // Heap order: the largest gain first, ties: the older node.
  struct Later {
    const std::vector<BoostNode>* nodes;
    bool operator()(int a, int b) const {
      const double ga = (*nodes)[std::size_t(a)].split.gain, gb = (*nodes)[std::size_t(b)].split.gain;
      return ga != gb ? ga < gb : a > b;
    }
  };
  Later after() const { return {&nodes_}; }

  int next() {
    if (limits_.max_leaves >= 0) std::pop_heap(frontier_.begin(), frontier_.end(), after());
    const int at = frontier_.back();
    frontier_.pop_back();
    return at;
  }

  BoostSplit best_split(const BoostNode& node) {
    BoostSplit best;
    const BinSums* const bins = pool_[node.histogram];
    const SplitRules rules{double(limits_.min_rows), limits_.l2, node.low, node.high};
    choose_columns(node);
    cuts_.clear();
    for (const auto k : chosen_) {
      const auto j = tried_[std::size_t(k)];
      if (in_.n_categories[j] > 0) continue;
      NumericCut cut;
      cut.start = start_[std::size_t(k)], cut.n_bins = int(in_.n_bins[j]), cut.sign = limits_.sign.empty() ? 0 : limits_.sign[std::size_t(j)];
      cuts_.push_back(cut);
    }
    loops().histogram.cuts(bins, node.total, scale_, rules, cuts_.data(), std::int64_t(cuts_.size()));
    const double a = a_of(node.total, scale_), b = b_of(node.total, scale_) + limits_.l2;
    best.gain = std::max(limits_.min_gain, b > 0.0 ? 1e-13 * a * a / b : 0.0);  // less is rounding
    std::size_t number = 0;
    for (const auto k : chosen_) {
      const auto j = tried_[std::size_t(k)];
      if (in_.n_categories[j] == 0) {
        const NumericCut& cut = cuts_[number++];
        if (cut.gain > best.gain) take(best, cut, j, bins);
      } else {
        SubsetCut cut;
        cut.start = start_[std::size_t(k)], cut.n_bins = int(in_.n_bins[j]);
        loops().histogram.subset(bins, node.total, scale_, rules, smoothing_, cut);
        if (cut.gain > best.gain) take(best, cut, j, bins);
      }
    }
    return best;
  }

  void take(BoostSplit& best, const NumericCut& cut, std::int32_t column, const BinSums* bins) {
    best = BoostSplit{cut.gain, column, cut.bin, {}, {}, rows_of(bins[cut.start + cut.n_bins], scale_) > 0, cut.left};
    for (int c = 0; c <= cut.bin; ++c) put(best.set, c);
    put(best.set, cut.n_bins, cut.missing_left);
  }

  void take(BoostSplit& best, const SubsetCut& cut, std::int32_t column, const BinSums* bins) {
    best = BoostSplit{cut.gain, column, -1, {}, {}, rows_of(bins[cut.start + cut.n_bins], scale_) > 0, cut.left};
    for (std::size_t w = 0; w < 4; ++w) best.set[w] = cut.set[w], best.present[w] = cut.present[w];
  }

  // Numbers within `tried_` that this node may ask: allowed by the interaction sets, then drawn at random.
  void choose_columns(const BoostNode& node) {
    chosen_.clear();
    for (std::size_t k = 0; k < tried_.size(); ++k)
      if (allowed(node, tried_[k])) chosen_.push_back(std::int32_t(k));
    const std::size_t wanted = limits_.max_features < 0 ? chosen_.size() : std::size_t(limits_.max_features);
    if (wanted >= chosen_.size()) return;
    std::uint64_t state = seed_ + 0x9e3779b97f4a7c15u * std::uint64_t(&node - nodes_.data() + 1);
    for (std::size_t k = 0; k < wanted; ++k) {
      state += 0x9e3779b97f4a7c15u;
      std::uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      std::swap(chosen_[k], chosen_[k + std::size_t((z ^ (z >> 31)) % (chosen_.size() - k))]);
    }
    chosen_.resize(wanted);
    std::sort(chosen_.begin(), chosen_.end());
  }

  bool allowed(const BoostNode& node, std::int32_t column) const {
    if (limits_.interactions.empty()) return true;
    for (std::size_t s = 0; s < limits_.interactions.size(); ++s)
      if (node.alive[s] && contains(s, column)) return true;
    return false;
  }
  bool contains(std::size_t s, std::int32_t column) const {
    const auto& set = limits_.interactions[s];
    return std::binary_search(set.begin(), set.end(), column);
  }

  void split(int at, bool children_may_split) {
    const std::int32_t first = tree_.add_leaf(0.0, 0, 0.0);
    tree_.add_leaf(0.0, 0, 0.0);
    tree_.feature[std::size_t(at)] = nodes_[std::size_t(at)].split.column;
    tree_.left[std::size_t(at)] = first, tree_.gain[std::size_t(at)] = nodes_[std::size_t(at)].split.gain;
    const BoostNode& parent = nodes_[std::size_t(at)];
    const int side = parent.side == 0 ? 1 : 0;
    const std::int64_t lefts =
        loops().histogram.partition(in_.by_column + std::int64_t(parent.split.column) * in_.n, parent.split.set.data(), rows_of_node(at),
                                    rows_[1 - side].data() + parent.begin, rows_[side].data() + parent.begin);
    BoostNode left, right;
    left.begin = parent.begin, left.n = lefts, right.begin = parent.begin + lefts, right.n = parent.n - lefts;
    left.total = parent.split.left;
    right.total = {parent.total.g - left.total.g, parent.total.hc - left.total.hc};
    left.side = right.side = side, left.depth = right.depth = parent.depth + 1;
    left.alive = right.alive = still_alive(parent);
    bound(parent, left, right);
    tree_.count[std::size_t(first)] = left.n, tree_.count[std::size_t(first) + 1] = right.n;
    nodes_.push_back(left), nodes_.push_back(right);
    if (children_may_split && (may_split(first) || may_split(first + 1))) share_histogram(at, first);
    else pool_.give_back(nodes_[std::size_t(at)].histogram);
  }

  std::vector<std::uint8_t> still_alive(const BoostNode& parent) const {
    std::vector<std::uint8_t> alive = parent.alive;
    for (std::size_t s = 0; s < alive.size(); ++s) alive[s] = alive[s] && contains(s, parent.split.column);
    return alive;
  }

  // Below a monotonic split the values of one side stay below the middle and those of the other above it.
  void bound(const BoostNode& parent, BoostNode& left, BoostNode& right) const {
    left.low = right.low = parent.low, left.high = right.high = parent.high;
    const int sign = limits_.sign.empty() ? 0 : limits_.sign[std::size_t(parent.split.column)];
    if (sign == 0) return;
    const double middle = 0.5 * (value_of(left) + value_of(right));
    (sign > 0 ? left.high : left.low) = middle;
    (sign > 0 ? right.low : right.high) = middle;
  }
  double value_of(const BoostNode& node) const {
    const double h = b_of(node.total, scale_) + limits_.l2;
    return std::clamp(h > 0.0 ? a_of(node.total, scale_) / h : 0.0, node.low, node.high);
  }

  // Histograms of the children: one is summed, the parent's becomes the other's.
  void share_histogram(int at, int first) {
    const int smaller = nodes_[std::size_t(first)].n <= nodes_[std::size_t(first) + 1].n ? first : first + 1, larger = 2 * first + 1 - smaller;
    make_room();
    nodes_[std::size_t(smaller)].histogram = pool_.take();
    build(smaller, nodes_[std::size_t(smaller)].histogram);
    if (nodes_[std::size_t(at)].histogram >= 0) {
      std::swap(nodes_[std::size_t(larger)].histogram, nodes_[std::size_t(at)].histogram);
      loops().histogram.subtract(pool_[nodes_[std::size_t(larger)].histogram], pool_[nodes_[std::size_t(smaller)].histogram], pool_.bins());
    } else {
      nodes_[std::size_t(larger)].histogram = pool_.take();
      build(larger, nodes_[std::size_t(larger)].histogram);
    }
    for (const int child : {first, first + 1}) {
      if (may_split(child)) consider(child);
      else pool_.give_back(nodes_[std::size_t(child)].histogram);
    }
  }

  // Beyond the budget a waiting node gives up its histogram; its children are then summed one by one.
  void make_room() {
    for (std::size_t i = 0; pool_.full() && i < frontier_.size(); ++i) pool_.give_back(nodes_[std::size_t(frontier_[i])].histogram);
  }

  const BinnedColumns in_;
  const BoostLimits limits_;

 public:
  std::vector<RowMoments> moments;  // of all rows, filled in before grow()

 private:
  std::vector<std::int32_t> rows_[2], tried_, chosen_;
  std::vector<std::int64_t> start_;
  HistogramLayout layout_;
  HistogramPool pool_;
  MomentScale scale_;
  std::uint64_t seed_ = 0;
  double smoothing_ = 0.0;
  std::vector<BoostNode> nodes_;
  std::vector<int> frontier_;
  std::vector<NumericCut> cuts_;
  FlatTree tree_;
};

}  // namespace empirisk
