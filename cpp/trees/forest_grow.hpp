// One tree of a forest. The rows of a node lie side by side and keep their order; a split moves them.
//
// Once the codes of a node's rows fit into the second-level cache they are copied there and its subtree is grown on the copy;
// and once more for the first-level cache. Depth-first growth uses one copy a level, whatever the size of the tree.
#pragma once
#include "trees/flat_tree.hpp"
#include "trees/forest_nodes.hpp"
#include "trees/forest_split.hpp"

namespace empirisk::EMPIRISK_ISA {

template <class Model>
class TreeGrower {
 public:
  using Entry = typename Model::Entry;

  TreeGrower(const ForestData& d, Model& model, i64 most_rows)
      : d_(d), model_(model), search_(d, model), rows_(most_rows), spare_(most_rows), near_(near_bytes), nearest_(nearest_bytes) {}

  Entry* rows() { return rows_.data(); }

  // Grows the tree on the first m rows.
  void grow(u64 tree_number, i64 m, FlatTree& tree, CodeTree& coded) {
    tree_ = &tree, coded_ = &coded;
    coded.clear();
    Draws draws(d_.limits.seed, tree_number, Purpose::nodes);
    draws_ = &draws;
    open_.clear(), heap_.clear();
    search_.restart();
    leaves_ = 1;
    const Open root{new_leaf(), 0, 0, m, 0, 0, {-infinity, infinity}};
    if (d_.limits.max_leaves < 0) depth_first(root);
    else best_first(root);
    sum_costs();
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr i64 near_bytes = 256 << 10, nearest_bytes = 16 << 10;

  struct Open {
    i32 node;
    i32 depth;
    i64 first, count;
    i64 constants;
    int level;  // 0: the table, 1 and 2: its copies
    Bounds bounds;
  };
  struct Waiting {
    double gain;
    Open open;
    Split split;
    // The heap's top: the largest gain, then the older node.
    bool operator<(const Waiting& other) const { return gain < other.gain || (gain == other.gain && open.node > other.open.node); }
  };

  void depth_first(const Open& root) {
    open_.push_back(root);
    while (!open_.empty()) {
      Open open = open_.back();
      open_.pop_back();
      bring_near(open);
      Split split;
      double gain;
      if (!visit(open, split, gain)) continue;
      const auto [left, right] = divide(open, split, gain);
      open_.push_back(right);
      open_.push_back(left);
    }
  }

  void best_first(const Open& root) {
    const auto wait = [&](Open open) {
      Waiting w{0.0, open, Split{}};
      if (!visit(w.open, w.split, w.gain)) return;
      w.open.constants = 0;  // the order of features is not that of the path
      heap_.push_back(w);
      std::push_heap(heap_.begin(), heap_.end());
    };
    wait(root);
    while (!heap_.empty() && leaves_ < d_.limits.max_leaves) {
      std::pop_heap(heap_.begin(), heap_.end());
      const Waiting next = heap_.back();
      heap_.pop_back();
      const auto [left, right] = divide(next.open, next.split, next.gain);
      wait(left);
      wait(right);
    }
  }

  i32 new_leaf() {
    coded_->nodes.emplace_back();
    return tree_->add_leaf(0.0, 0, 0.0);
  }

  const u8* codes(int level) const { return level == 0 ? d_.codes : level == 1 ? near_.data() : nearest_.data(); }

  void bring_near(Open& open) {
    for (int level = open.level + 1; level <= 2; ++level) {
      if (open.count * d_.stride > (level == 1 ? near_bytes : nearest_bytes)) return;
      if (level == 1 && open.count * d_.stride <= nearest_bytes) continue;
      const u8* from = codes(open.level);
      u8* to = level == 1 ? near_.data() : nearest_.data();
      Entry* e = rows_.data() + open.first;
      for (i64 i = 0; i < open.count; ++i, to += d_.stride) {
        const u8* row = from + i64(e[i].row) * d_.stride;
        for (i64 b = 0; b < d_.stride; b += 16) std::memcpy(to + b, row + b, 16);
        e[i].row = u32(i);
      }
      open.level = level;
    }
  }

  // Writes down what is known of a node; whether it has a split, and which.
  bool visit(Open& open, Split& split, double& gain) {
    const Entry* e = rows_.data() + open.first;
    model_.open(e, open.count);
    tree_->weight[open.node] = model_.weight(), tree_->count[open.node] = open.count;
    write_value(open);
    const GrowthLimits& limits = d_.limits;
    const bool may = open.count > 1 && model_.rows() >= double(limits.min_rows_split) && model_.rows() >= 2.0 * double(limits.min_rows_leaf) &&
                     model_.weight() >= 2.0 * limits.min_weight_leaf && (limits.max_depth < 0 || open.depth < limits.max_depth) &&
                     !model_.pure(e, open.count);
    if (may) {
      split = search_.find(e, open.count, codes(open.level), *draws_, open.bounds, open.constants);
      gain = model_.scale() * split.num / split.den;
      if (split.feature >= 0 && gain >= limits.min_gain) return true;
    }
    tree_->heterogeneity[open.node] = model_.cost(e, open.count) / model_.weight();
    return false;
  }

  void write_value(const Open& open) {
    double* value = tree_->value_of(open.node);
    if constexpr (Model::two_moments) {
      if (d_.monotonic) return model_.leaf_at(std::clamp(model_.mean(), open.bounds.low, open.bounds.high), value);
    }
    model_.leaf(value);
  }

  struct Children {
    Open left, right;
  };

  Children divide(const Open& open, Split split, double gain) {
    const bool heavier_left = 2.0 * split.left_weight >= tree_->weight[open.node];
    if (!split.saw_missing) split.missing_left = heavier_left;
    const i32 first = new_leaf();
    new_leaf();
    write_split(open.node, first, split, heavier_left, gain);
    const i64 left = partition(open, coded_->nodes[std::size_t(open.node)]);
    ++leaves_;
    Children c{{first, open.depth + 1, open.first, left, open.constants, open.level, open.bounds},
               {first + 1, open.depth + 1, open.first + left, open.count - left, open.constants, open.level, open.bounds}};
    if constexpr (Model::two_moments) {
      if (d_.monotonic && d_.monotonic[split.feature] != 0) bound(c, split);
    }
    return c;
  }

  // Means below an increasing split stay on their side of the middle of its two means.
  void bound(Children& c, const Split& split) {
    const auto mean = [&](const Open& child) {
      model_.open(rows_.data() + child.first, child.count);
      return std::clamp(model_.mean(), child.bounds.low, child.bounds.high);
    };
    const double middle = 0.5 * (mean(c.left) + mean(c.right));
    if (d_.monotonic[split.feature] > 0) c.left.bounds.high = middle, c.right.bounds.low = middle;
    else c.left.bounds.low = middle, c.right.bounds.high = middle;
  }

  void write_split(i32 node, i32 first, const Split& s, bool heavier_left, double gain) {
    CodeNode& coded = coded_->nodes[std::size_t(node)];
    const CodeBook& book = d_.book;
    const int missing = int(book.n_bins[s.feature]);
    coded.left = first, coded.feature = s.feature;
    if (!s.categorical) {
      coded.cut = u8(s.cut), coded.also_left = s.missing_left ? u8(missing) : u8(s.cut);
      const i64 at = book.cut_start[s.feature] + s.cut;
      const double cut = at < book.cut_start[s.feature + 1] ? book.cuts[at] : infinity;
      return tree_->split_number(node, first, s.feature, cut, s.missing_left, gain);
    }
    CodeSet set = s.left;  // categories that the node did not see go with the heavier child
    for (int c = 0; c < missing; ++c)
      if (heavier_left && !s.present.has(c)) set.add(c);
    if (s.missing_left) set.add(missing);
    coded.set = i32(coded_->sets.size());
    coded_->sets.push_back(set);
    const i64 categories = book.n_categories[s.feature];
    words_.assign(std::size_t(ceil_div(categories, 32)), 0u);
    for (i64 k = 0; k < categories; ++k)
      if (set.has(book.category_codes[book.code_start[s.feature] + k])) words_[std::size_t(k / 32)] |= u32(1) << (k % 32);
    tree_->split_categories(node, first, s.feature, words_, s.missing_left, gain);
  }

  // Moves the rows that go left to the front; how many they are.
  i64 partition(const Open& open, const CodeNode& node) {
    Entry* e = rows_.data() + open.first;
    Entry* spare = spare_.data();
    const u8* column = codes(open.level) + node.feature;
    i64 left = 0, right = 0;
    const auto move = [&](const auto& goes_left) {
      for (i64 i = 0; i < open.count; ++i) {
        const Entry row = e[i];
        const bool l = goes_left(column[i64(row.row) * d_.stride]);
        e[left] = row, spare[right] = row;
        left += l, right += !l;
      }
    };
    if (node.set >= 0) {
      const CodeSet set = coded_->sets[std::size_t(node.set)];
      move([&](int c) { return set.has(c); });
    } else {
      const int cut = node.cut, also = node.also_left;
      move([&](int c) { return (c <= cut) | (c == also); });
    }
    std::memcpy(static_cast<void*>(e + left), spare, std::size_t(right) * sizeof(Entry));
    return left;
  }

  // Heterogeneity of inner nodes from below: the costs of both sides and what the split took away.
  void sum_costs() {
    FlatTree& t = *tree_;
    for (i64 node = t.size() - 1; node >= 0; --node) {
      if (t.feature[std::size_t(node)] < 0) continue;
      const std::size_t l = std::size_t(t.left[std::size_t(node)]), r = l + 1;
      const double cost = t.weight[l] * t.heterogeneity[l] + t.weight[r] * t.heterogeneity[r] + t.gain[std::size_t(node)];
      t.heterogeneity[std::size_t(node)] = cost / t.weight[std::size_t(node)];
    }
  }

  const ForestData& d_;
  Model& model_;
  SplitSearch<Model> search_;
  Buffer<Entry> rows_, spare_;
  Buffer<u8> near_, nearest_;
  std::vector<Open> open_;
  std::vector<Waiting> heap_;
  std::vector<u32> words_;
  FlatTree* tree_ = nullptr;
  CodeTree* coded_ = nullptr;
  Draws* draws_ = nullptr;
  i64 leaves_ = 1;
};

}  // namespace empirisk::EMPIRISK_ISA
