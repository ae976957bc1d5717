// Sums over the rows of a node for several targets that share their splits: D columns, which are numbers or, target after
// target, ones and zeros of its classes. The heterogeneity is the mean of those of the targets.
#pragma once
#include <cmath>

#include "trees/criteria.hpp"
#include "trees/forest_data.hpp"

namespace empirisk::EMPIRISK_ISA {

// The decrease of sum w (y - mean)^2, summed over the columns: sum_d (l_d b - t_d b_l)^2 / (b b_l b_r), which does not cancel.
struct VectorSpread {
  static constexpr bool of_shares = false;
  double gain(const double* left, double left_weight, const double* total, double weight, const ForestData& d) const {
    double sum = 0.0;
    for (i64 c = 0; c < d.n_columns; ++c) {
      const double gap = left[c] * weight - total[c] * left_weight;
      sum += gap * gap;
    }
    return sum / (weight * left_weight * (weight - left_weight));
  }
};

template <class Score>
struct VectorScore {
  static constexpr bool of_shares = true;
  Score score;
  std::vector<double> right;
  double of(const double* sums, const ForestData& d) const {
    double sum = 0.0;
    for (i64 t = 0; t < d.n_targets; ++t) sum += score(sums + d.part[t], int(d.part[t + 1] - d.part[t]));
    return sum;
  }
  double gain(const double* left, double, const double* total, double, const ForestData& d) {
    right.resize(std::size_t(d.n_columns));
    for (i64 c = 0; c < d.n_columns; ++c) right[std::size_t(c)] = total[c] - left[c];
    return std::fmax(0.0, of(left, d) + of(right.data(), d) - of(total, d));
  }
};

template <class Gain>
class VectorModel {
 public:
  struct Entry {
    u32 row, draws, number, unused;  // row moves with the copies of the codes; number is that of the targets
    double weight;
  };
  static constexpr int most_features = 1;
  static constexpr bool two_moments = false;
  static constexpr int most_orders = 8;  // of categories

  VectorModel(const ForestData& d, Gain gain) : d_(d), gain_(gain), width_(d.n_columns + 2), bins_(256 * width_), total_(std::size_t(width_)), left_(std::size_t(width_)) {
    std::memset(bins_.data(), 0, sizeof(double) * std::size_t(256 * width_));
  }

  static Entry entry(const ForestData& d, i64 i, i32 draws) { return {u32(i), u32(draws), u32(i), 0, (d.weight ? d.weight[i] : 1.0) * draws}; }

  // -- the node: sums are weight, rows, and those of the columns --
  void open(const Entry* e, i64 m) {
    std::fill(total_.begin(), total_.end(), 0.0);
    for (i64 i = 0; i < m; ++i) add(total_.data(), e[i]);
    spread_.assign(Gain::of_shares ? 0 : std::size_t(d_.n_columns), 0.0);
    if constexpr (!Gain::of_shares) {
      for (i64 i = 0; i < m; ++i) {
        const double* y = targets(e[i]);
        for (i64 c = 0; c < d_.n_columns; ++c) {
          const double gap = y[c] - mean(c);
          spread_[std::size_t(c)] += e[i].weight * gap * gap;
        }
      }
    }
  }
  bool pure(const Entry* e, i64 m) const {
    for (i64 i = 1; i < m; ++i)
      if (!std::equal(targets(e[i]), targets(e[i]) + d_.n_columns, targets(e[0]))) return false;
    return true;
  }
  double rows() const { return total_[1]; }
  double weight() const { return total_[0]; }
  double scale() const { return 1.0 / double(d_.n_targets); }
  // The means of the columns; of numbers, their variances too.
  void leaf(double* value) const {
    for (i64 c = 0; c < d_.n_columns; ++c) value[c] = mean(c);
    if constexpr (!Gain::of_shares)
      for (i64 c = 0; c < d_.n_columns; ++c) value[d_.n_columns + c] = spread_[std::size_t(c)] / total_[0];
  }
  double cost(const Entry*, i64) const {
    double sum = 0.0;
    if constexpr (Gain::of_shares) sum = -gain_.of(total_.data() + 2, d_);
    for (double s : spread_) sum += s;
    return sum / double(d_.n_targets);
  }

  // -- the sums of one feature, code by code --
  void collect(const Entry* e, i64 m, const u8* codes, i64 stride, const i32* features, int) {
    const u8* column = codes + features[0];
    for (i64 i = 0; i < m; ++i) {
      const int c = column[i64(e[i].row) * stride];
      add(bin(c), e[i]);
      set_.add(c);
    }
  }
  const CodeSet& present(int) const { return set_; }
  void forget(int) {
    set_.each([&](int c) { std::fill(bin(c), bin(c) + width_, 0.0); });
    set_.clear();
  }

  // -- rows moved to the left, code by code --
  void start(int) { std::fill(left_.begin(), left_.end(), 0.0); }
  void move(int c) {
    const double* sums = bin(c);
    for (i64 k = 0; k < width_; ++k) left_[std::size_t(k)] += sums[k];
  }
  bool judge(double min_rows, double min_weight, double& num, double& den) {
    const double right = total_[0] - left_[0];
    if (left_[1] < min_rows || total_[1] - left_[1] < min_rows || left_[0] < min_weight || right < min_weight || !(right > 0.0)) return false;
    num = gain_.gain(left_.data() + 2, left_[0], total_.data() + 2, total_[0], d_), den = 1.0;
    return true;
  }
  double left_weight() const { return left_[0]; }

  // Categories are sorted by the mean of each of the first columns in turn, a heuristic.
  int orders() const { return int(least<i64>(d_.n_columns, most_orders)); }
  double key(int order, int c) const { return bins_.data()[c * width_ + 2 + order] / bins_.data()[c * width_]; }

 private:
  const double* targets(const Entry& e) const { return d_.y + i64(e.number) * d_.n_columns; }
  double mean(i64 c) const { return total_[std::size_t(c + 2)] / total_[0]; }
  double* bin(int c) { return bins_.data() + c * width_; }
  void add(double* sums, const Entry& e) const {
    const double* y = targets(e);
    sums[0] += e.weight, sums[1] += double(e.draws);
    for (i64 c = 0; c < d_.n_columns; ++c) sums[2 + c] += e.weight * y[c];
  }

  const ForestData& d_;
  Gain gain_;
  i64 width_;
  Buffer<double> bins_;
  std::vector<double> total_, left_, spread_;
  CodeSet set_;
};

}  // namespace empirisk::EMPIRISK_ISA
