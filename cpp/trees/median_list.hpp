// The cost of a shrinking set of rows under the absolute error: rows in the order of their targets as a linked list, with a
// pointer to the median. Removing a row moves the pointer by one place (by as many as its weight spans).
#pragma once
#include <cstdint>
#include <vector>

namespace empirisk {

class MedianList {
 public:
  void resize(std::size_t n) { before_.resize(n), after_.resize(n), there_.resize(n); }

  // The set begins empty: put() all places, then close().
  void open(std::size_t n, const double* y, const double* w) {
    y_ = y, w_ = w, n_ = std::int32_t(n), total_ = sum_ = 0.0;
    for (std::size_t i = 0; i < n; ++i) there_[i] = 0;
  }
  void put(std::int32_t at) { there_[std::size_t(at)] = 1; }
  void close() {
    std::int32_t last = -1;
    first_ = -1;
    for (std::int32_t i = 0; i < n_; ++i) {
      if (!there_[std::size_t(i)]) continue;
      before_[std::size_t(i)] = last;
      (last < 0 ? first_ : after_[std::size_t(last)]) = i;
      last = i, total_ += weight(i), sum_ += weight(i) * y_[i];
    }
    if (last >= 0) after_[std::size_t(last)] = -1;
    median_ = first_, below_ = below_sum_ = 0.0;
    settle();
  }

  void remove(std::int32_t at) {
    const double w = weight(at), s = w * y_[at];
    const std::int32_t left = before_[std::size_t(at)], right = after_[std::size_t(at)];
    total_ -= w, sum_ -= s;
    if (at < median_) below_ -= w, below_sum_ -= s;
    if (at == median_) {
      median_ = right >= 0 ? right : left;
      if (right < 0 && left >= 0) below_ -= weight(left), below_sum_ -= weight(left) * y_[left];
    }
    (left < 0 ? first_ : after_[std::size_t(left)]) = right;
    if (right >= 0) before_[std::size_t(right)] = left;
    settle();
  }

  double total() const { return total_; }
  double cost() const {  // sum w |y - median|
    if (median_ < 0) return 0.0;
    const double m = y_[median_], w = weight(median_), above = total_ - below_ - w;
    return (sum_ - below_sum_ - w * m) - m * above + m * below_ - below_sum_;
  }

 private:
  double weight(std::int32_t at) const { return w_ ? w_[at] : 1.0; }

  // The first place whose weight, with all before it, reaches half of the total.
  void settle() {
    if (median_ < 0) return;
    const double half = 0.5 * total_;
    while (below_ >= half && before_[std::size_t(median_)] >= 0) {
      median_ = before_[std::size_t(median_)];
      below_ -= weight(median_), below_sum_ -= weight(median_) * y_[median_];
    }
    while (below_ + weight(median_) < half && after_[std::size_t(median_)] >= 0) {
      below_ += weight(median_), below_sum_ += weight(median_) * y_[median_];
      median_ = after_[std::size_t(median_)];
    }
  }

  const double *y_ = nullptr, *w_ = nullptr;
  std::int32_t n_ = 0, first_ = -1, median_ = -1;
  double total_ = 0.0, sum_ = 0.0, below_ = 0.0, below_sum_ = 0.0;
  std::vector<std::int32_t> before_, after_;
  std::vector<std::uint8_t> there_;
};

}  // namespace empirisk
