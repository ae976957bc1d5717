// From the arrays of Trees to the structs of packed.hpp, with every check that the loops rely on.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trees/packed.hpp"

namespace empirisk {

// The arrays of Trees (src/empirisk/trees/structure.py).
struct TreeArrays {
  std::int64_t n_trees = 0, n_nodes = 0, n_columns = 0, n_words = 0;
  const std::int64_t* start = nullptr;
  const std::int32_t *feature = nullptr, *left = nullptr;
  const double* threshold = nullptr;
  const bool* missing_left = nullptr;
  const std::int64_t* category_start = nullptr;  // null: no node asks for categories
  const std::uint32_t* words = nullptr;
  const std::int64_t* n_categories = nullptr;

  bool categorical(std::int64_t at) const { return category_start && category_start[at] >= 0; }
};

constexpr std::int32_t most_small_leaves = 64;

// An empty string, or why these arrays are no trees. Children stand after their parent, and every node but the root is the child
// of one node: so loops end, and a pass over the node numbers meets parents first.
inline std::string check_trees(const TreeArrays& a) {
  if (a.n_columns >= slot_mask) return "more columns than node structs can name";
  if (a.n_trees < 1 || a.start[0] != 0 || a.start[a.n_trees] != a.n_nodes) return "start does not delimit the nodes of the trees";
  for (std::int64_t t = 0; t < a.n_trees; ++t) {
    const std::int64_t root = a.start[t], size = a.start[t + 1] - root;
    if (size < 1 || size > std::numeric_limits<std::int32_t>::max()) return "a tree needs between 1 and 2^31 - 1 nodes";
    std::vector<bool> child(std::size_t(size), false);
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t at = root + i, left = a.left[at];
      const auto where = [&] { return "node " + std::to_string(i) + " of tree " + std::to_string(t); };
      if (a.feature[at] < 0) continue;
      if (a.feature[at] >= a.n_columns) return where() + " asks a column that does not exist";
      if (left <= i || left + 1 >= size || child[left] || child[left + 1]) return where() + " has children that are not two new nodes after it";
      child[left] = child[left + 1] = true;
      if (a.categorical(at)) {
        const std::int64_t c = a.n_categories[a.feature[at]];
        if (c < 1 || a.category_start[at] + (c + 31) / 32 > a.n_words) return where() + " has no complete category set";
      } else if (std::isnan(a.threshold[at])) {
        return where() + " has the threshold NaN";
      }
    }
    for (std::int64_t i = 1; i < size; ++i)
      if (!child[i]) return "node " + std::to_string(i) + " of tree " + std::to_string(t) + " is no node's child";
  }
  return "";
}

class PackedTrees {
 public:
  // The arrays must have passed check_trees; nothing of them is kept.
  explicit PackedTrees(const TreeArrays& a) : n_columns_(a.n_columns), n_nodes_(a.n_nodes), words_(a.words, a.words + a.n_words) {
    slot_.assign(std::size_t(a.n_columns), -1);
    for (std::int64_t at = 0; at < a.n_nodes; ++at)
      if (a.feature[at] >= 0) slot_[a.feature[at]] = 0;
    for (std::int64_t j = 0; j < a.n_columns; ++j)
      if (slot_[j] == 0) slot_[j] = std::int32_t(column_.size()), column_.push_back(std::int32_t(j)), n_categories_.push_back(a.n_categories[j]);
    nodes_.resize(std::size_t(a.n_nodes));
    plans_.resize(std::size_t(a.n_trees));
    for (std::int64_t t = 0; t < a.n_trees; ++t) {
      add_nodes(a, t);
      add_sets(a, t);
    }
  }

  std::int64_t n_nodes() const { return n_nodes_; }
  std::int64_t n_columns() const { return n_columns_; }
  const std::vector<TreePlan>& plans() const { return plans_; }
  const std::vector<std::int32_t>& leaf_node() const { return leaf_node_; }

  TreeView view() const {
    return {std::int64_t(plans_.size()), n_columns_, std::int64_t(column_.size()), nodes_.data(), plans_.data(), bits_.data(),
            tables_.data(), masks_.data(), leaf_node_.data(), words_.data(), n_categories_.data(), column_.data(), slot_.data(),
            any_small_, any_large_, any_category_, !tables_.empty()};
  }

 private:
  std::int32_t flagged(const TreeArrays& a, std::int64_t at) {
    const bool categorical = a.categorical(at);
    any_category_ |= categorical;
    return slot_[a.feature[at]] | (a.missing_left[at] ? missing_left_flag : 0) | (categorical ? category_flag : 0);
  }

  void add_nodes(const TreeArrays& a, std::int64_t t) {
    plans_[t].root = a.start[t], plans_[t].end = a.start[t + 1];
    for (std::int64_t at = a.start[t]; at < a.start[t + 1]; ++at) {
      PackedNode& node = nodes_[at];
      if (a.feature[at] < 0) {
        node.threshold = std::numeric_limits<double>::infinity();
        node.feature = missing_left_flag, node.left = std::int32_t(at - a.start[t]);
        continue;
      }
      if (a.categorical(at)) node.words = a.category_start[at];
      else node.threshold = a.threshold[at];
      node.feature = flagged(a, at), node.left = a.left[at];
    }
  }

  void add_sets(const TreeArrays& a, std::int64_t t) {
    const std::int64_t root = a.start[t], size = a.start[t + 1] - root;
    if (size > 2 * most_small_leaves - 1) {
      any_large_ = true;
      return;
    }
    any_small_ = true;
    TreePlan& plan = plans_[t];
    plan.n_leaves = std::int32_t((size + 1) / 2), plan.first = std::int64_t(bits_.size()), plan.leaf_first = std::int64_t(leaf_node_.size());
    std::vector<std::int32_t> leaves(std::size_t(size), 1), before(std::size_t(size), 0);
    for (std::int64_t i = size - 1; i >= 0; --i)
      if (a.feature[root + i] >= 0) leaves[i] = leaves[a.left[root + i]] + leaves[a.left[root + i] + 1];
    leaf_node_.resize(leaf_node_.size() + std::size_t(plan.n_leaves));
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int32_t left = a.left[root + i];
      if (a.feature[root + i] >= 0) before[left] = before[i], before[left + 1] = before[i] + leaves[left];
      else leaf_node_[plan.leaf_first + before[i]] = std::int32_t(i);
    }
    plan.first_table = std::int64_t(tables_.size());
    for (int kind = 0; kind < 3; ++kind)
      for (std::int64_t i = 0; i < size; ++i) {
        const std::int64_t at = root + i;
        if (a.feature[at] < 0 || kind != (a.categorical(at) ? 2 : int(a.missing_left[at]))) continue;
        const std::int32_t left = a.left[at], gone = leaves[left];
        BitNode node;
        if (kind == 2) node.words = a.category_start[at];
        else node.threshold = a.threshold[at];
        node.feature = flagged(a, at);
        node.right = ~(((gone < 64 ? std::uint64_t(1) << gone : 0) - 1) << before[left]);
        if (kind == 2 && n_categories_[slot_[a.feature[at]]] <= most_coded) {
          add_to_table(plan, node);
          continue;
        }
        bits_.push_back(node);
        ++(kind == 0 ? plan.missing_right : kind == 1 ? plan.missing_left : plan.categorical);
      }
    plan.tables = std::int32_t(std::int64_t(tables_.size()) - plan.first_table);
  }

  // Takes the leaves left of a node from the masks of all codes that go right there.
  void add_to_table(const TreePlan& plan, const BitNode& node) {
    const std::int64_t slot = node.feature & slot_mask, categories = n_categories_[slot];
    std::int64_t t = plan.first_table;
    while (t < std::int64_t(tables_.size()) && tables_[t].slot != slot) ++t;
    if (t == std::int64_t(tables_.size())) {
      tables_.push_back({slot, std::int64_t(masks_.size())});
      masks_.resize(masks_.size() + std::size_t(categories + 1), ~std::uint64_t(0));
    }
    std::uint64_t* mask = masks_.data() + tables_[t].first;
    const std::uint32_t* set = words_.data() + node.words;
    for (std::int64_t code = 0; code < categories; ++code)
      if (!((set[code / 32] >> (code % 32)) & 1)) mask[code] &= node.right;
    if (!(node.feature & missing_left_flag)) mask[categories] &= node.right;
  }

  std::int64_t n_columns_, n_nodes_;
  std::vector<std::uint32_t> words_;
  std::vector<std::int32_t> slot_, column_, leaf_node_;
  std::vector<std::int64_t> n_categories_;
  std::vector<PackedNode> nodes_;
  std::vector<TreePlan> plans_;
  std::vector<BitNode> bits_;
  std::vector<CategoryTable> tables_;
  std::vector<std::uint64_t> masks_;
  bool any_small_ = false, any_large_ = false, any_category_ = false;
};

}  // namespace empirisk
