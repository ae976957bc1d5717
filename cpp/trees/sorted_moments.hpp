// Two moments of sorted rows: what a cell adds, what a node costs, and the best cut of a number.
#pragma once
#include <algorithm>
#include <cmath>

#include "trees/sorted_categories.hpp"

namespace empirisk {

// What a cell carries: nothing but its class; class and weight; y; y and weight; or the two moments themselves.
enum class Cell { label, label_weight, target, target_weight, pair };

constexpr int cell_doubles(Cell c) { return c == Cell::label ? 0 : c == Cell::target || c == Cell::label_weight ? 1 : 2; }

// The best cuts of one node's columns, by two moments. One object for each thread.
template <Cell C>
class MomentSearch {
 public:
  static constexpr int D = cell_doubles(C);
  using Row = Entry<D>;

  MomentSearch(const GrowPlan& plan, const KeyBits& bits, std::int64_t most_categories)
      : plan_(plan), bits_(bits), shift_(bits.rank_shift()), most_(most_categories), found_(2) {}
  void prepare(std::int64_t n, MomentSearch&) { found_.reserve(std::min(n, most_)); }  // so that searches do not allocate
  void enter(const Row*, const Row*, const GrowNode&) {}

  static void add(const Row& e, double& a, double& b) {
    if constexpr (C == Cell::label) a += double(e.key & 1), b += 1.0;
    if constexpr (C == Cell::label_weight) a += double(e.key & 1) * e.v[0], b += e.v[0];
    if constexpr (C == Cell::target) a += e.v[0], b += 1.0;
    if constexpr (C == Cell::target_weight) a += e.v[0] * e.v[1], b += e.v[1];
    if constexpr (C == Cell::pair) a += e.v[0], b += e.v[1];
  }

  // Sums and cost of rows.
  void measure(const Row* begin, const Row* end, GrowNode& t) const {
    double a = 0.0, b = 0.0;
    for (const Row* e = begin; e != end; ++e) add(*e, a, b);
    t.sums.kind = plan_.kind, t.sums.factor = plan_.factor, t.sums.l2 = plan_.l2, t.sums.min_weight = plan_.limits.min_weight_leaf;
    t.sums.a = a, t.sums.b = b;
    t.value = b + plan_.l2 > 0.0 ? a / (b + plan_.l2) : 0.0;
    const double mean = b > 0.0 ? a / b : 0.0;
    if constexpr (C == Cell::label || C == Cell::label_weight) {
      t.pure = a == 0.0 || a == b;
      t.cost = t.pure ? 0.0 : class_cost(a, b);
      t.sums.score = -t.cost;
      t.slack = 1e-12 * t.cost + 1e-15 * b;
    } else if (plan_.kind == SplitKind::newton) {
      t.sums.score = a * t.value;
      t.cost = -t.sums.score;
      double size = 0.0;
      for (const Row* e = begin; e != end; ++e) size += std::fabs(e->v[0]);
      t.slack = 1e-12 * t.sums.score + 1e-15 * size * std::fabs(t.value);
    } else {
      target_cost(begin, end, mean, t);
    }
  }

  // The best cut of a column whose numbers stand in [begin, known) and whose missing rows in [known, end).
  Split number(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    const std::int64_t begin = t.begin, end = t.end, least = plan_.limits.min_rows_leaf;
    const bool missing = known < end;
    Split best;
    best.gain = plan_.floor(t.slack);
    SplitNode node = t.sums;
    node.sign = plan_.signs.empty() ? 0 : plan_.signs[std::size_t(column)];
    scan(x, begin, begin + least - 1, std::min(end - 1 - least, missing ? known - 1 : known - 2), 0.0, 0.0, false, node, t.slack, best);
    if (missing && known > begin) {
      double a = 0.0, b = 0.0;
      for (std::int64_t i = known; i < end; ++i) add(x[i], a, b);
      scan(x, begin, begin + std::max<std::int64_t>(0, least - 1 - (end - known)), known - 1 - least, a, b, true, node, t.slack, best);
    }
    if (best.cut > 0) best.column = column;
    return best;
  }

  // What a leaf predicts: the mean within its bounds, or the shares of the two classes.
  void leaf(const GrowNode& t, double* out) const {
    const double value = std::clamp(t.value, t.sums.low, t.sums.high);
    if constexpr (C == Cell::label || C == Cell::label_weight) out[0] = 1.0 - value, out[1] = value;
    else out[0] = value;
  }

  // The best of all sets of categories: one of the beginnings of their order by mean.
  Split category(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    collect(x, known, t);
    Split best;
    best.gain = plan_.floor(t.slack);
    double a = 0.0, b = 0.0;
    for (std::int64_t i = known; i < t.end; ++i) add(x[i], a, b);
    beginnings(0.0, 0.0, 0, t.end - known, false, t, best);
    if (known < t.end) beginnings(a, b, t.end - known, 0, true, t, best);
    if (best.cut > 0) best.column = column;
    return best;
  }

  // The set that category() found, one bit a category.
  std::vector<std::uint32_t> category_set(const Row* x, std::int64_t known, const GrowNode& t, std::int64_t n_categories) {
    collect(x, known, t);
    return found_.set(t.best.cut, n_categories);
  }
  void add_absent(std::vector<std::uint32_t>& words, std::int64_t n_categories) const { found_.add_absent(words, n_categories); }

  double class_cost(double a, double b) const {
    const double other = b - a;
    if (plan_.kind == SplitKind::error) return std::fmin(a, other);
    if (plan_.kind == SplitKind::entropy) return -(a * std::log(a / b) + other * std::log(other / b));
    return 2.0 * a * (other / b);
  }

  // Considers gains of cuts; the sums of the i-th are a[i], b[i].
  template <class Take>
  void consider(const SplitNode& node, std::int64_t m, double slack, Split& best, const Take& take) {
    if (m == 0 || !(plan_.gains(node, a_, b_, m, gain_) > best.gain + slack)) return;
    for (std::int64_t k = 0; k < m; ++k)
      if (gain_[k] > best.gain + slack) best.gain = gain_[k], take(k);
  }

  static constexpr std::int64_t block = 256;
  double a_[block + 1], b_[block + 1], gain_[block + 1];
  std::int64_t at_[block + 1];

 private:
  static double target(const Row& e) { return e.v[0]; }
  static double weight(const Row& e) {
    if constexpr (C == Cell::target_weight) return e.v[1];
    return 1.0;
  }

  void collect(const Row* x, std::int64_t known, const GrowNode& t) {
    found_.collect(x + t.begin, x + known, bits_, [](const Row& e, double* sums) { add(e, sums[0], sums[1]); });
    found_.sort([](const double* sums) { return sums[1] > 0.0 ? sums[0] / sums[1] : sums[0] * std::numeric_limits<double>::infinity(); });
  }

  // Cuts of the order of the categories; a, b and `rows` of missing values stand on the left, `others` rows on the right.
  void beginnings(double a, double b, std::int64_t rows, std::int64_t others, bool missing_left, const GrowNode& t, Split& best) {
    const std::int64_t least = plan_.limits.min_rows_leaf, total = t.rows();
    const std::int64_t last = others > 0 ? found_.size() : found_.size() - 1;
    for (std::int64_t c = 0; c < last;) {
      std::int64_t m = 0;
      for (; c < last && m < block; ++c) {
        const double* sums = found_.sums(c);
        a += sums[0], b += sums[1], rows += found_.count(c);
        a_[m] = a, b_[m] = b, at_[m] = c + 1;
        m += rows >= least && total - rows >= least;
      }
      consider(t.sums, m, t.slack, best, [&](std::int64_t k) { best.cut = at_[k], best.missing_left = missing_left; });
    }
  }

  // Squared error and Poisson deviance about the mean, in a pass of their own: sums of squares would cancel.
  void target_cost(const Row* begin, const Row* end, double mean, GrowNode& t) const {
    double low = target(*begin), high = low, cost = 0.0, least = weight(*begin);
    for (const Row* e = begin; e != end; ++e) {
      const double y = target(*e), d = y - mean;
      low = std::min(low, y), high = std::max(high, y), least = std::min(least, double(weight(*e)));
      if (plan_.kind == SplitKind::squared) cost += weight(*e) * d * d;
      else if (y > 0.0) cost += 2.0 * weight(*e) * y * std::log(y / mean);
    }
    t.pure = low == high;
    t.cost = t.pure ? 0.0 : std::fmax(cost, 0.0);
    const double a = t.sums.a, b = t.sums.b;
    t.sums.score = plan_.kind == SplitKind::squared ? a * mean : a > 0.0 ? 2.0 * a * std::log(mean) : 0.0;
    const double size = std::fmax(std::fabs(low), std::fabs(high));
    if (plan_.kind == SplitKind::squared) {
      // The mean is off by a rounding of `size`, which moves a gain by 2 size sqrt(gain B) sqrt(b / (B - b)) roundings.
      const double uneven = std::fmin(std::sqrt(b / least), 1e3);
      t.slack = 1e-12 * t.cost + 4e-16 * size * std::sqrt(b * t.cost) * uneven;
    } else {
      t.slack = 1e-12 * t.cost + 1e-15 * (a + std::fabs(t.sums.score));
    }
  }

  // Cuts after the entries first .. last; a and b are the sums of what stands left of `begin`.
  void scan(const Row* x, std::int64_t begin, std::int64_t first, std::int64_t last, double a, double b, bool missing_left, const SplitNode& node, double slack,
            Split& best) {
    std::int64_t i = begin;
    for (; i < first; ++i) add(x[i], a, b);
    while (i <= last) {
      const std::int64_t end = std::min(last + 1, i + block);
      std::int64_t m = 0;
      for (; i < end; ++i) {
        add(x[i], a, b);
        a_[m] = a, b_[m] = b, at_[m] = i + 1;
        m += ((x[i].key ^ x[i + 1].key) >> shift_) != 0;
      }
      consider(node, m, slack, best, [&](std::int64_t k) { best.cut = at_[k] - begin, best.missing_left = missing_left; });
    }
  }

  const GrowPlan& plan_;
  KeyBits bits_;
  int shift_;
  std::int64_t most_;
  CategoryTable found_;
};

}  // namespace empirisk
