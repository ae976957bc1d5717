// How the predictions of one tree change when a group of columns of a row is taken from another row. A row walks down once; at
// every node on its path the donor's value is looked at too, and only where that goes the other way does a second walk begin.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/parallel.hpp"

namespace empirisk {

struct TreeNodes {  // the arrays of one tree, see src/empirisk/trees/structure.py
  std::int64_t size = 0, p = 0, k = 0;
  const std::int32_t *feature = nullptr, *left = nullptr;
  const double *threshold = nullptr, *value = nullptr;
  const bool* missing_left = nullptr;
  const std::int64_t *category_start = nullptr, *n_categories = nullptr;
  const std::uint32_t* words = nullptr;
};

// The same nodes, what a walk reads of each in one place.
class PackedNodes {
 public:
  explicit PackedNodes(const TreeNodes& tree) : tree_(tree), nodes_(std::size_t(tree.size)) {
    for (std::int64_t i = 0; i < tree.size; ++i) nodes_[i] = {tree.threshold[i], tree.feature[i], tree.left[i]};
  }

  std::int32_t feature(std::int32_t node) const { return nodes_[node].feature; }

  // The child of an inner node for value x of its column.
  std::int32_t child(std::int32_t node, double x) const {
    const Node& here = nodes_[node];
    if (tree_.n_categories[here.feature] > 0) return here.left + !set_holds(node, x);
    if (std::isnan(x)) return here.left + !tree_.missing_left[node];
    return here.left + !(x <= here.threshold);
  }

 private:
  struct Node {
    double threshold;
    std::int32_t feature, left;
  };

  bool set_holds(std::int32_t node, double x) const {
    if (!(x >= 0.0 && x < double(tree_.n_categories[nodes_[node].feature]))) return tree_.missing_left[node];
    const std::int64_t code = std::int64_t(x);
    return tree_.words[tree_.category_start[node] + code / 32] >> (code % 32) & 1;
  }

  const TreeNodes& tree_;
  std::vector<Node> nodes_;
};

struct ShuffleRows {
  std::int64_t m = 0, groups = 0;
  const double* x = nullptr;            // (n, p)
  const std::int64_t *rows = nullptr, *donors = nullptr;  // (m,), (m, groups) or (m, 1): one donor for all groups
  bool one_donor = false;
  const std::int32_t* group = nullptr;  // of each column; -1: none
  const std::int64_t* at = nullptr;     // (m,) different places in out
  double* out = nullptr;                // (places, groups, k) grows by value(shuffled) - value(own)
};

class Shuffle {
 public:
  Shuffle(const TreeNodes& tree, const ShuffleRows& rows) : tree_(tree), nodes_(tree), rows_(rows) {}

  void run() const {
    using namespace EMPIRISK_ISA;
    constexpr i64 chunk = 512;
    const i64 chunks = ceil_div(rows_.m, chunk);
    const int threads = threads_for(64 * rows_.m, chunks);
    std::vector<std::int32_t> path(std::size_t(threads * tree_.size));
    std::vector<i64> done(std::size_t(threads * rows_.groups), -1);
    std::vector<Walk> walks(std::size_t(threads * rows_.groups));
    for_chunks(chunks, threads, [&](i64 c, int thread) {
      for (i64 i = c * chunk; i < least(rows_.m, (c + 1) * chunk); ++i)
        row(i, path.data() + thread * tree_.size, done.data() + thread * rows_.groups, walks.data() + thread * rows_.groups);
    });
  }

 private:
  struct Walk {
    const double* other;
    std::int32_t node, group;
  };

  // `done[g] == i` once row i has left its path for group g. The second walks go on side by side: their memory accesses overlap.
  void row(std::int64_t i, std::int32_t* path, std::int64_t* done, Walk* walks) const {
    const double* x = rows_.x + rows_.rows[i] * tree_.p;
    std::int64_t depth = 0, open = 0;
    for (std::int32_t node = 0;; node = nodes_.child(node, x[nodes_.feature(node)])) {
      path[depth++] = node;
      if (nodes_.feature(node) < 0) break;
    }
    const std::int32_t own = path[depth - 1];
    for (std::int64_t d = 0; d + 1 < depth; ++d) {
      const std::int32_t node = path[d], column = nodes_.feature(node), g = rows_.group[column];
      if (g < 0 || done[g] == i) continue;
      const double* other = rows_.x + rows_.donors[rows_.one_donor ? i : i * rows_.groups + g] * tree_.p;
      const std::int32_t next = nodes_.child(node, other[column]);
      if (next == path[d + 1]) continue;
      done[g] = i;
      walks[open++] = {other, next, g};
    }
    while (open > 0)
      for (std::int64_t w = 0; w < open; ++w) {
        Walk& walk = walks[w];
        const std::int32_t column = nodes_.feature(walk.node);
        if (column < 0) {
          add(rows_.at[i], walk.group, own, walk.node);
          walks[w--] = walks[--open];
        } else {
          walk.node = nodes_.child(walk.node, (rows_.group[column] == walk.group ? walk.other : x)[column]);
        }
      }
  }

  void add(std::int64_t place, std::int32_t g, std::int32_t own, std::int32_t end) const {
    double* to = rows_.out + (place * rows_.groups + g) * tree_.k;
    for (std::int64_t c = 0; c < tree_.k; ++c) to[c] += tree_.value[end * tree_.k + c] - tree_.value[own * tree_.k + c];
  }

  const TreeNodes& tree_;
  const PackedNodes nodes_;
  const ShuffleRows& rows_;
};

}  // namespace empirisk
