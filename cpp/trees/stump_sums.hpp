// Running sums of one side of a cut, and whether the cut is better than what was seen before. Weights are whole numbers
// (shares of 2^60), so that sums do not depend on the order of the rows.
//
// A policy has: restart (forget the bar), begin(sums of the left side), add(q, class), add_group(sums), improves, score,
// raise (the bar to this score) and bar_from (another running sum over the same rows). With two classes also limit (the bar
// is at least this) and bound: no cut among rows that take the left side from sums s to sums t scores more.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace empirisk {

constexpr double stump_unit = 0x1p60;        // weights sum to this
constexpr double stump_tie = 1e-12;          // scores closer than this share of the weight are equal
constexpr std::int64_t tie = std::int64_t(stump_tie * stump_unit);

// Two classes, rows signed by their class: q = weight * y. The edge of the better labelling is |2a - A| or |A|.
struct EdgeSums {
  static constexpr bool needs_class = false;
  std::int64_t total, a = 0, bar = 0;
  explicit EdgeSums(const std::int64_t* sums, int) : total(sums[0]) { restart(); }
  void restart() { bar = std::abs(total) + tie; }
  void bar_from(const EdgeSums& o) { bar = o.bar; }
  void begin(const std::int64_t* s) { a = s ? s[0] : 0; }
  void add(std::int64_t q, int) { a += q; }
  void add_group(const std::int64_t* s) { a += s[0]; }
  bool improves() const { return std::abs(2 * a - total) > bar; }
  double score() const { return score_at(a, 0); }
  double score_at(std::int64_t left, std::int64_t) const { return double(std::abs(2 * left - total)) / stump_unit; }
  void limit(double s) { bar = std::max(bar, std::int64_t(s * stump_unit)); }
  double bound(const std::int64_t* s, const std::int64_t* t) const {
    const std::int64_t up = (t[1] - s[1] + t[0] - s[0]) / 2, down = (t[1] - s[1] - t[0] + s[0]) / 2;
    return std::max(score_at(s[0] + up, 0), score_at(s[0] - down, 0));
  }
  void raise() { bar = std::abs(2 * a - total) + tie; }
};

// Two classes, confidence-rated: Z = sum over sides of 2 sqrt(W+ W-) = sqrt(b^2 - a^2), a = W+ - W-, b = W+ + W-.
// sqrt(u) + sqrt(v) < z is asked without roots: u + v < z^2 and 4 u v < (z^2 - u - v)^2.
struct NormaliserSums {
  static constexpr bool needs_class = false;
  std::int64_t total_a, total_b, a = 0, b = 0;
  double square = 0.0;  // of the bar for Z
  explicit NormaliserSums(const std::int64_t* sums, int) : total_a(sums[0]), total_b(sums[1]) { restart(); }
  void restart() { set_bar(root(total_a, total_b)); }
  void bar_from(const NormaliserSums& o) { square = o.square; }
  static double product(std::int64_t a, std::int64_t b) { return double(b - a) / stump_unit * (double(b + a) / stump_unit); }
  static double root(std::int64_t a, std::int64_t b) { return std::sqrt(product(a, b)); }
  void set_bar(double z) { square = z > stump_tie ? (z - stump_tie) * (z - stump_tie) : -1.0; }
  void begin(const std::int64_t* s) { a = s ? s[0] : 0, b = s ? s[1] : 0; }
  void add(std::int64_t q, int) { a += q, b += std::abs(q); }
  void add_group(const std::int64_t* s) { a += s[0], b += s[1]; }
  bool improves() const {
    const double u = product(a, b), v = product(total_a - a, total_b - b), rest = square - u - v;
    return rest > 0.0 && 4.0 * u * v < rest * rest;
  }
  double score_at(std::int64_t x, std::int64_t y) const { return -root(x, y) - root(total_a - x, total_b - y); }
  double score() const { return score_at(a, b); }
  void raise() { set_bar(-score()); }
  void limit(double s) {
    if (s > -1.0) square = std::min(square, s < 0.0 ? s * s : -1.0);
  }
  // Z is concave in (W+, W-) of the left side: over the box between s and t it is least in a corner.
  double bound(const std::int64_t* s, const std::int64_t* t) const {
    const std::int64_t up = (t[1] - s[1] + t[0] - s[0]) / 2, down = (t[1] - s[1] - t[0] + s[0]) / 2;
    return std::max(std::max(score_at(s[0], s[1]), score_at(t[0], t[1])), std::max(score_at(s[0] + up, s[1] + up), score_at(s[0] - down, s[1] + down)));
  }
};

// K classes: sums of both sides by class.
struct ClassSums {
  static constexpr bool needs_class = true;
  int k;
  std::vector<std::int64_t> total, left, right;
  explicit ClassSums(const std::int64_t* sums, int classes)
      : k(classes), total(sums, sums + classes), left(std::size_t(classes)), right(std::size_t(classes)) {}
  void begin(const std::int64_t* s) {
    for (int c = 0; c < k; ++c) left[c] = s ? s[c] : 0, right[c] = total[c] - left[c];
  }
};

// The weight of the majorities of both sides.
struct MajoritySums : ClassSums {
  std::int64_t bar = 0, most_left = 0, most_right = 0;
  explicit MajoritySums(const std::int64_t* sums, int classes) : ClassSums(sums, classes) { restart(); }
  void restart() { bar = *std::max_element(total.begin(), total.end()) + tie; }
  void bar_from(const MajoritySums& o) { bar = o.bar; }
  void begin(const std::int64_t* s) { ClassSums::begin(s), count(); }
  void count() {
    most_left = *std::max_element(left.begin(), left.end());
    most_right = *std::max_element(right.begin(), right.end());
  }
  void add(std::int64_t q, int c) {
    left[c] += q;
    most_left = std::max(most_left, left[c]);
    const bool was_most = right[c] == most_right;
    right[c] -= q;
    if (was_most) most_right = *std::max_element(right.begin(), right.end());
  }
  void add_group(const std::int64_t* s) {
    for (int c = 0; c < k; ++c) left[c] += s[c], right[c] -= s[c];
    count();
  }
  bool improves() const { return most_left + most_right > bar; }
  double score() const { return double(most_left + most_right) / stump_unit; }
  void raise() { bar = most_left + most_right + tie; }
};

// Gini: the sum over sides of (sum of squared class weights) / weight, larger is purer. Squares are updated as rows pass.
struct PuritySums : ClassSums {
  double bar = 0.0, square_left = 0.0, square_right = 0.0;
  std::int64_t weight_left = 0, weight_right = 0;
  explicit PuritySums(const std::int64_t* sums, int classes) : ClassSums(sums, classes) { restart(); }
  void restart() {
    begin(nullptr);
    bar = score() + stump_tie;
  }
  void bar_from(const PuritySums& o) { bar = o.bar; }
  void begin(const std::int64_t* s) { ClassSums::begin(s), count(); }
  void count() {
    square_left = square_right = 0.0, weight_left = weight_right = 0;
    for (int c = 0; c < k; ++c) {
      square_left += double(left[c]) * double(left[c]), square_right += double(right[c]) * double(right[c]);
      weight_left += left[c], weight_right += right[c];
    }
  }
  void add(std::int64_t q, int c) {
    square_left += double(q) * double(2 * left[c] + q), square_right += double(q) * double(q - 2 * right[c]);
    left[c] += q, right[c] -= q, weight_left += q, weight_right -= q;
  }
  void add_group(const std::int64_t* s) {
    for (int c = 0; c < k; ++c) add(s[c], c);
  }
  static double part(double square, std::int64_t w) { return w > 0 ? square / double(w) : 0.0; }
  double score() const { return (part(square_left, weight_left) + part(square_right, weight_right)) / stump_unit; }
  bool improves() {
    if (!(score() > bar)) return false;
    count();  // once more without the rounding of the updates
    return score() > bar;
  }
  void raise() { bar = score() + stump_tie; }
};

}  // namespace empirisk
