// A finished tree on codes: where rows that were not in its bag end.
#pragma once
#include "trees/forest_data.hpp"

namespace empirisk::EMPIRISK_ISA {

struct CodeNode {
  i32 left = -1, feature = -1;
  i32 set = -1;          // number of its set of codes, for categories
  u8 cut = 0;            // else: codes up to this one go left,
  u8 also_left = 0;      // and this one (that of missing values, or the cut again)
};

struct CodeTree {
  std::vector<CodeNode> nodes;
  std::vector<CodeSet> sets;

  void clear() { nodes.clear(), sets.clear(); }

  bool goes_left(const CodeNode& node, int code) const {
    if (node.set >= 0) return sets[std::size_t(node.set)].has(code);
    return (code <= node.cut) | (code == node.also_left);
  }

  // Leaves of eight rows at once, so that one waits for memory while the others go on.
  template <int N>
  void leaves(const u8* const* rows, i32* at) const {
    for (int r = 0; r < N; ++r) at[r] = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (int r = 0; r < N; ++r) {
        const CodeNode& node = nodes[std::size_t(at[r])];
        if (node.feature < 0) continue;
        at[r] = node.left + !goes_left(node, rows[r][node.feature]);
        moved = true;
      }
    }
  }
};

// f(row, leaf) for every row that counts[row] == 0 leaves out.
template <class F>
void outside_bag(const ForestData& d, const CodeTree& tree, const i32* counts, const F& f) {
  constexpr int group = 8;
  const u8* rows[group];
  i64 number[group];
  i32 at[group];
  int filled = 0;
  for (i64 i = 0; i < d.n; ++i) {
    if (counts[i] != 0) continue;
    rows[filled] = d.codes + i * d.stride, number[filled++] = i;
    if (filled < group) continue;
    tree.leaves<group>(rows, at);
    for (int r = 0; r < group; ++r) f(number[r], at[r]);
    filled = 0;
  }
  for (int r = 0; r < filled; ++r) {
    tree.leaves<1>(rows + r, at);
    f(number[r], at[0]);
  }
}

}  // namespace empirisk::EMPIRISK_ISA
