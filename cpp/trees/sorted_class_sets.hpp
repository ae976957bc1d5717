// Sets of categories for K classes: all of them where few categories are present, otherwise the beginnings of K orders, the
// categories sorted by the share of one class. The best of those is a heuristic for K > 2.
#pragma once
#include "trees/criteria.hpp"
#include "trees/sorted_categories.hpp"

namespace empirisk {

inline double class_score(const GrowPlan& plan, const double* s) {
  using namespace EMPIRISK_ISA;
  if (plan.kind == SplitKind::squared) return GiniScore{}(s, plan.n_classes);
  if (plan.kind == SplitKind::entropy) return EntropyScore{}(s, plan.n_classes);
  return ErrorScore{}(s, plan.n_classes);
}

class ClassSets {
 public:
  static constexpr std::int64_t enumerated = 10;  // categories of which all sets are tried

  explicit ClassSets(const GrowPlan& plan) : plan_(plan), k_(plan.n_classes), table_(plan.n_classes) {}
  void reserve(std::int64_t most) { table_.reserve(most), missing_.resize(std::size_t(k_)), left_.resize(std::size_t(k_)), right_.resize(std::size_t(k_)); }

  template <class Row, class Add>
  void collect(const Row* begin, const Row* known, const Row* end, const KeyBits& bits, const Add& add) {
    table_.collect(begin, known, bits, add);
    std::fill(missing_.begin(), missing_.end(), 0.0);
    missing_rows_ = end - known;
    for (const Row* e = known; e != end; ++e) add(*e, missing_.data());
  }

  Split search(const GrowNode& t) {
    Split best;
    best.gain = plan_.floor(t.slack);
    if (table_.size() <= enumerated) {
      all_sets(false, t, best);
      if (missing_rows_ > 0) all_sets(true, t, best);
      return best;
    }
    for (int c = 0; c < k_; ++c) {
      if (!(t.classes[std::size_t(c)] > 0.0)) continue;
      order_by(c);
      beginnings(c, false, t, best);
      if (missing_rows_ > 0) beginnings(c, true, t, best);
    }
    return best;
  }

  std::vector<std::uint32_t> set(const Split& found, std::int64_t n_categories) {
    if (found.ordering < 0) return table_.subset(std::uint64_t(found.cut), n_categories);
    order_by(found.ordering);
    return table_.set(found.cut, n_categories);
  }
  void add_absent(std::vector<std::uint32_t>& words, std::int64_t n_categories) const { table_.add_absent(words, n_categories); }

 private:
  void order_by(int c) {
    table_.sort([this, c](const double* s) {
      double total = 0.0;
      for (int i = 0; i < k_; ++i) total += s[i];
      return total > 0.0 ? s[c] / total : 0.0;
    });
  }

  void start(bool missing_left, std::int64_t& rows) {
    for (std::size_t i = 0; i < std::size_t(k_); ++i) left_[i] = missing_left ? missing_[i] : 0.0, right_[i] = missing_left ? 0.0 : missing_[i];
    for (std::int64_t c = 0; c < table_.size(); ++c)
      for (int i = 0; i < k_; ++i) right_[std::size_t(i)] += table_.sums(c)[i];
    rows = missing_left ? missing_rows_ : 0;
  }

  void move(std::int64_t c, bool to_left, std::int64_t& rows) {
    const double *s = table_.sums(c), sign = to_left ? 1.0 : -1.0;
    for (int i = 0; i < k_; ++i) left_[std::size_t(i)] += sign * s[i], right_[std::size_t(i)] -= sign * s[i];
    rows += to_left ? table_.count(c) : -table_.count(c);
  }

  void consider(std::int64_t rows, const GrowNode& t, bool missing_left, int ordering, std::int64_t cut, Split& best) const {
    const std::int64_t least = plan_.limits.min_rows_leaf;
    if (rows < least || t.rows() - rows < least) return;
    if (t.sums.min_weight > 0.0 && (sum(left_) < t.sums.min_weight || sum(right_) < t.sums.min_weight)) return;
    const double gain = class_score(plan_, left_.data()) + class_score(plan_, right_.data()) - t.sums.score;
    if (gain > best.gain + t.slack) best.gain = gain, best.missing_left = missing_left, best.ordering = ordering, best.cut = cut;
  }

  static double sum(const std::vector<double>& s) {
    double total = 0.0;
    for (double v : s) total += v;
    return total;
  }

  // Sets that hold the first category, in the order of a Gray code: one category moves at a time.
  void all_sets(bool missing_left, const GrowNode& t, Split& best) {
    std::int64_t rows = 0;
    start(missing_left, rows);
    if (table_.size() == 0) return;
    move(0, true, rows);
    std::uint64_t chosen = 1;
    for (std::uint64_t step = 0;; ++step) {
      consider(rows, t, missing_left, -1, std::int64_t(chosen), best);
      if (step + 1 == std::uint64_t(1) << (table_.size() - 1)) return;
      const int which = std::countr_zero(step + 1) + 1;
      chosen ^= std::uint64_t(1) << which;
      move(which, chosen >> which & 1, rows);
    }
  }

  void beginnings(int ordering, bool missing_left, const GrowNode& t, Split& best) {
    std::int64_t rows = 0;
    start(missing_left, rows);
    for (std::int64_t c = 0; c < table_.size(); ++c) move(c, true, rows), consider(rows, t, missing_left, ordering, c + 1, best);
  }

  const GrowPlan& plan_;
  int k_;
  CategoryTable table_;
  std::vector<double> missing_, left_, right_;
  std::int64_t missing_rows_ = 0;
};

}  // namespace empirisk
