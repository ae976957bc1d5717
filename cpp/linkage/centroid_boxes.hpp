// The nearest centroid by Ward's distance, in few columns: 2 a b / (a + b) grows with b, so that the least mass in a box and its
// distance give a bound for all centroids in it.
#pragma once
#include "linkage/box_tree.hpp"
#include "linkage/group_scan.hpp"

namespace empirisk::EMPIRISK_ISA {

class CentroidBoxes {
 public:
  CentroidBoxes(const Slots& slots, const Members& members)
      : p_(members.p), rows_(slots.m * p_), copied_(copy(slots, members)), tree_(rows_.data(), slots.m, p_), mass_(round_up(slots.m, wide)),
        least_(tree_.nodes) {
    for (i64 node = tree_.nodes - 1; node >= 0; --node) {
      if (tree_.right[node] >= 0) {
        least_[node] = least(least_[node + 1], least_[tree_.right[node]]);
        continue;
      }
      least_[node] = infinite;
      for (i64 at = tree_.first[node] * wide; at < tree_.last[node] * wide; ++at) {
        const i64 s = tree_.number[at];
        mass_[at] = s < 0 ? 1.0 : slots.mass[s];
        if (s >= 0) least_[node] = least(least_[node], mass_[at]);
      }
    }
  }

  Nearest nearest(i64 slot, double mine) const {
    struct Open {
      double bound;
      i64 node;
    } stack[96];
    i64 top = 0;
    const double* row = rows_.data() + slot * p_;
    Nearest best;
    stack[top++] = {0.0, 0};
    while (top > 0) {
      const Open open = stack[--top];
      if (open.bound > best.distance) continue;
      if (tree_.right[open.node] < 0) {
        row_to_panels<Squares>(p_, row, tree_.panels(), tree_.first[open.node], tree_.last[open.node], [&](i64 k, const Lanes& d) {
          const double* its = mass_.data() + k * wide;
          if (!Inertia::may(d, mine, load(its), best.distance)) return;
          for (i64 l = 0; l < wide; ++l) {
            const i64 s = tree_.number[k * wide + l];
            if (s >= 0 && s != slot) best.see(Inertia::exact(d[l], mine, its[l]), s);
          }
        });
        continue;
      }
      const i64 a = open.node + 1, b = tree_.right[open.node];
      const double to_a = bound(row, mine, a), to_b = bound(row, mine, b);
      const bool a_first = to_a <= to_b;
      const Open near{a_first ? to_a : to_b, a_first ? a : b}, far{a_first ? to_b : to_a, a_first ? b : a};
      if (far.bound <= best.distance) stack[top++] = far;
      if (near.bound <= best.distance) stack[top++] = near;
    }
    return best;
  }

 private:
  int copy(const Slots& slots, const Members& members) {
    for (i64 s = 0; s < slots.m; ++s)
      std::memcpy(rows_.data() + s * p_, members.rows.data() + members.head[s] * p_, sizeof(double) * std::size_t(p_));
    return 0;
  }

  double bound(const double* row, double mine, i64 node) const {
    return Inertia::exact(tree_.template bound<Squares>(row, node), mine, least_[node]) * (1.0 - 1e-13);
  }

  i64 p_;
  Buffer<double> rows_;
  int copied_;  // the tree is built from the rows
  BoxTree tree_;
  Buffer<double> mass_, least_;
};

}  // namespace empirisk::EMPIRISK_ISA
