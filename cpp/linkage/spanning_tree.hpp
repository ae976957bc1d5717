// The shortest spanning tree of rows in few columns: Boruvka's rounds (Nesetril, Milkova and Nesetrilova, Discrete Mathematics 233,
// 2001), in which each component looks in a tree of boxes for the row outside that is nearest to one of its rows. Boxes whose rows are
// all inside are left out, and so are those beyond the shortest edge so far. Edges of equal length are ordered by their row numbers:
// the tree is the one of prim.hpp.
#pragma once
#include "linkage/box_tree.hpp"
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Edge {
  double length = infinite;
  i64 low = -1, high = -1;
  EMPIRISK_INLINE bool before(const Edge& other) const {
    return length < other.length || (length == other.length && (low < other.low || (low == other.low && high < other.high)));
  }
};

template <class Metric>
class SpanningTree final : public Linker {
 public:
  explicit SpanningTree(const LinkageProblem& problem)
      : p_(problem), log_{problem, this}, tree_(problem.x, problem.rows, problem.cols), up_(problem.rows), part_(problem.rows), near_(problem.rows), known_(problem.rows),
        inside_(tree_.nodes), threads_(threads_for(problem.rows * most<i64>(problem.cols, 8) * 512, 64)), best_(problem.rows * threads_) {
    for (i64 i = 0; i < p_.rows; ++i) {
      up_[i] = part_[i] = i;
      near_[i] = -1;
      known_[i] = 0.0;
    }
  }

  bool step(i64 work) override {
    if (done_ == 0) begin_round();
    const i64 cost = BoxTree::leaf_rows * most<i64>(p_.cols, 8) * 512;
    const i64 end = least(tree_.leaves, done_ + most<i64>(64, work / cost)), chunk = 16, chunks = ceil_div(end - done_, chunk);
    for_chunks(chunks, least<i64>(threads_, chunks) < threads_ ? 1 : threads_, [&](i64 c, int thread) {
      for (i64 k = done_ + c * chunk; k < least(end, done_ + (c + 1) * chunk); ++k) look_from(tree_.leaf[k], best_.data() + thread * p_.rows);
    });
    done_ = end;
    if (done_ < tree_.leaves) return true;
    done_ = 0;
    finish_round();
    return merges < p_.rows - 1;
  }

 private:
  i64 root(i64 i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }

  // The component of all rows of each node, or -1; and the edges that are still known from the rounds before.
  void begin_round() {
    for (i64 i = 0; i < p_.rows; ++i) part_[i] = root(i);
    for (i64 node = tree_.nodes - 1; node >= 0; --node) {
      if (tree_.right[node] >= 0) {
        const i64 a = inside_[node + 1], b = inside_[tree_.right[node]];
        inside_[node] = a == b ? a : -1;
        continue;
      }
      i64 all = -2;
      for (i64 at = tree_.first[node] * wide; at < tree_.last[node] * wide; ++at) {
        const i64 row = tree_.number[at];
        if (row >= 0) all = all == -2 || all == part_[row] ? part_[row] : -1;
      }
      inside_[node] = all;
    }
    for (i64 k = 0; k < p_.rows * threads_; ++k) best_[k] = Edge{};
    for (i64 i = 0; i < p_.rows; ++i) {
      if (near_[i] >= 0 && part_[near_[i]] == part_[i]) near_[i] = -1;
      if (near_[i] < 0) continue;
      for (int t = 0; t < threads_; ++t) offer(best_.data() + t * p_.rows, i);
    }
  }

  void offer(Edge* best, i64 i) const {
    const Edge edge{known_[i], least(i, near_[i]), most(i, near_[i])};
    if (edge.before(best[part_[i]])) best[part_[i]] = edge;
  }

  void look_from(i64 node, Edge* best) {
    for (i64 at = tree_.first[node] * wide; at < tree_.last[node] * wide; ++at) {
      const i64 i = tree_.number[at];
      if (i < 0 || near_[i] >= 0 || known_[i] > best[part_[i]].length) continue;
      const double limit = best[part_[i]].length;
      const Nearest found = search(i, limit);
      near_[i] = found.slot;
      known_[i] = found.slot >= 0 ? found.distance : most(known_[i], limit);
      if (found.slot >= 0) offer(best, i);
    }
  }

  // The nearest row of another component, at most `limit` away.
  Nearest search(i64 i, double limit) const {
    struct Open {
      double bound;
      i64 node;
    } stack[96];
    i64 top = 0;
    const double* row = p_.x + i * p_.cols;
    const i64 mine = part_[i];
    Nearest best;
    best.distance = limit;
    best.slot = p_.rows;  // a row as far as the limit may be taken
    if (inside_[0] != mine) stack[top++] = {0.0, 0};
    while (top > 0) {
      const Open open = stack[--top];
      if (open.bound > best.distance) continue;
      if (tree_.right[open.node] < 0) {
        row_to_panels<Metric>(p_.cols, row, tree_.rows(), tree_.first[open.node], tree_.last[open.node], [&](i64 k, const Lanes& d) {
          if (!any_at_most(d, fill(best.distance))) return;
          for (i64 l = 0; l < wide; ++l) {
            const i64 j = tree_.number[k * wide + l];
            if (j >= 0 && part_[j] != mine) best.see(d[l], j);
          }
        });
        continue;
      }
      const i64 a = open.node + 1, b = tree_.right[open.node];
      const double to_a = inside_[a] == mine ? infinite : tree_.template bound<Metric>(row, a);
      const double to_b = inside_[b] == mine ? infinite : tree_.template bound<Metric>(row, b);
      const bool a_first = to_a <= to_b;
      const Open near{a_first ? to_a : to_b, a_first ? a : b}, far{a_first ? to_b : to_a, a_first ? b : a};
      if (far.bound <= best.distance && far.bound < infinite) stack[top++] = far;
      if (near.bound <= best.distance && near.bound < infinite) stack[top++] = near;
    }
    if (best.slot == p_.rows) best.slot = -1;
    return best;
  }

  void finish_round() {
    for (int t = 1; t < threads_; ++t)
      for (i64 c = 0; c < p_.rows; ++c)
        if (best_[t * p_.rows + c].before(best_[c])) best_[c] = best_[t * p_.rows + c];
    for (i64 c = 0; c < p_.rows; ++c) {
      const Edge& edge = best_[c];
      if (part_[c] != c || edge.low < 0) continue;
      const i64 a = root(edge.low), b = root(edge.high);
      if (a == b) continue;  // both components chose it
      up_[least(a, b)] = most(a, b);
      log_(edge.low, edge.high, edge.length);
    }
  }

  LinkageProblem p_;
  MergeLog log_;
  BoxTree tree_;
  Buffer<i64> up_, part_, near_;
  Buffer<double> known_;  // the length to the nearest row outside, or a bound below it where that is not known
  Buffer<i64> inside_;
  int threads_;
  Buffer<Edge> best_;
  i64 done_ = 0;
};

}  // namespace empirisk::EMPIRISK_ISA
