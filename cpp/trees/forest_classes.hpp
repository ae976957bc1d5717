// Sums over the rows of a node for three or more classes.
//
// The rows are sorted by code (counting sort) and moved to the left one by one; each changes the score of both sides by a few
// operations, so that a feature costs O(rows), whatever the number of classes.
#pragma once
#include "trees/criteria.hpp"
#include "trees/rows_by_code.hpp"

namespace empirisk::EMPIRISK_ISA {

// One side's score, kept up to date while the weight of a class goes from `old` to `now`.
struct GiniTally {
  using Score = GiniScore;
  double squares = 0.0;
  void change(double old, double now, const double*, int) { squares += now * now - old * old; }
  double score(double total) const { return squares / total - total; }
};

struct EntropyTally {
  using Score = EntropyScore;
  double sum = 0.0;
  void change(double old, double now, const double*, int) { sum += x_log_x(now) - x_log_x(old); }
  double score(double total) const { return sum - x_log_x(total); }
};

struct ErrorTally {
  using Score = ErrorScore;
  double largest = 0.0;
  void change(double old, double now, const double* weights, int k) {
    if (now >= largest) largest = now;
    else if (old >= largest) largest = *std::max_element(weights, weights + k);
  }
  double score(double total) const { return largest - total; }
};

template <class Tally>
class ClassModel {
 public:
  struct Entry {
    u32 row, draws, label, unused;
    double weight;
  };
  static constexpr int most_features = 1;
  static constexpr bool two_moments = false;
  static constexpr int most_orders = 5;  // of categories

  ClassModel(const ForestData& d, NoGain)
      : k_(d.n_classes), by_code_(most_rows(d)), total_(std::size_t(k_)), left_(std::size_t(k_)), right_(std::size_t(k_)), by_weight_(std::size_t(k_)) {}

  static Entry entry(const ForestData& d, i64 i, i32 draws) {
    return {u32(i), u32(draws), u32(d.y[i]), 0, (d.weight ? d.weight[i] : 1.0) * draws};
  }

  // -- the node --
  void open(const Entry* e, i64 m) {
    std::fill(total_.begin(), total_.end(), 0.0);
    rows_ = weight_ = 0.0;
    for (i64 i = 0; i < m; ++i) total_[e[i].label] += e[i].weight, rows_ += double(e[i].draws), weight_ += e[i].weight;
    whole_ = Tally{};
    for (int c = 0; c < k_; ++c) whole_.change(0.0, total_[std::size_t(c)], total_.data(), c + 1);
    ordered_ = false;
  }
  bool pure(const Entry* e, i64 m) const {
    for (i64 i = 1; i < m; ++i)
      if (e[i].label != e[0].label) return false;
    return true;
  }
  double rows() const { return rows_; }
  double weight() const { return weight_; }
  double scale() const { return 1.0; }
  void leaf(double* value) const {
    for (int c = 0; c < k_; ++c) value[c] = total_[std::size_t(c)] / weight_;
  }
  double cost(const Entry*, i64) const { return -typename Tally::Score{}(total_.data(), k_); }

  // -- the rows of one feature, sorted by code --
  void collect(const Entry* e, i64 m, const u8* codes, i64 stride, const i32* features, int) {
    by_code_.collect(e, m, codes + features[0], stride, [e](i64 i) { return Row{e[i].label, e[i].draws, e[i].weight}; });
  }
  const CodeSet& present(int) const { return by_code_.present(); }
  void forget(int) { by_code_.forget(); }

  // -- rows moved to the left, code by code --
  void start(int) {
    std::fill(left_.begin(), left_.end(), 0.0);
    std::copy(total_.begin(), total_.end(), right_.begin());
    left_tally_ = Tally{}, right_tally_ = whole_;
    left_rows_ = left_weight_ = 0.0;
  }
  void move(int c) {
    by_code_.each(c, [this](const Row& r) {
      double &l = left_[r.label], &x = right_[r.label];
      const double left = l, right = x;
      l += r.weight, x -= r.weight;
      left_tally_.change(left, l, left_.data(), k_);
      right_tally_.change(right, x, right_.data(), k_);
      left_rows_ += double(r.draws), left_weight_ += r.weight;
    });
  }
  bool judge(double min_rows, double min_weight, double& num, double& den) const {
    const double right = weight_ - left_weight_;
    if (left_rows_ < min_rows || rows_ - left_rows_ < min_rows || left_weight_ < min_weight || right < min_weight || !(right > 0.0)) return false;
    num = std::fmax(0.0, left_tally_.score(left_weight_) + right_tally_.score(right) - whole_.score(weight_)), den = 1.0;
    return true;
  }
  double left_weight() const { return left_weight_; }

  // Categories are sorted by the share of each of the node's largest classes in turn.
  int orders() {
    if (!ordered_) {
      for (int c = 0; c < k_; ++c) by_weight_[std::size_t(c)] = c;
      std::stable_sort(by_weight_.begin(), by_weight_.end(), [&](int x, int y) { return total_[std::size_t(x)] > total_[std::size_t(y)]; });
      ordered_ = true;
    }
    return least(k_, most_orders);
  }
  double key(int order, int c) const {
    double share = 0.0, all = 0.0;
    by_code_.each(c, [&](const Row& r) {
      all += r.weight;
      if (int(r.label) == by_weight_[std::size_t(order)]) share += r.weight;
    });
    return share / all;
  }

 private:
  struct Row {
    u32 label, draws;
    double weight;
  };
  int k_;
  RowsByCode<Row> by_code_;
  std::vector<double> total_, left_, right_;
  std::vector<int> by_weight_;
  Tally whole_, left_tally_, right_tally_;
  double rows_ = 0.0, weight_ = 0.0, left_rows_ = 0.0, left_weight_ = 0.0;
  bool ordered_ = false;
};

}  // namespace empirisk::EMPIRISK_ISA
