// Path-dependent Shapley values of rows by sums of trees (Lundberg et al. 2020): the plan is explained in shap_plan.hpp. Rows stand in
// the lanes of vectors; a stack holds, for the edges from the root to the place of the walk, the products P and the sums H of the
// leaves below at each quadrature node.
#pragma once
#include "support/parallel.hpp"
#include "trees/lane_mask.hpp"
#include "trees/row_block.hpp"
#include "trees/shap_plan.hpp"

namespace empirisk::EMPIRISK_ISA {

using Number = Vec<double>;

// Memory of one thread.
struct ShapStack {
  Number *product, *sum;    // (depth + 1, order)
  Number* below;            // (depth + 1): the part of the sums that rows outside the conditions get
  Mask* inside;             // (depth + 1): whether the row satisfies the conditions on the feature of the edge
  const ShapEdge** edge;    // (depth + 1)
};

EMPIRISK_INLINE Mask goes_left(const TreeView& view, const ShapEdge& edge, const double* x) {
  const bool missing_left = edge.feature & missing_left_flag;
  if (edge.feature & category_flag) {
    const i64 slot = edge.feature & slot_mask;
    i64 bits[lanes<double>];
    for (i64 l = 0; l < lanes<double>; ++l)
      bits[l] = category_left(x[l], view.words + edge.words, view.n_categories[slot], missing_left) ? -1 : 0;
    Mask m;
    std::memcpy(&m, bits, sizeof bits);
    return m;
  }
  const Number v = load(x);
  return missing_left ? not_above(v, edge.threshold) : at_most(v, edge.threshold);
}

struct ShapWalk {
  const ShapPass& pass;
  const ShapTree& tree;
  ShapStack& stack;

  void push(const ShapEdge& edge, const double* x, const double* value) const {
    const i64 q = tree.order, d = edge.depth;
    const double *t = pass.constants + tree.nodes, *c0 = t + q, *base = pass.constants + edge.constants;
    const Mask left = goes_left(pass.view, edge, x), satisfied = edge.right ? opposite(left) : left;
    const Number *from = stack.product + (d - 1) * q, nothing = fill(0.0);
    Number *to = stack.product + d * q, *sum = stack.sum + d * q;
    if (edge.old == 0) {
      stack.inside[d] = satisfied;
      for (i64 i = 0; i < q; ++i) to[i] = from[i] * (fill(base[i]) + choose(satisfied, fill(t[i]), nothing));
    } else {
      const Mask before = stack.inside[edge.old], inside = both(before, satisfied);
      stack.inside[d] = inside;
      for (i64 i = 0; i < q; ++i) {
        const Number factor = (fill(base[i]) + choose(inside, fill(t[i]), nothing)) * fill(base[2 * q + i]);
        to[i] = from[i] * choose(before, factor, fill(edge.share));
      }
    }
    stack.edge[d] = &edge;
    Number below = nothing;
    if (edge.leaf < 0) {
      for (i64 i = 0; i < q; ++i) sum[i] = nothing;
    } else {
      const Number v = fill(value[edge.leaf * pass.n_outputs]);
      for (i64 i = 0; i < q; ++i) {
        sum[i] = v * to[i];
        below += fill(c0[i]) * sum[i];
      }
    }
    stack.below[d] = below;
  }

  // The edge at depth d is done: its feature gets its part, its sums go to the edge above.
  void pop(i64 d, Number* phi, i64 stride) const {
    const ShapEdge& edge = *stack.edge[d];
    const i64 q = tree.order;
    const double* c1 = pass.constants + edge.constants + q;
    const Number* sum = stack.sum + d * q;
    Number* up = stack.sum + (d - 1) * q;
    Number inside = fill(0.0), part;
    for (i64 i = 0; i < q; ++i) {
      inside += fill(c1[i]) * sum[i];
      up[i] += sum[i];
    }
    part = choose(stack.inside[d], inside, stack.below[d]);
    if (edge.old) {
      Number older = fill(0.0);
      for (i64 i = 0; i < q; ++i) older += fill(c1[2 * q + i]) * sum[i];
      part = choose(stack.inside[edge.old], part + fill(-1.0) * older, fill(0.0));
    }
    phi[(edge.feature & slot_mask) * stride] += part;
    stack.below[d - 1] += stack.below[d];
  }

  // x: by column with stride `capacity`; phi: one vector for each slot with stride `stride`.
  void run(const double* x, i64 capacity, const double* value, Number* phi, i64 stride) const {
    for (i64 i = 0; i < tree.order; ++i) stack.product[i] = fill(1.0), stack.sum[i] = fill(0.0);
    stack.below[0] = fill(0.0);
    i64 depth = 0;
    for (const ShapEdge* edge = pass.edges + tree.first; edge < pass.edges + tree.end; ++edge) {
      for (; depth >= edge->depth; --depth) pop(depth, phi, stride);
      push(*edge, x + (edge->feature & slot_mask) * capacity, value);
      depth = edge->depth;
    }
    for (; depth > 0; --depth) pop(depth, phi, stride);
  }
};

// Adds the values of the pass's trees to out, for all rows.
static void shap_pass(const ShapPass& pass) {
  constexpr i64 W = lanes<double>, rows = 64, vectors = rows / W;
  const TreeView& view = pass.view;
  const i64 blocks = ceil_div(pass.x.rows, rows), k = pass.n_outputs, slots = most<i64>(view.n_slots, 1);
  i64 size = 1, depth = 1, work = 0;
  for (i64 t = 0; t < pass.n_trees; ++t) {
    depth = most<i64>(depth, pass.trees[t].depth + 1);
    size = most<i64>(size, (pass.trees[t].depth + 1) * pass.trees[t].order);
    work += (pass.trees[t].end - pass.trees[t].first) * pass.trees[t].order * k;
  }
  const int threads = threads_for(work * pass.x.rows, blocks);
  const Buffer<double> x(threads * slots * rows);
  const Buffer<Number> numbers(threads * (2 * size + depth + slots * vectors));
  const Buffer<Mask> masks(threads * depth);
  const Buffer<const ShapEdge*> edges(threads * depth);
  for (i64 i = 0; i < threads * slots * rows; ++i) x[i] = 0.0;
  for_chunks(blocks, threads, [&](i64 b, int thread) {
    RowBlock block{rows, least<i64>(rows, pass.x.rows - b * rows), nullptr, x.data() + thread * slots * rows, false};
    fill_block(pass.x, view, b * rows, block);
    Number* own = numbers.data() + thread * (2 * size + depth + slots * vectors);
    Number* phi = own + 2 * size + depth;
    ShapStack stack{own, own + size, own + 2 * size, masks.data() + thread * depth, edges.data() + thread * depth};
    for (i64 c = 0; c < k; ++c) {
      for (i64 i = 0; i < slots * vectors; ++i) phi[i] = fill(0.0);
      for (i64 t = 0; t < pass.n_trees; ++t) {
        const ShapWalk walk{pass, pass.trees[t], stack};
        for (i64 v = 0; v * W < block.rows; ++v)
          walk.run(block.by_column + v * W, rows, pass.value + pass.trees[t].root * k + c, phi + v, vectors);
      }
      const double* found = reinterpret_cast<const double*>(phi);
      for (i64 s = 0; s < view.n_slots; ++s)
        for (i64 i = 0; i < block.rows; ++i) pass.out[((b * rows + i) * view.n_columns + view.column[s]) * k + c] += found[s * rows + i];
    }
  });
}

}  // namespace empirisk::EMPIRISK_ISA
