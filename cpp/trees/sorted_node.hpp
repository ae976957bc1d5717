// A node under growth: a stretch of every column's order, its sums, and the best split found.
#pragma once
#include <atomic>
#include <exception>
#include <vector>

#include "trees/limits.hpp"
#include "trees/split_node.hpp"

namespace empirisk {

struct GrowNode {
  std::int64_t begin = 0, end = 0;  // in every column
  std::int32_t id = 0, depth = 0;
  SplitNode sums;
  std::vector<double> classes;  // K classes: their weights
  std::vector<double> targets, masses;  // absolute error: the node's targets in order, about their median, and their weights
  double cost = 0.0;            // weight times heterogeneity
  double value = 0.0;           // of one output
  double slack = 0.0;           // gains that differ by less are equal
  bool pure = false;
  std::uint64_t key = 0;             // of the node's random numbers
  std::vector<std::int32_t> active;  // columns that are not constant here, ascending
  Split best;

  std::int64_t rows() const { return end - begin; }
};

struct Interrupted : std::exception {};

// Asks now and then whether to go on; only the thread that called may ask.
class Patience {
 public:
  explicit Patience(bool (*go_on)()) : go_on_(go_on) {}
  bool over(int thread) {
    if (thread == 0 && go_on_ && !over_ && !go_on_()) over_ = true;
    return over_;
  }
  void check() const {
    if (over_) throw Interrupted();
  }

 private:
  bool (*go_on_)();
  std::atomic<bool> over_{false};
};

// How a tree is grown: what is the same for all nodes.
struct GrowPlan {
  GrowthLimits limits;
  SplitKind kind = SplitKind::squared;
  double factor = 1.0, l2 = 0.0;
  bool strict = false;             // a split must lower the cost; otherwise it must not raise it
  std::vector<std::int8_t> signs;  // monotonic constraints; empty: none
  int n_classes = 0;               // of the K-class criteria
  SplitGains gains = nullptr;

  // The gain that the first split of a node has to exceed by more than the slack.
  double floor(double slack) const {
    if (limits.min_gain > 0.0) return limits.min_gain - 2.0 * slack;
    return strict ? 0.0 : -2.0 * slack;
  }

  bool terminal(const GrowNode& t) const {
    return t.pure || (limits.max_depth >= 0 && t.depth >= limits.max_depth) || t.rows() < limits.min_rows_split ||
           t.rows() < 2 * limits.min_rows_leaf || t.sums.b < 2.0 * limits.min_weight_leaf;
  }
};

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

}  // namespace empirisk
