// The best trees of depth one, on the two sides of a cut at once: the innermost step of the search for optimal trees.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace empirisk {

constexpr double no_cost = std::numeric_limits<double>::infinity();

// Rows as ranks of their values: rank[column * n + row]; cuts lie between different ranks.
struct RankedRows {
  std::int64_t n = 0;
  std::int32_t p = 0;
  const std::int32_t* rank = nullptr;
  const std::int32_t* label = nullptr;  // class codes; null for numbers
  const double* y = nullptr;            // numbers, centred; null for classes
  const double* weight = nullptr;
  int n_classes = 0;
  double leaf_penalty = 0.0;

  std::int32_t at(std::int32_t column, std::int32_t row) const { return rank[std::int64_t(column) * n + row]; }
};

// Weights of the classes; the cost of a leaf is the weight of its errors.
struct ErrorSums {
  std::vector<double> mass;
  double total = 0.0;
  explicit ErrorSums(const RankedRows& d) : mass(std::size_t(d.n_classes), 0.0) {}
  void clear() { std::fill(mass.begin(), mass.end(), 0.0), total = 0.0; }
  void add(const RankedRows& d, std::int32_t row) { mass[std::size_t(d.label[row])] += d.weight[row], total += d.weight[row]; }
  double cost() const { return total - *std::max_element(mass.begin(), mass.end()); }
  double cost_of_rest(const ErrorSums& whole) const {
    double best = 0.0;
    for (std::size_t c = 0; c < mass.size(); ++c) best = std::max(best, whole.mass[c] - mass[c]);
    return (whole.total - total) - best;
  }
};

// Moments of the targets; the cost of a leaf is the sum of squares about its mean.
struct SquareSums {
  double a = 0.0, b = 0.0, square = 0.0;
  explicit SquareSums(const RankedRows&) {}
  void clear() { a = b = square = 0.0; }
  void add(const RankedRows& d, std::int32_t row) {
    const double w = d.weight[row], wy = w * d.y[row];
    b += w, a += wy, square += wy * d.y[row];
  }
  double cost() const { return b > 0.0 ? std::max(0.0, square - a * a / b) : 0.0; }
  double cost_of_rest(const SquareSums& whole) const {
    const double rest_a = whole.a - a, rest_b = whole.b - b;
    return rest_b > 0.0 ? std::max(0.0, whole.square - square - rest_a * rest_a / rest_b) : 0.0;
  }
};

// A cut: ranks up to `low` go left, those from `high` on go right; column -1 is a leaf.
struct RankCut {
  std::int32_t column = -1, low = 0, high = 0;
};

struct StumpFit {
  double cost = no_cost;
  RankCut cut;
};

// Sorted rows of a node: for each column one list of the same rows.
using SortedLists = std::vector<std::vector<std::int32_t>>;

// The best stumps (or leaves) of the rows with side[row] == 0 and == 1, in one pass over the lists.
template <class Sums>
class TwoStumps {
 public:
  explicit TwoStumps(const RankedRows& d) : d_(d), whole_{Sums(d), Sums(d)}, left_{Sums(d), Sums(d)} {}

  void run(const SortedLists& lists, const std::uint8_t* side, StumpFit fit[2]) {
    for (int s = 0; s < 2; ++s) whole_[s].clear();
    for (std::int32_t row : lists[0]) whole_[side[row]].add(d_, row);
    for (int s = 0; s < 2; ++s) fit[s] = {whole_[s].cost() + d_.leaf_penalty, {}};
    for (std::int32_t j = 0; j < d_.p; ++j) column(lists[std::size_t(j)], side, j, fit);
  }

 private:
  void column(const std::vector<std::int32_t>& list, const std::uint8_t* side, std::int32_t j, StumpFit fit[2]) {
    std::int32_t last[2] = {-1, -1};
    bool seen[2] = {false, false};
    left_[0].clear(), left_[1].clear();
    const std::int32_t* rank = d_.rank + std::int64_t(j) * d_.n;
    for (std::int32_t row : list) {
      const int s = side[row];
      const std::int32_t r = rank[row];
      if (seen[s] && r != last[s]) {
        const double cost = left_[s].cost() + left_[s].cost_of_rest(whole_[s]) + 2.0 * d_.leaf_penalty;
        if (cost < fit[s].cost) fit[s] = {cost, {j, last[s], r}};
      }
      last[s] = r, seen[s] = true;
      left_[s].add(d_, row);
    }
  }

  const RankedRows& d_;
  Sums whole_[2], left_[2];
};

}  // namespace empirisk
