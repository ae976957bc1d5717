// Leaves of small trees, all nodes for several rows at once: a row that goes right at a node cannot reach the leaves of its left
// subtree; the first leaf that remains possible after all nodes is the row's. No branches and no gathers; cf. Lucchese et al.,
// QuickScorer (SIGIR 2015).
#pragma once
#include <bit>

#include "trees/row_block.hpp"

namespace empirisk::EMPIRISK_ISA {

#if defined(__GNUC__)
typedef Vec<double> Numbers;
typedef std::uint64_t Sets __attribute__((vector_size(EMPIRISK_VECTOR_BYTES)));
EMPIRISK_INLINE Sets remain_above(const Numbers& x, double t, const Sets& set, std::uint64_t right) { return x > t ? set & right : set; }
EMPIRISK_INLINE Sets remain_not_below(const Numbers& x, double t, const Sets& set, std::uint64_t right) { return x <= t ? set : set & right; }
#else
typedef Vec<double> Numbers;
typedef Vec<std::uint64_t> Sets;
EMPIRISK_INLINE Sets remain_above(const Numbers& x, double t, Sets set, std::uint64_t right) {
  for (i64 l = 0; l < lanes<double>; ++l) set[l] = x[l] > t ? set[l] & right : set[l];
  return set;
}
EMPIRISK_INLINE Sets remain_not_below(const Numbers& x, double t, Sets set, std::uint64_t right) {
  for (i64 l = 0; l < lanes<double>; ++l) set[l] = x[l] <= t ? set[l] : set[l] & right;
  return set;
}
#endif

// The sets of V vectors of rows from row `first` of the block on.
template <i64 V>
EMPIRISK_INLINE void leaf_sets(const TreeView& trees, const TreePlan& plan, const RowBlock& block, i64 first, std::uint64_t* out) {
  constexpr i64 W = lanes<double>;
  Sets set[V];
  std::uint64_t all[W];
  for (i64 l = 0; l < W; ++l) all[l] = ~std::uint64_t(0);
  for (i64 v = 0; v < V; ++v) std::memcpy(&set[v], all, sizeof all);
  const BitNode* node = trees.bits + plan.first;
  for (const BitNode* end = node + plan.missing_right; node < end; ++node) {
    const double* x = block.by_column + (node->feature & slot_mask) * block.capacity + first;
    for (i64 v = 0; v < V; ++v) set[v] = remain_not_below(load(x + v * W), node->threshold, set[v], node->right);
  }
  for (const BitNode* end = node + plan.missing_left; node < end; ++node) {
    const double* x = block.by_column + (node->feature & slot_mask) * block.capacity + first;
    for (i64 v = 0; v < V; ++v) set[v] = remain_above(load(x + v * W), node->threshold, set[v], node->right);
  }
  for (i64 v = 0; v < V; ++v) std::memcpy(out + v * W, &set[v], sizeof set[v]);
  const CategoryTable* table = trees.tables + plan.first_table;
  for (const CategoryTable* end = table + plan.tables; table < end; ++table) {
    const std::uint64_t* mask = trees.masks + table->first;
    const std::uint8_t* code = block.codes + table->slot * block.capacity + first;
    for (i64 i = 0; i < V * W; ++i) out[i] &= mask[code[i]];
  }
  for (const BitNode* end = node + plan.categorical; node < end; ++node) {
    const i64 slot = node->feature & slot_mask;
    const double* x = block.by_column + slot * block.capacity + first;
    for (i64 i = 0; i < V * W; ++i)
      if (!category_left(x[i], trees.words + node->words, trees.n_categories[slot], node->feature & missing_left_flag)) out[i] &= node->right;
  }
}

// found(row, leaf from the left) for the rows of the block; the rows up to the block's capacity hold something.
template <class Found>
void small_tree(const TreeView& trees, const TreePlan& plan, const RowBlock& block, const Found& found) {
  constexpr i64 W = lanes<double>, wide = 4 * W;
  std::uint64_t set[wide];
  for (i64 first = 0; first < block.rows;) {
    const bool full = first + wide <= block.rows;
    if (full) leaf_sets<4>(trees, plan, block, first, set);
    else leaf_sets<1>(trees, plan, block, first, set);
    const i64 n = least<i64>(full ? wide : W, block.rows - first);
    for (i64 i = 0; i < n; ++i) found(first + i, i64(std::countr_zero(set[i])));
    first += n;
  }
}

}  // namespace empirisk::EMPIRISK_ISA
