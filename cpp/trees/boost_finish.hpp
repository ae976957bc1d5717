// What a grown tree becomes: exact values and weights of its nodes, cuts in the units of X, sets of categories, new scores.
#pragma once
#include "trees/boost_grow.hpp"

namespace empirisk {

class BoostTree {
 public:
  explicit BoostTree(BoostGrower& grower) : grower_(grower), tree_(grower.tree()) {
    for (std::size_t v = 0; v < grower_.nodes().size(); ++v)
      if (tree_.feature[v] < 0) leaves_.push_back(std::int32_t(v)), rows_.push_back(grower_.rows_of_node(int(v)));
  }

  const std::vector<NodeRows>& rows() const { return rows_; }

  // Values rate * a / (b + l2) from sums in double over the rows, within the monotonic bounds and -+ longest.
  void finish(const DerivativeRows& d, double rate, double longest) {
    std::vector<LeafSums> leaf(leaves_.size());
    loops().histogram.leaf_sums(d, rows_.data(), std::int64_t(rows_.size()), leaf.data());
    sums_.assign(grower_.nodes().size(), LeafSums{});
    for (std::size_t l = 0; l < leaves_.size(); ++l) sums_[std::size_t(leaves_[l])] = leaf[l];
    for (std::size_t v = sums_.size(); v-- > 0;) {
      LeafSums& s = sums_[v];
      if (tree_.feature[v] >= 0) {
        const LeafSums &x = sums_[std::size_t(tree_.left[v])], &y = sums_[std::size_t(tree_.left[v]) + 1];
        s = {x.g + y.g, x.h + y.h, x.weight + y.weight};
      }
      const BoostNode& node = grower_.nodes()[v];
      const double h = s.h + grower_.limits().l2;
      tree_.value[v] = std::clamp(rate * std::clamp(h > 0.0 ? -s.g / h : 0.0, node.low, node.high), -longest, longest);
      tree_.weight[v] = s.weight;
      tree_.heterogeneity[v] = s.weight > 0.0 && h > 0.0 ? -s.g * s.g / h / s.weight : 0.0;
    }
    route();
  }

  // Other values of the leaves, moved into the order that monotonic constraints ask for; an inner node has the weighted mean
  // of its children.
  void set_values(const double* values) {
    for (std::size_t l = 0; l < leaves_.size(); ++l) tree_.value[std::size_t(leaves_[l])] = values[l];
    average();
    if (grower_.limits().sign.empty()) return;
    order();
    average();
  }

  void add_to_rows(double* z) const {
    std::vector<double> values;
    for (const auto v : leaves_) values.push_back(tree_.value[std::size_t(v)]);
    loops().histogram.add_values(rows_.data(), std::int64_t(rows_.size()), values.data(), z);
  }

  void add_to(const std::uint8_t* codes, const NodeRows& rows, double* z) const {
    const CodeTree t{tree_.feature.data(), tree_.left.data(), sets_.data(), tree_.value.data()};
    loops().histogram.add_tree(t, codes, grower_.columns().p, rows, z);
  }

  const std::vector<std::uint64_t>& sets() const { return sets_; }

 private:
  void average() {
    for (std::size_t v = sums_.size(); v-- > 0;) {
      if (tree_.feature[v] < 0) continue;
      const std::size_t x = std::size_t(tree_.left[v]), y = x + 1;
      const double all = sums_[x].weight + sums_[y].weight;
      tree_.value[v] = all > 0.0 ? (sums_[x].weight * tree_.value[x] + sums_[y].weight * tree_.value[y]) / all : 0.0;
    }
  }

  // Below a monotonic split one side stays below the middle of the two means, the other above it.
  void order() {
    std::vector<double> low(sums_.size(), -1e308), high(sums_.size(), 1e308);
    for (std::size_t v = 0; v < sums_.size(); ++v) {
      tree_.value[v] = std::clamp(tree_.value[v], low[v], high[v]);
      if (tree_.feature[v] < 0) continue;
      const std::size_t x = std::size_t(tree_.left[v]), y = x + 1;
      low[x] = low[y] = low[v], high[x] = high[y] = high[v];
      const int sign = grower_.limits().sign[std::size_t(tree_.feature[v])];
      if (sign == 0) continue;
      const double middle = std::clamp(0.5 * (tree_.value[x] + tree_.value[y]), low[v], high[v]);
      (sign > 0 ? high[x] : low[x]) = middle;
      (sign > 0 ? low[y] : high[y]) = middle;
    }
  }

  // Where missing values and categories go that the node did not see: with the heavier child.
  void route() {
    const BinnedColumns& in = grower_.columns();
    sets_.assign(4 * sums_.size(), 0);
    for (std::size_t v = 0; v < sums_.size(); ++v) {
      if (tree_.feature[v] < 0) continue;
      const BoostSplit& split = grower_.nodes()[v].split;
      const std::int64_t j = split.column, n_bins = in.n_bins[j];
      CodeSet set = split.set;
      const std::size_t first = std::size_t(tree_.left[v]);
      const bool heavier_left = sums_[first].weight >= sums_[first + 1].weight;
      const bool missing_left = split.saw_missing ? has(set, int(n_bins)) : heavier_left;
      tree_.missing_left[v] = missing_left;
      put(set, int(n_bins), missing_left);
      if (in.n_categories[j] > 0) {
        for (int c = 0; c < n_bins; ++c)
          if (!has(split.present, c)) put(set, c, heavier_left);
        add_words(v, set);
      } else {
        tree_.threshold[v] = split.bin + 1 < n_bins ? in.cuts[in.cut_start[j] + split.bin] : std::numeric_limits<double>::infinity();
      }
      std::copy(set.begin(), set.end(), sets_.begin() + std::ptrdiff_t(4 * v));
    }
  }

  void add_words(std::size_t v, const CodeSet& set) {
    const BinnedColumns& in = grower_.columns();
    const std::int64_t j = tree_.feature[v], count = in.n_categories[j];
    tree_.category_start[v] = std::int64_t(tree_.category_words.size());
    tree_.category_words.resize(tree_.category_words.size() + std::size_t((count + 31) / 32), 0);
    std::uint32_t* const words = tree_.category_words.data() + tree_.category_start[v];
    for (std::int64_t c = 0; c < count; ++c)
      if (has(set, in.codes[in.code_start[j] + c])) words[c / 32] |= std::uint32_t(1) << (c % 32);
  }

  BoostGrower& grower_;
  FlatTree& tree_;
  std::vector<std::int32_t> leaves_;
  std::vector<NodeRows> rows_;
  std::vector<LeafSums> sums_;
  std::vector<std::uint64_t> sets_;
};

// The trees of one output, one after the other.
struct BoostForest {
  FlatTree all;
  std::vector<std::int64_t> start{0};
  std::vector<std::uint64_t> last_sets;  // of the last tree

  // Other values of the last tree: the present ones times a factor.
  void shorten(double factor) {
    for (std::size_t v = std::size_t(start[start.size() - 2]); v < all.value.size(); ++v) all.value[v] *= factor;
  }

  void add_last(const std::uint8_t* codes, std::int64_t stride, const NodeRows& rows, double* z) const {
    const auto at = std::ptrdiff_t(start[start.size() - 2]);
    loops().histogram.add_tree({all.feature.data() + at, all.left.data() + at, last_sets.data(), all.value.data() + at}, codes, stride, rows, z);
  }

  void add(const FlatTree& t, const std::vector<std::uint64_t>& sets) {
    last_sets = sets;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    const auto words = std::int64_t(all.category_words.size());
    for (const auto s : t.category_start) all.category_start.push_back(s < 0 ? -1 : s + words);
    append(all.feature, t.feature), append(all.left, t.left), append(all.threshold, t.threshold), append(all.value, t.value);
    append(all.weight, t.weight), append(all.gain, t.gain), append(all.heterogeneity, t.heterogeneity);
    append(all.missing_left, t.missing_left), append(all.count, t.count), append(all.category_words, t.category_words);
    start.push_back(all.size());
  }
};

}  // namespace empirisk
