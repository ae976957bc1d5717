// Trees as the loops of prediction read them: plain structs, built once for a Trees object by pack_trees.hpp.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// Flags in PackedNode::feature above the number of the feature.
constexpr std::int32_t missing_left_flag = 1 << 30, category_flag = 1 << 29, slot_mask = category_flag - 1;

// 16 bytes. A leaf asks feature 0 against +infinity with missing values to the left, and its left child is itself.
struct PackedNode {
  union {
    double threshold;
    std::int64_t words;  // offset of the category set
  };
  std::int32_t feature, left;
};

// An inner node of a small tree: which leaves remain possible when a row goes right there.
struct BitNode {
  union {
    double threshold;
    std::int64_t words;
  };
  std::uint64_t right;
  std::int64_t feature;  // with flags
};

// All nodes of a small tree that ask one column of categories: masks[first + code] are the leaves that a row of this code can
// still reach, and the last of them, after those of all codes, is for missing and impossible codes.
struct CategoryTable {
  std::int64_t slot = 0, first = 0;
};

// A byte holds the codes of columns with so many categories, and one for missing values; nodes of other columns are asked in turn.
constexpr std::int64_t most_coded = 255;

// Trees of at most 64 leaves are evaluated by sets of leaves: nodes that send missing values right, left, and categorical nodes
// without a table, in this order from `first` on, then the tables from `first_table` on. `n_leaves` = 0 marks a larger tree, which
// is walked.
struct TreePlan {
  std::int64_t root = 0, end = 0, first = 0, leaf_first = 0, first_table = 0;
  std::int32_t n_leaves = 0, missing_right = 0, missing_left = 0, categorical = 0, tables = 0;
};

struct TreeView {
  std::int64_t n_trees = 0, n_columns = 0, n_slots = 0;
  const PackedNode* nodes = nullptr;
  const TreePlan* plans = nullptr;
  const BitNode* bits = nullptr;
  const CategoryTable* tables = nullptr;
  const std::uint64_t* masks = nullptr;
  const std::int32_t* leaf_node = nullptr;  // leaves of small trees from left to right: their numbers within the tree
  const std::uint32_t* words = nullptr;
  const std::int64_t* n_categories = nullptr;  // of each slot
  const std::int32_t* column = nullptr;        // of each slot: only columns that some node asks have one
  const std::int32_t* slot = nullptr;          // of each column, or -1
  bool any_small = false, any_large = false, any_category = false, any_table = false;

  bool coded(std::int64_t slot_number) const { return n_categories[slot_number] > 0 && n_categories[slot_number] <= most_coded; }
};

// Which leaf each row reaches, and what is made of it.
struct LeafPass {
  TreeView trees;
  Matrix x;  // dense or CSR
  std::int32_t* leaf = nullptr;  // (n, T), optional
  double* sum = nullptr;         // (n, k), optional
  std::int64_t n_outputs = 1;
  const double* value = nullptr;       // (N, k)
  const double* leaf_value = nullptr;  // values of the leaves of small trees, in the order of leaf_node, times the tree's weight
  const double* tree_weight = nullptr; // (T,), optional
};

}  // namespace empirisk
