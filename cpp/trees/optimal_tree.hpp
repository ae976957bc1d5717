// The tree of a given depth with the least cost + penalty x leaves, over all cuts: branch and bound on intervals of cuts.
// The best cost of a set of rows never rises when rows leave it. So between two cuts of a column, whose left sides and right sides
// are nested, cost(cut) >= (left cost at the lower end) + (right cost at the upper end), and whole intervals are passed over.
#pragma once
#include <functional>
#include <queue>

#include "trees/optimal_stump.hpp"

namespace empirisk {

// The cuts of a tree in heap order: the children of k are 2k + 1 and 2k + 2.
struct OptimalFit {
  double cost = no_cost;   // of the tree found; infinite when none is below the limit
  double bound = 0.0;      // the optimum is at least this
  std::vector<RankCut> cuts;
};

template <class Sums>
class OptimalSearch {
 public:
  OptimalSearch(const RankedRows& d, std::function<bool()> stop)
      : d_(d), stop_(std::move(stop)), stumps_(d), sums_(d), side_(std::size_t(d.n), 0) {}

  OptimalFit run(int depth) {
    SortedLists lists(std::size_t(d_.p));
    std::vector<std::int32_t> count;
    for (std::int32_t j = 0; j < d_.p; ++j) {
      auto& list = lists[std::size_t(j)];
      list.resize(std::size_t(d_.n));
      for (std::int64_t i = 0; i < d_.n; ++i) list[std::size_t(i)] = std::int32_t(i);
      std::stable_sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) { return d_.at(j, a) < d_.at(j, b); });
    }
    slack_ = 1e-12 * leaf(lists).cost;
    return solve(lists, depth, no_cost);
  }

 private:
  // Cuts first + 1, ..., last - 1 of a column are open; left cost at `first` >= low, right cost at `last` >= high.
  struct Open {
    double bound;
    std::int32_t column;
    std::int64_t first, last;
    double low, high;
    bool operator<(const Open& o) const { return bound != o.bound ? bound > o.bound : last - first < o.last - o.first; }
  };

  OptimalFit leaf(const SortedLists& lists) {
    sums_.clear();
    for (std::int32_t row : lists[0]) sums_.add(d_, row);
    OptimalFit f;
    f.cost = f.bound = sums_.cost() + d_.leaf_penalty;
    f.cuts.assign(1, RankCut{});
    return f;
  }

  // The optimum if it is below the limit; otherwise a lower bound that says that it is not.
  OptimalFit solve(const SortedLists& lists, int depth, double limit) {
    OptimalFit best = leaf(lists);
    if (depth == 0 || best.cost <= d_.leaf_penalty || lists[0].size() < 2) return best;
    if (depth == 1) {
      for (std::int32_t row : lists[0]) side_[std::size_t(row)] = 0;
      StumpFit fit[2];
      stumps_.run(lists, side_.data(), fit);
      best.cost = best.bound = fit[0].cost, best.cuts.assign(1, fit[0].cut);
      return best;
    }
    std::vector<std::vector<std::int64_t>> cuts(std::size_t(d_.p));
    std::priority_queue<Open> open;
    const double least = d_.leaf_penalty;
    lost_[std::size_t(depth)].clear();
    for (std::int32_t j = 0; j < d_.p; ++j) {
      cuts[std::size_t(j)] = positions(lists[std::size_t(j)], j);
      push(open, {0.0, j, -1, std::int64_t(cuts[std::size_t(j)].size()), least, least});
    }
    while (!open.empty()) {
      const Open o = open.top();
      const double goal = std::min(best.cost, limit) - slack_;
      if (o.bound >= goal || stopped(d_.p * std::int64_t(lists[0].size()))) break;
      open.pop();
      step(lists, cuts[std::size_t(o.column)], o, depth, limit, best, open);
    }
    best.bound = best.cost;
    if (!open.empty()) best.bound = std::min(best.cost, open.top().bound);
    for (double b : lost_[std::size_t(depth)]) best.bound = std::min(best.bound, b);
    if (best.bound >= best.cost - slack_) best.bound = best.cost;
    return best;
  }

  // Looks at the middle cut of an interval and opens the two halves.
  void step(const SortedLists& lists, const std::vector<std::int64_t>& cuts, const Open& o, int depth, double limit, OptimalFit& best,
            std::priority_queue<Open>& open) {
    const std::int64_t k = o.first + (o.last - o.first) / 2, at = cuts[std::size_t(k)];
    const auto& list = lists[std::size_t(o.column)];
    for (std::size_t i = 0; i < list.size(); ++i) side_[std::size_t(list[i])] = std::int64_t(i) >= at;
    OptimalFit sides[2];
    const double goal = std::min(best.cost, limit);
    if (depth == 2) {
      StumpFit fit[2];
      stumps_.run(lists, side_.data(), fit);
      for (int s = 0; s < 2; ++s) sides[s].cost = sides[s].bound = fit[s].cost, sides[s].cuts.assign(1, fit[s].cut);
    } else {
      SortedLists part[2];
      split(lists, part);
      sides[0] = solve(part[0], depth - 1, goal - o.high);
      sides[1] = solve(part[1], depth - 1, goal - o.low);
    }
    const double low = std::max(o.low, sides[0].bound), high = std::max(o.high, sides[1].bound), cost = sides[0].cost + sides[1].cost;
    if (cost < best.cost - slack_) {
      best.cost = cost;
      const RankCut here{o.column, d_.at(o.column, list[std::size_t(at - 1)]), d_.at(o.column, list[std::size_t(at)])};
      best.cuts = joined(here, sides, depth);
    }
    if (low + high < std::min(best.cost, limit) - slack_ && cost > low + high + slack_) lost_[std::size_t(depth)].push_back(low + high);
    const double spare = low + high - std::min(best.cost, limit);
    push(open, {0.0, o.column, o.first, before(list, cuts, k, o.first, spare), o.low, high});
    push(open, {0.0, o.column, after(list, cuts, k, o.last, spare), o.last, low, o.high});
  }

  void push(std::priority_queue<Open>& open, Open o) const {
    if (o.last - o.first <= 1) return;
    o.bound = o.low + o.high;
    open.push(o);
  }

  // Errors: a row that changes sides lowers the cost by its weight at most. The farthest cut that this rules out.
  std::int64_t after(const std::vector<std::int32_t>& list, const std::vector<std::int64_t>& cuts, std::int64_t k, std::int64_t end, double spare) const {
    if (!d_.label) return k;
    std::int64_t i = cuts[std::size_t(k)];
    while (k + 1 < end) {
      for (; i < cuts[std::size_t(k + 1)]; ++i) spare -= d_.weight[list[std::size_t(i)]];
      if (spare < 0.0) break;
      ++k;
    }
    return k;
  }
  std::int64_t before(const std::vector<std::int32_t>& list, const std::vector<std::int64_t>& cuts, std::int64_t k, std::int64_t end, double spare) const {
    if (!d_.label) return k;
    std::int64_t i = cuts[std::size_t(k)];
    while (k - 1 > end) {
      for (; i > cuts[std::size_t(k - 1)]; --i) spare -= d_.weight[list[std::size_t(i - 1)]];
      if (spare < 0.0) break;
      --k;
    }
    return k;
  }

  // How many rows go left, for every cut.
  std::vector<std::int64_t> positions(const std::vector<std::int32_t>& list, std::int32_t column) const {
    std::vector<std::int64_t> found;
    const std::int64_t m = std::int64_t(list.size());
    for (std::int64_t i = 1; i < m; ++i)
      if (d_.at(column, list[std::size_t(i - 1)]) != d_.at(column, list[std::size_t(i)])) found.push_back(i);
    return found;
  }

  void split(const SortedLists& lists, SortedLists part[2]) const {
    for (int s = 0; s < 2; ++s) part[s].resize(lists.size());
    for (std::size_t j = 0; j < lists.size(); ++j)
      for (std::int32_t row : lists[j]) part[side_[std::size_t(row)]][j].push_back(row);
  }

  static std::vector<RankCut> joined(const RankCut& root, const OptimalFit sides[2], int depth) {
    std::vector<RankCut> out((std::size_t(1) << depth) - 1);
    out[0] = root;
    for (int s = 0; s < 2; ++s) {
      const auto& sub = sides[s].cuts;
      for (std::size_t first = 0, width = 1; first < sub.size(); first += width, width *= 2)
        for (std::size_t i = 0; i < width && first + i < sub.size(); ++i) out[(2 * width - 1) + std::size_t(s) * width + i] = sub[first + i];
    }
    return out;
  }

  // Asks now and then: after so many cells of work.
  bool stopped(std::int64_t cells) {
    if (stopped_ || (work_ += cells) < (std::int64_t(1) << 22)) return stopped_;
    work_ = 0;
    return stopped_ = stop_();
  }

  const RankedRows& d_;
  std::function<bool()> stop_;
  TwoStumps<Sums> stumps_;
  Sums sums_;
  std::vector<std::uint8_t> side_;
  std::vector<double> lost_[8];  // bounds of cuts whose sides were not solved to the end, by depth
  double slack_ = 0.0;
  std::int64_t work_ = std::int64_t(1) << 22;
  bool stopped_ = false;
};

}  // namespace empirisk
