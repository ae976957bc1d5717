// Absolute error with medians: each node's targets are sorted once, a sweep over a column then removes its rows one by one.
// Categories are put in the order of their medians, which is a heuristic.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "trees/median_list.hpp"
#include "trees/sorted_categories.hpp"

namespace empirisk {

template <bool Weighted>
class MedianSearch {
 public:
  static constexpr int D = Weighted ? 2 : 1;
  using Row = Entry<D>;

  MedianSearch(const GrowPlan& plan, const KeyBits& bits, std::int64_t most_categories)
      : plan_(plan), bits_(bits), most_(most_categories), table_(1) {}

  // The place of each row among its node's targets is common to the threads of a grove.
  void prepare(std::int64_t n, MedianSearch& of_first) {
    if (&of_first == this) place_ = std::make_shared<std::vector<std::int32_t>>(std::size_t(n));
    else place_ = of_first.place_;
    list_.resize(std::size_t(n)), left_.resize(std::size_t(n)), gain_.resize(std::size_t(n));
    const std::int64_t most = std::min(n, most_);
    table_.reserve(most);
    if (most > 0) sorted_.resize(std::size_t(n)), places_.reserve(std::size_t(n)), median_.reserve(std::size_t(most)), start_.reserve(std::size_t(most) + 1);
  }

  void measure(const Row* begin, const Row* end, GrowNode& t) const {
    const std::size_t n = std::size_t(end - begin);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [begin](std::uint32_t s, std::uint32_t u) { return begin[s].v[0] != begin[u].v[0] ? begin[s].v[0] < begin[u].v[0] : s < u; });
    t.targets.resize(n), t.masses.resize(Weighted ? n : 0);
    double total = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const Row& e = begin[order[k]];
      (*place_)[bits_.row(e.key)] = std::int32_t(k);
      t.targets[k] = e.v[0], total += weight(e);
      if constexpr (Weighted) t.masses[k] = e.v[1];
    }
    t.sums.b = total, t.sums.min_weight = plan_.limits.min_weight_leaf;
    t.pure = t.targets.front() == t.targets.back();
    t.value = median(t.targets.data(), masses(t), n, total);
    t.cost = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      t.targets[k] -= t.value;
      t.cost += (Weighted ? t.masses[k] : 1.0) * std::fabs(t.targets[k]);
    }
    t.slack = 1e-12 * t.cost;
    if (plan_.terminal(t)) t.targets = {}, t.masses = {};
  }

  // The root of a job has been measured by another grove.
  void enter(const Row* begin, const Row* end, GrowNode& t) { measure(begin, end, t); }

  void leaf(const GrowNode& t, double* out) const { *out = t.value; }

  Split number(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    Split best;
    best.gain = plan_.floor(t.slack);
    sweep(x + t.begin, known - t.begin, false, t, best);
    if (known < t.end && known > t.begin) sweep(x + t.begin, known - t.begin, true, t, best);
    if (best.cut > 0) best.column = column;
    return best;
  }

  Split category(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    arrange(x, known, t);
    Split best;
    best.gain = plan_.floor(t.slack);
    sweep(sorted_.data(), known - t.begin, false, t, best);
    if (known < t.end && known > t.begin) sweep(sorted_.data(), known - t.begin, true, t, best);
    if (best.cut > 0) best.column = column;
    return best;
  }

  std::vector<std::uint32_t> category_set(const Row* x, std::int64_t known, const GrowNode& t, std::int64_t n_categories) {
    arrange(x, known, t);
    std::int64_t rows = 0, cut = 0;
    while (rows < t.best.cut) rows += table_.count(cut++);
    return table_.set(cut, n_categories);
  }
  void add_absent(std::vector<std::uint32_t>& words, std::int64_t n_categories) const { table_.add_absent(words, n_categories); }

 private:
  static double weight(const Row& e) {
    if constexpr (Weighted) return e.v[1];
    return 1.0;
  }
  static const double* masses(const GrowNode& t) { return Weighted ? t.masses.data() : nullptr; }
  std::int32_t place(const Row& e) const { return (*place_)[bits_.row(e.key)]; }

  // The middle of the interval of medians.
  static double median(const double* y, const double* w, std::size_t n, double total) {
    double below = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      below += w ? w[k] : 1.0;
      if (below > 0.5 * total) return y[k];
      if (below == 0.5 * total && k + 1 < n) return 0.5 * y[k] + 0.5 * y[k + 1];
    }
    return y[n - 1];
  }

  // Costs of left sides, shrinking from the high end; of right sides, shrinking from the low end; then the cuts in order.
  void sweep(const Row* x, std::int64_t known, bool missing_left, const GrowNode& t, Split& best) {
    const std::int64_t end = t.rows(), missing = end - known, least = plan_.limits.min_rows_leaf;
    const std::int64_t first = std::max<std::int64_t>(0, least - 1 - (missing_left ? missing : 0));
    const std::int64_t last = missing_left ? known - 1 - least : std::min(end - 1 - least, missing > 0 ? known - 1 : known - 2);
    if (first > last) return;
    fill(x, 0, last + 1, missing_left ? known : end, end, t);
    for (std::int64_t i = last;; --i) {
      left_[std::size_t(i)] = list_.total() >= t.sums.min_weight ? list_.cost() : refused;
      if (i == first) break;
      list_.remove(place(x[i]));
    }
    fill(x, first + 1, known, missing_left ? end : known, end, t);
    for (std::int64_t i = first; i <= last; ++i) {
      const bool between = ((x[i].key ^ x[i + 1].key) >> bits_.rank_shift()) != 0 && list_.total() >= t.sums.min_weight;
      const double gain = between ? t.cost - left_[std::size_t(i)] - list_.cost() : -refused;
      if (gain > best.gain + t.slack) best.gain = gain, best.cut = i + 1, best.missing_left = missing_left;
      if (i < last) list_.remove(place(x[i + 1]));
    }
  }

  // The rows [begin, end) and [more, last) of x.
  void fill(const Row* x, std::int64_t begin, std::int64_t end, std::int64_t more, std::int64_t last, const GrowNode& t) {
    list_.open(t.targets.size(), t.targets.data(), masses(t));
    for (std::int64_t i = begin; i < end; ++i) list_.put(place(x[i]));
    for (std::int64_t i = more; i < last; ++i) list_.put(place(x[i]));
    list_.close();
  }

  // Rows in the order of the medians of their categories, with the place in that order as rank.
  void arrange(const Row* x, std::int64_t known, const GrowNode& t) {
    table_.collect(x + t.begin, x + known, bits_, [](const Row&, double*) {});
    std::int64_t at = t.begin;
    median_.clear();
    for (std::int64_t c = 0; c < table_.size(); ++c) {
      places_.clear();
      double total = 0.0, below = 0.0;
      for (std::int64_t i = 0; i < table_.count(c); ++i) places_.push_back(place(x[at + i])), total += weight(x[at + i]);
      std::sort(places_.begin(), places_.end());
      std::size_t k = 0;
      for (; k + 1 < places_.size(); ++k)
        if ((below += Weighted ? t.masses[std::size_t(places_[k])] : 1.0) >= 0.5 * total) break;
      median_.push_back(t.targets[std::size_t(places_[k])]), at += table_.count(c);
    }
    start_.assign(std::size_t(table_.size()) + 1, t.begin);
    for (std::int64_t c = 0; c < table_.size(); ++c) start_[std::size_t(c) + 1] = start_[std::size_t(c)] + table_.count(c);
    table_.sort_by(median_);
    std::size_t out = 0;
    for (std::int64_t c = 0; c < table_.size(); ++c)
      for (std::int64_t i = 0; i < table_.count(c); ++i) {
        Row e = x[start_[table_.number(c)] + i];
        e.key = bits_.pack(std::uint64_t(c), bits_.row(e.key), 0);
        sorted_[out++] = e;
      }
    for (std::int64_t i = known; i < t.end; ++i) sorted_[out++] = x[i];
  }

  static constexpr double refused = std::numeric_limits<double>::infinity();
  const GrowPlan& plan_;
  KeyBits bits_;
  std::int64_t most_;
  CategoryTable table_;
  MedianList list_;
  std::shared_ptr<std::vector<std::int32_t>> place_;
  std::vector<double> left_, gain_, median_;
  std::vector<std::int32_t> places_;
  std::vector<std::int64_t> start_;
  std::vector<Row> sorted_;
};

}  // namespace empirisk
