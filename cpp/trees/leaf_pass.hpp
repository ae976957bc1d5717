// The leaves of rows in trees and the sums of their values: blocks of rows in parallel, all trees in their order for a block.
#pragma once
#include "support/parallel.hpp"
#include "trees/leaf_sets.hpp"
#include "trees/leaf_walk.hpp"

namespace empirisk::EMPIRISK_ISA {

EMPIRISK_INLINE void add_value(double* EMPIRISK_RESTRICT sum, const double* value, i64 k, double weight) {
  for (i64 c = 0; c < k; ++c) sum[c] += weight * value[c];
}

inline void leaves_of_block(const LeafPass& pass, const RowBlock& block, i64 first) {
  const TreeView& trees = pass.trees;
  const i64 k = pass.n_outputs;
  double* sum = pass.sum ? pass.sum + first * k : nullptr;
  for (i64 i = 0; sum && i < block.rows * k; ++i) sum[i] = 0.0;
  for (i64 t = 0; t < trees.n_trees; ++t) {
    const TreePlan& plan = trees.plans[t];
    std::int32_t* leaf = pass.leaf ? pass.leaf + first * trees.n_trees + t : nullptr;
    if (plan.n_leaves) {
      const std::int32_t* number = trees.leaf_node + plan.leaf_first;
      const double* value = pass.leaf_value + plan.leaf_first * k;
      if (leaf) small_tree(trees, plan, block, [&](i64 i, i64 l) { leaf[i * trees.n_trees] = number[l]; });
      else if (k == 1) small_tree(trees, plan, block, [&](i64 i, i64 l) { sum[i] += value[l]; });
      else small_tree(trees, plan, block, [&](i64 i, i64 l) { add_value(sum + i * k, value + l * k, k, 1.0); });
    } else {
      const double weight = pass.tree_weight ? pass.tree_weight[t] : 1.0;
      const double* value = pass.value + plan.root * k;
      if (leaf) large_tree(trees, plan, block, [&](i64 i, i64 node) { leaf[i * trees.n_trees] = std::int32_t(node); });
      else large_tree(trees, plan, block, [&](i64 i, i64 node) { add_value(sum + i * k, value + node * k, k, weight); });
    }
  }
}

// One of `leaf` and `sum` is wanted.
static void leaf_pass(const LeafPass& pass) {
  const TreeView& trees = pass.trees;
  const int most_threads = threads_for(16 * pass.x.rows * trees.n_trees, ceil_div(pass.x.rows, 64));
  const i64 wanted = block_rows(trees, pass.x.rows, most_threads);
  const i64 rows = least(wanted, round_up(most<i64>(pass.x.rows, 1), lanes<double>)), blocks = ceil_div(pass.x.rows, rows);
  const i64 size = most<i64>(trees.n_slots, 1) * rows;
  const int threads = int(least<i64>(most_threads, most<i64>(blocks, 1)));
  const Buffer<double> by_row(trees.any_large ? threads * size : 0), by_column(trees.any_small ? threads * size : 0);
  for (i64 i = 0; trees.any_small && i < threads * size; ++i) by_column[i] = 0.0;
  for (i64 i = 0; trees.any_large && i < threads * size; ++i) by_row[i] = 0.0;
  const Buffer<std::uint8_t> codes(trees.any_table ? threads * size : 0);
  for (i64 i = 0; trees.any_table && i < threads * size; ++i) codes[i] = 0;
  for_chunks(blocks, threads, [&](i64 b, int thread) {
    RowBlock block{rows, least(rows, pass.x.rows - b * rows), trees.any_large ? by_row.data() + thread * size : nullptr,
                   trees.any_small ? by_column.data() + thread * size : nullptr, false,
                   trees.any_table ? codes.data() + thread * size : nullptr};
    fill_block(pass.x, trees, b * rows, block);
    if (block.codes) fill_codes(trees, block);
    leaves_of_block(pass, block, b * rows);
  });
}

}  // namespace empirisk::EMPIRISK_ISA
