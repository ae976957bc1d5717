// Leaves of large trees: several rows walk at once, so that one row's wait for memory is filled by the others. Leaves lead to
// themselves; a group stops when none of its rows moves any more.
#pragma once
#include "trees/row_block.hpp"

namespace empirisk::EMPIRISK_ISA {

template <bool Missing, bool Category>
EMPIRISK_INLINE std::int32_t next_node(const TreeView& trees, const PackedNode& node, const double* x) {
  const std::int32_t slot = node.feature & slot_mask;
  const double v = x[slot];
  if constexpr (Category)
    if (node.feature & category_flag)
      return node.left + !category_left(v, trees.words + node.words, trees.n_categories[slot], node.feature & missing_left_flag);
  if constexpr (Missing) {
    const bool stays = (v != v) & ((node.feature & missing_left_flag) != 0);
    return node.left + !((v <= node.threshold) | stays);
  }
  return node.left + !(v <= node.threshold);
}

template <i64 G, bool Missing, bool Category>
EMPIRISK_INLINE void walk_group(const TreeView& trees, const PackedNode* nodes, const double* const* x, std::int32_t* at) {
  for (i64 g = 0; g < G; ++g) at[g] = 0;
  for (std::int32_t moved = 1; moved;) {
    moved = 0;
    for (i64 g = 0; g < G; ++g) {
      const std::int32_t next = next_node<Missing, Category>(trees, nodes[at[g]], x[g]);
      moved |= next ^ at[g];
      at[g] = next;
    }
  }
}

template <bool Missing, bool Category, class Found>
void walk_tree(const TreeView& trees, const TreePlan& plan, const RowBlock& block, const Found& found) {
  constexpr i64 group = 16;
  const PackedNode* nodes = trees.nodes + plan.root;
#if defined(__GNUC__)
  // Fetched in order now, which is several times faster than at random later.
  if (block.rows >= 256)
    for (const PackedNode* line = nodes; line < trees.nodes + plan.end; line += 64 / sizeof(PackedNode)) __builtin_prefetch(line);
#endif
  const double* x[group];
  std::int32_t at[group];
  i64 i = 0;
  for (; i + group <= block.rows; i += group) {
    for (i64 g = 0; g < group; ++g) x[g] = block.by_row + (i + g) * trees.n_slots;
    walk_group<group, Missing, Category>(trees, nodes, x, at);
    for (i64 g = 0; g < group; ++g) found(i + g, i64(at[g]));
  }
  for (; i < block.rows; ++i) {
    x[0] = block.by_row + i * trees.n_slots;
    walk_group<1, Missing, Category>(trees, nodes, x, at);
    found(i, i64(at[0]));
  }
}

// found(row, node) for the rows of the block.
template <class Found>
void large_tree(const TreeView& trees, const TreePlan& plan, const RowBlock& block, const Found& found) {
  if (trees.any_category) walk_tree<true, true>(trees, plan, block, found);
  else if (block.missing) walk_tree<true, false>(trees, plan, block, found);
  else walk_tree<false, false>(trees, plan, block, found);
}

}  // namespace empirisk::EMPIRISK_ISA
