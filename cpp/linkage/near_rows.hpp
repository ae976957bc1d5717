// The few nearest rows of each row in a tree of boxes: all rows of a leaf go down the tree together, as far as the last of them asks.
#pragma once
#include "linkage/box_tree.hpp"

namespace empirisk::EMPIRISK_ISA {

// A place of the tree and how far it is. Of equally near places the one of the smaller row comes first.
struct Near {
  static constexpr i64 no_row = i64(1) << 62;
  double distance = infinite;
  i64 row = no_row, place = -1;
  bool before(const Near& other) const { return distance < other.distance || (distance == other.distance && row < other.row); }
};

template <class Metric>
class NearRows {
 public:
  static constexpr i64 count = 6;

  NearRows(const BoxTree& tree, i64 rows, i64 cols) : tree_(tree), rows_(rows), cols_(cols), kept_(rows * count) {}

  // The nearest rows of the row at a place, nearest first; those of place -1 are no rows.
  Near* of(i64 place) const { return kept_.data() + place * count; }

  void fill_leaf(i64 leaf) {
    const i64 begin = tree_.begin(leaf), end = tree_.end(leaf);
    for (i64 k = begin * count; k < end * count; ++k) kept_[k] = Near{};
    alignas(64) double farthest[BoxTree::leaf_rows];
    for (i64 l = 0; l < BoxTree::leaf_rows; ++l) farthest[l] = begin + l < end ? infinite : -1.0;
    double reach = infinite;
    struct Open {
      double bound;
      i64 node;
    } stack[96];
    i64 top = 0;
    stack[top++] = {0.0, 0};
    while (top > 0) {
      const Open open = stack[--top];
      if (open.bound > reach) continue;
      if (tree_.right[open.node] < 0) {
        reach = meet(leaf, open.node, farthest);
        continue;
      }
      const i64 a = open.node + 1, b = tree_.right[open.node];
      const double to_a = tree_.template bound<Metric>(leaf, a), to_b = tree_.template bound<Metric>(leaf, b);
      const bool a_first = to_a <= to_b;
      const Open near{a_first ? to_a : to_b, a_first ? a : b}, far{a_first ? to_b : to_a, a_first ? b : a};
      if (far.bound <= reach) stack[top++] = far;
      if (near.bound <= reach) stack[top++] = near;
    }
  }

 private:
  // Shows the rows of another leaf to those of this one that look so far; returns how far the last of these still looks.
  double meet(i64 leaf, i64 other, double* farthest) {
    double reach = 0.0;
    for (i64 panel = tree_.first[leaf]; panel < tree_.last[leaf]; ++panel) {
      double* far = farthest + (panel - tree_.first[leaf]) * wide;
      alignas(64) double bound[wide];
      store(bound, tree_.template bounds<Metric>(panel, other));
      for (i64 l = 0; l < wide; ++l) {
        if (bound[l] <= far[l]) far[l] = look(panel * wide + l, other, far[l]);
        reach = most(reach, far[l]);
      }
    }
    return reach;
  }

  double look(i64 place, i64 leaf, double far) {
    row_to_panels<Metric>(cols_, tree_.row_at(place), tree_.panels(), tree_.first[leaf], tree_.last[leaf], [&](i64 panel, const Lanes& d) {
      if (!any_at_most(d, fill(far))) return;
      for (i64 l = 0, k = panel * wide; l < wide && k < rows_; ++l, ++k)
        if (d[l] <= far && k != place) far = put(place, Near{d[l], tree_.number[k], k});
    });
    return far;
  }

  // Takes a row into the list of a place, where it belongs; returns the distance of the last one.
  double put(i64 place, const Near& near) {
    Near* list = kept_.data() + place * count;
    i64 at = count;
    while (at > 0 && near.before(list[at - 1])) {
      if (at < count) list[at] = list[at - 1];
      --at;
    }
    if (at < count) list[at] = near;
    return list[count - 1].distance;
  }

  const BoxTree& tree_;
  i64 rows_, cols_;
  Buffer<Near> kept_;
};

}  // namespace empirisk::EMPIRISK_ISA
