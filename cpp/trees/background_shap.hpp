// Shapley values against background rows, leaf by leaf. At a leaf of value v a pair (row, background row) is the game that pays v
// when every feature of the path is satisfied: by the row where it is in S, by the background row elsewhere. With A features that
// only the row satisfies, V that only the background row does, and none that neither does, the values are v! V!/(A+V)! for each
// of the A and -v A! (V-1)!/(A+V)! for each of the V. So they depend on two sets of satisfied features alone: the background rows of
// a leaf are counted by their set, and rows with the same set share their sums.
#pragma once
#include <atomic>
#include <bit>
#include <cmath>
#include <new>
#include <unordered_map>
#include <vector>

#include "support/parallel.hpp"
#include "trees/row_block.hpp"

namespace empirisk::EMPIRISK_ISA {

using Set = std::uint64_t;

// A condition on the way to a leaf: the answer of an inner node, and which of the path's features it is about.
struct Condition {
  std::int32_t node;
  std::uint8_t right, bit;
};

struct LeafPath {
  std::int32_t node;
  std::vector<std::int32_t> slots;
  std::vector<Condition> conditions;
  std::vector<Set> kinds;       // sets that background rows satisfy
  std::vector<double> shares;   // and the share of the rows with each
};

constexpr i64 most_path_features = 63, most_conditions = 4096;  // conditions bound the recursion

// The columns of the rows that the trees ask, one after the other.
struct Columns {
  std::vector<double> data;
  i64 rows;

  Columns(const Matrix& x, const TreeView& view) : data(std::size_t(x.rows * most<i64>(view.n_slots, 1))), rows(x.rows) {
    RowBlock block{x.rows, x.rows, nullptr, data.data(), false};
    fill_block(x, view, 0, block);
  }
  const double* column(i64 slot) const { return data.data() + slot * rows; }
};

// Whether rows [first, first + n) go right at each inner node: out is (nodes, n).
inline void answers(const TreeView& view, const TreePlan& plan, const Columns& x, i64 first, i64 n, std::uint8_t* out) {
  const PackedNode* nodes = view.nodes + plan.root;
  for (std::int32_t i = 0; i < plan.end - plan.root; ++i) {
    const PackedNode& node = nodes[i];
    if (node.left == i) continue;
    const i64 slot = node.feature & slot_mask;
    const double* v = x.column(slot) + first;
    std::uint8_t* right = out + i * n;
    const bool missing_left = node.feature & missing_left_flag;
    if (node.feature & category_flag)
      for (i64 r = 0; r < n; ++r) right[r] = !category_left(v[r], view.words + node.words, view.n_categories[slot], missing_left);
    else if (missing_left)
      for (i64 r = 0; r < n; ++r) right[r] = v[r] > node.threshold;
    else
      for (i64 r = 0; r < n; ++r) right[r] = !(v[r] <= node.threshold);
  }
}

inline void satisfied(const LeafPath& leaf, const std::uint8_t* right, i64 n, Set* out) {
  const Set full = (Set(1) << leaf.slots.size()) - 1;
  for (i64 r = 0; r < n; ++r) out[r] = full;
  for (const Condition& c : leaf.conditions) {
    const std::uint8_t* answer = right + i64(c.node) * n;
    for (i64 r = 0; r < n; ++r) out[r] &= ~(Set(answer[r] ^ c.right) << c.bit);
  }
}

class BackgroundShap {
 public:
  BackgroundShap(const TreeView& view, const Matrix& x, const Matrix& background, const double* value, i64 k, double* out)
      : view_(view), x_(x, view), background_(background, view), value_(value), k_(k), out_(out) {
    for (i64 a = 0; a <= most_path_features; ++a)
      for (i64 v = 0; v <= most_path_features - a; ++v) weight_[a][v] = std::exp(std::lgamma(a + 1.0) + std::lgamma(v + 1.0) - std::lgamma(a + v + 2.0));
    for (i64 a = 0; a < 12; ++a)  // small factorials are exact
      for (i64 v = 0; v < 12 - a; ++v) weight_[a][v] = std::round(std::tgamma(a + 1.0)) * std::round(std::tgamma(v + 1.0)) / std::round(std::tgamma(a + v + 2.0));
  }

  // False when a path is too long.
  bool run() {
    for (i64 t = 0; t < view_.n_trees; ++t)
      if (!add_tree(view_.plans[t])) return false;
    return true;
  }

 private:
  bool add_tree(const TreePlan& plan) {
    leaves_.clear();
    if (!find_leaves(plan, 0, LeafPath{})) return false;
    const i64 b = background_.rows;
    std::vector<std::uint8_t> right(std::size_t((plan.end - plan.root) * b));
    answers(view_, plan, background_, 0, b, right.data());
    std::vector<Set> sets(static_cast<std::size_t>(b));
    for (LeafPath& leaf : leaves_) {
      satisfied(leaf, right.data(), b, sets.data());
      count_kinds(leaf, sets);
    }
    const i64 rows = most<i64>(64, least<i64>(2048, (i64(1) << 23) / (plan.end - plan.root))), blocks = ceil_div(x_.rows, rows);
    const int threads = threads_for(8 * x_.rows * (plan.end - plan.root), blocks);
    std::atomic<bool> full = false;  // no exception may leave a parallel region
    for_chunks(blocks, threads, [&](i64 c, int) {
      try {
        add_rows(plan, c * rows, least(rows, x_.rows - c * rows));
      } catch (const std::bad_alloc&) {
        full = true;
      }
    });
    if (full) throw std::bad_alloc();
    return true;
  }

  bool find_leaves(const TreePlan& plan, std::int32_t at, LeafPath way) {
    const PackedNode& node = view_.nodes[plan.root + at];
    if (node.left == at) {
      way.node = at;
      leaves_.push_back(std::move(way));
      return true;
    }
    const std::int32_t slot = node.feature & slot_mask;
    std::size_t bit = 0;
    while (bit < way.slots.size() && way.slots[bit] != slot) ++bit;
    if (bit == way.slots.size()) way.slots.push_back(slot);
    if (i64(way.slots.size()) > most_path_features || i64(way.conditions.size()) >= most_conditions) return false;
    way.conditions.push_back({at, 0, std::uint8_t(bit)});
    if (!find_leaves(plan, node.left, way)) return false;
    way.conditions.back().right = 1;
    return find_leaves(plan, node.left + 1, std::move(way));
  }

  void count_kinds(LeafPath& leaf, const std::vector<Set>& sets) const {
    std::unordered_map<Set, std::size_t> number;
    for (const Set s : sets) {
      const auto [place, added] = number.try_emplace(s, leaf.kinds.size());
      if (added) leaf.kinds.push_back(s), leaf.shares.push_back(0.0);
      leaf.shares[place->second] += 1.0;
    }
    for (double& s : leaf.shares) s /= double(sets.size());
  }

  // The values of a row that satisfies `own`, for a leaf that pays 1.
  void values_of(const LeafPath& leaf, Set own, double* out) const {
    const std::size_t m = leaf.slots.size();
    const Set full = (Set(1) << m) - 1;
    std::fill_n(out, m, 0.0);
    for (std::size_t c = 0; c < leaf.kinds.size(); ++c) {
      const Set other = leaf.kinds[c];
      if ((own | other) != full) continue;
      const Set mine = own & ~other, theirs = other & ~own;
      const int a = std::popcount(mine), v = std::popcount(theirs);
      for (Set s = mine; s; s &= s - 1) out[std::countr_zero(s)] += leaf.shares[c] * weight_[a - 1][v];
      for (Set s = theirs; s; s &= s - 1) out[std::countr_zero(s)] -= leaf.shares[c] * weight_[a][v - 1];
    }
  }

  void add_rows(const TreePlan& plan, i64 first, i64 n) const {
    std::vector<std::uint8_t> right(std::size_t((plan.end - plan.root) * n));
    answers(view_, plan, x_, first, n, right.data());
    std::vector<Set> sets(static_cast<std::size_t>(n));
    std::unordered_map<Set, std::size_t> number;
    std::vector<double> found;
    std::vector<std::int32_t> seen;
    for (const LeafPath& leaf : leaves_) {
      const std::size_t m = leaf.slots.size();
      satisfied(leaf, right.data(), n, sets.data());
      const bool table = m <= 12;
      number.clear(), found.clear(), seen.assign(table ? std::size_t(1) << m : 0, -1);
      for (i64 r = 0; r < n; ++r) {
        std::size_t at = found.size() / most<std::size_t>(m, 1);
        if (table) {
          if (seen[sets[r]] < 0) seen[sets[r]] = std::int32_t(at);
          at = std::size_t(seen[sets[r]]);
        } else {
          at = number.try_emplace(sets[r], at).first->second;
        }
        if (at * m == found.size()) {
          found.resize(found.size() + m);
          values_of(leaf, sets[r], found.data() + at * m);
        }
        add_values(leaf, found.data() + at * m, value_ + (plan.root + leaf.node) * k_, out_ + (first + r) * view_.n_columns * k_);
      }
    }
  }

  void add_values(const LeafPath& leaf, const double* part, const double* value, double* out) const {
    for (std::size_t j = 0; j < leaf.slots.size(); ++j)
      for (i64 c = 0; c < k_; ++c) out[i64(view_.column[leaf.slots[j]]) * k_ + c] += part[j] * value[c];
  }

  TreeView view_;
  Columns x_, background_;
  const double* value_;
  i64 k_;
  double* out_;
  double weight_[most_path_features + 1][most_path_features + 1] = {};
  std::vector<LeafPath> leaves_;
};

}  // namespace empirisk::EMPIRISK_ISA
