// What the loop of path-dependent Shapley values reads: the edges of trees in the order of a depth-first walk, with constants.
//
// A leaf of value v whose path asks features M (repeated ones merged) is the game v(S) = v prod_{i in S} z_i prod_{i not in S} r_i:
// z_i says whether the row satisfies all conditions on i, r_i is the share of the training weight that does. Its Shapley values are
//   v (z_i - r_i) int_0^1 prod_{j != i} (z_j t + r_j (1 - t)) dt,
// because the weight of a subset is int t^|S| (1 - t)^(m-1-|S|) dt (Owen 1972); the integrand is a polynomial of degree m - 1, which
// ceil(m/2) Gauss-Legendre nodes integrate exactly. Products go down the tree, sums over leaves go up: a row costs edges x nodes.
#pragma once
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "trees/pack_trees.hpp"

namespace empirisk {

struct ShapEdge {
  union {
    double threshold;
    std::int64_t words;
  };
  std::int32_t feature;    // slot and flags of the parent's question
  std::int32_t depth, old; // old: depth of the last edge above on the same feature, 0 for none
  std::int32_t leaf;       // node, or -1
  bool right;
  double share;            // of the parent's training weight
  std::int64_t constants;  // offset of r(1-t), (1-r)w/(t+r(1-t)); where old > 0 also 1/(t+r_old(1-t)) and the second of the old edge
};

struct ShapTree {
  std::int64_t root = 0, first = 0, end = 0, nodes = 0;  // edges [first, end); offset of t, w/(1-t)
  std::int32_t order = 0, depth = 0;                     // quadrature nodes; depth of the deepest leaf
};

// Nodes and weights of Gauss-Legendre quadrature on [0, 1], by Newton's method on the Legendre polynomial.
inline void gauss_legendre(int n, double* t, double* w) {
  for (int i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int step = 0; step < 100; ++step) {
      double p = 1.0, before = 0.0;
      for (int k = 0; k < n; ++k) {
        const double next = ((2.0 * k + 1.0) * x * p - k * before) / (k + 1.0);
        before = p, p = next;
      }
      slope = n * (x * p - before) / (x * x - 1.0);
      const double move = p / slope;
      x -= move;
      if (std::abs(move) < 1e-16) break;
    }
    t[i] = 0.5 * (1.0 - x), w[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
}

class ShapPlan {
 public:
  std::vector<ShapTree> trees;
  std::vector<ShapEdge> edges;
  std::vector<double> constants;

  void clear() { trees.clear(), edges.clear(), constants.clear(); }

  // `share`: of each node of all trees, the part of its parent's weight.
  void add(const TreeView& view, std::int64_t t, const double* share) {
    ShapTree tree;
    tree.root = view.plans[t].root, tree.first = std::int64_t(edges.size());
    const PackedNode* nodes = view.nodes + tree.root;
    const auto is_leaf = [&](std::int32_t i) { return nodes[i].left == i; };
    struct Open { std::int32_t parent, node, depth; };
    std::vector<Open> open;
    std::vector<double> merged(1, 1.0);       // by depth: r of the edge there
    std::vector<std::int32_t> slots(1, -1), distinct(1, 0);
    const auto descend = [&](std::int32_t node, std::int32_t depth) {
      if (is_leaf(node)) return;
      open.push_back({node, nodes[node].left + 1, depth + 1}), open.push_back({node, nodes[node].left, depth + 1});
    };
    descend(0, 0);
    std::int32_t most = 0;
    std::vector<double> ratio, ratio_old;
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      const PackedNode& parent = nodes[at.parent];
      merged.resize(at.depth), slots.resize(at.depth), distinct.resize(at.depth);
      ShapEdge edge;
      edge.words = 0;
      if (parent.feature & category_flag) edge.words = parent.words;
      else edge.threshold = parent.threshold;
      edge.feature = parent.feature, edge.depth = at.depth, edge.right = at.node != parent.left, edge.share = share[tree.root + at.node];
      edge.leaf = is_leaf(at.node) ? at.node : -1, edge.constants = 0, edge.old = 0;
      const std::int32_t slot = parent.feature & slot_mask;
      for (std::int32_t d = at.depth - 1; d > 0 && edge.old == 0; --d)
        if (slots[d] == slot) edge.old = d;
      ratio_old.push_back(edge.old ? merged[edge.old] : 1.0), ratio.push_back(ratio_old.back() * edge.share);
      merged.push_back(ratio.back()), slots.push_back(slot), distinct.push_back(distinct.back() + (edge.old == 0));
      most = std::max(most, distinct.back()), tree.depth = std::max(tree.depth, at.depth);
      edges.push_back(edge);
      descend(at.node, at.depth);
    }
    tree.end = std::int64_t(edges.size()), tree.order = std::max(1, (most + 1) / 2);
    add_constants(tree, ratio, ratio_old);
    trees.push_back(tree);
  }

 private:
  void add_constants(ShapTree& tree, const std::vector<double>& ratio, const std::vector<double>& ratio_old) {
    const int q = tree.order;
    std::vector<double> t(std::size_t(q), 0.0), w(std::size_t(q), 0.0);
    gauss_legendre(q, t.data(), w.data());
    tree.nodes = std::int64_t(constants.size());
    constants.insert(constants.end(), t.begin(), t.end());
    for (int i = 0; i < q; ++i) constants.push_back(-w[i] / (1.0 - t[i]));
    for (std::int64_t e = tree.first; e < tree.end; ++e) {
      const double r = ratio[e - tree.first], r_old = ratio_old[e - tree.first];
      edges[e].constants = std::int64_t(constants.size());
      for (int i = 0; i < q; ++i) constants.push_back(r * (1.0 - t[i]));
      for (int i = 0; i < q; ++i) constants.push_back(w[i] * (1.0 - r) / (t[i] + r * (1.0 - t[i])));
      if (!edges[e].old) continue;
      for (int i = 0; i < q; ++i) constants.push_back(1.0 / (t[i] + r_old * (1.0 - t[i])));
      for (int i = 0; i < q; ++i) constants.push_back(w[i] * (1.0 - r_old) / (t[i] + r_old * (1.0 - t[i])));
    }
  }
};

// A pass over all rows with a batch of trees: adds to `out`.
struct ShapPass {
  TreeView view;
  Matrix x;
  const ShapTree* trees = nullptr;
  std::int64_t n_trees = 0;
  const ShapEdge* edges = nullptr;
  const double* constants = nullptr;
  const double* value = nullptr;  // (N, k)
  std::int64_t n_outputs = 1;
  double* out = nullptr;  // (n, p, k)
};

}  // namespace empirisk
