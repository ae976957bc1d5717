// The shortest spanning tree of rows in few columns: Boruvka's rounds (Nesetril, Milkova and Nesetrilova, Discrete Mathematics 233,
// 2001), in which each component takes the shortest edge that leaves it. A few nearest rows of each row are found first; where all of
// them are inside and could matter, a tree of boxes is searched, whose boxes with rows of the component alone are left out, and so are
// those beyond the shortest edge so far. Edges of equal length are ordered by their row numbers: the tree is the one of prim.hpp.
#pragma once
#include "linkage/near_rows.hpp"
#include "linkage/slots.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Edge {
  double length = infinite;
  i64 low = -1, high = -1;
  EMPIRISK_INLINE bool before(const Edge& other) const {
    return length < other.length || (length == other.length && (low < other.low || (low == other.low && high < other.high)));
  }
};

// All but the numbers of edges are places in the order of the tree, so that neighbours lie together.
template <class Metric>
class SpanningTree final : public Linker {
 public:
  explicit SpanningTree(const LinkageProblem& problem)
      : p_(problem), log_{problem, this}, tree_(problem.x, problem.rows, problem.cols), lists_(tree_, problem.rows, problem.cols),
        up_(problem.rows), part_(problem.rows), place_(problem.rows), next_(problem.rows), inside_(tree_.nodes),
        threads_(threads_for(problem.rows * most<i64>(problem.cols, 8) * 512, 64)), best_(problem.rows * threads_) {
    for (i64 i = 0; i < p_.rows; ++i) {
      up_[i] = part_[i] = i;
      place_[tree_.number[i]] = i;
      next_[i] = 0;
    }
  }

  bool step(i64 work) override {
    if (listed_ < tree_.leaves) {
      listed_ = over_leaves(listed_, work, [&](i64 leaf, int) { lists_.fill_leaf(leaf); });
      return true;
    }
    if (done_ == 0) begin_round();
    done_ = over_leaves(done_, work, [&](i64 leaf, int thread) { look_from(leaf, best_.data() + thread * p_.rows); });
    if (done_ < tree_.leaves) return true;
    done_ = 0;
    finish_round();
    return merges < p_.rows - 1;
  }

 private:
  static constexpr i64 count = NearRows<Metric>::count;

  // Visits leaves from `begin` on, as many as the work allows; returns the first that is left.
  template <class Visit>
  i64 over_leaves(i64 begin, i64 work, const Visit& visit) {
    const i64 cost = BoxTree::leaf_rows * most<i64>(p_.cols, 8) * 512;
    const i64 end = least(tree_.leaves, begin + most<i64>(64, work / cost)), chunk = 16, chunks = ceil_div(end - begin, chunk);
    for_chunks(chunks, chunks < threads_ ? 1 : threads_, [&](i64 c, int thread) {
      for (i64 k = begin + c * chunk; k < least(end, begin + (c + 1) * chunk); ++k) visit(tree_.leaf[k], thread);
    });
    return end;
  }

  i64 root(i64 i) {
    while (up_[i] != i) i = up_[i] = up_[up_[i]];
    return i;
  }

  // The component of all rows of each node, or -1; and the edges that are still known from the rounds before.
  void begin_round() {
    for (i64 i = p_.rows - 1; i >= 0; --i) part_[i] = up_[i] == i ? i : part_[up_[i]];  // what is above a place is behind it
    for (i64 node = tree_.nodes - 1; node >= 0; --node) {
      i64 all = part_[tree_.begin(node)];
      if (tree_.right[node] >= 0) {
        all = inside_[node + 1] == inside_[tree_.right[node]] ? inside_[node + 1] : -1;
      } else {
        for (i64 i = tree_.begin(node); i < tree_.end(node); ++i) all = part_[i] == all ? all : -1;
      }
      inside_[node] = all;
    }
    for (i64 i = 0; i < p_.rows; ++i) best_[i] = Edge{};
    for (i64 i = 0; i < p_.rows; ++i) {
      const Near* list = lists_.of(i);
      while (next_[i] < count && (list[next_[i]].place < 0 || part_[list[next_[i]].place] == part_[i])) ++next_[i];
      if (next_[i] < count) offer(best_.data(), i, list[next_[i]]);
    }
    for (int t = 1; t < threads_; ++t)
      for (i64 i = 0; i < p_.rows; ++i) best_[t * p_.rows + i] = best_[i];
  }

  Edge edge(i64 i, const Near& near) const {
    const i64 row = tree_.number[i];
    return {near.distance, least(row, near.row), most(row, near.row)};
  }

  void offer(Edge* best, i64 i, const Near& near) const {
    const Edge made = edge(i, near);
    if (made.before(best[part_[i]])) best[part_[i]] = made;
  }

  // Where a list is used up, its last entry says from where on rows outside may lie.
  void look_from(i64 leaf, Edge* best) {
    for (i64 i = tree_.begin(leaf); i < tree_.end(leaf); ++i) {
      if (next_[i] < count) continue;
      Near& last = lists_.of(i)[count - 1];
      Edge& shortest = best[part_[i]];
      if (!edge(i, {last.distance, last.row + 1, -1}).before(shortest)) continue;
      const Near found = search(i, shortest.length);
      if (found.place >= 0) {
        last = found;
        next_[i] = count - 1;
        offer(best, i, found);
      } else {
        last = {most(last.distance, shortest.length), p_.rows, -1};
      }
    }
  }

  // The nearest row of another component, at most `limit` away.
  Near search(i64 i, double limit) const {
    struct Open {
      double bound;
      i64 node;
    } stack[96];
    i64 top = 0;
    const double* row = tree_.row_at(i);
    const i64 mine = part_[i];
    Near best{limit, p_.rows, -1};  // a row as far as the limit may be taken
    if (inside_[0] != mine) stack[top++] = {0.0, 0};
    while (top > 0) {
      const Open open = stack[--top];
      if (open.bound > best.distance) continue;
      if (tree_.right[open.node] < 0) {
        row_to_panels<Metric>(p_.cols, row, tree_.panels(), tree_.first[open.node], tree_.last[open.node], [&](i64 panel, const Lanes& d) {
          if (!any_at_most(d, fill(best.distance))) return;
          for (i64 l = 0, j = panel * wide; l < wide && j < p_.rows; ++l, ++j) {
            const Near seen{d[l], tree_.number[j], j};
            if (part_[j] != mine && seen.before(best)) best = seen;
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
    return best;
  }

  void finish_round() {
    const i64 before = merges;
    for (int t = 1; t < threads_; ++t)
      for (i64 c = 0; c < p_.rows; ++c)
        if (best_[t * p_.rows + c].before(best_[c])) best_[c] = best_[t * p_.rows + c];
    for (i64 c = 0; c < p_.rows; ++c) {
      const Edge& edge = best_[c];
      if (part_[c] != c || edge.low < 0) continue;
      const i64 a = root(place_[edge.low]), b = root(place_[edge.high]);
      if (a == b) continue;  // both components chose it
      up_[least(a, b)] = most(a, b);
      log_(edge.low, edge.high, edge.length);
    }
    if (merges == before) log_.stop();
  }

  LinkageProblem p_;
  MergeLog log_;
  BoxTree tree_;
  NearRows<Metric> lists_;
  Buffer<i64> up_, part_, place_, next_, inside_;
  int threads_;
  Buffer<Edge> best_;
  i64 listed_ = 0, done_ = 0;
};

}  // namespace empirisk::EMPIRISK_ISA
