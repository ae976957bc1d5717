// Histograms that are used again.
#pragma once
#include <vector>

#include "trees/histogram_table.hpp"

namespace empirisk {

class HistogramPool {
 public:
  static constexpr std::int64_t budget = std::int64_t(1) << 29;  // bytes, of all pools of a fit

  explicit HistogramPool(std::int64_t bytes) : bytes_(bytes) {}

  void resize(std::int64_t bins) {
    if (bins == bins_) return;
    bins_ = bins;
    store_.clear(), free_.clear();
  }
  std::int64_t bins() const { return bins_; }

  // Whether a further histogram would exceed the budget (two are always granted).
  bool full() const {
    return free_.empty() && store_.size() >= 2 && std::int64_t(store_.size() + 1) * bins_ * std::int64_t(sizeof(BinSums)) > bytes_;
  }
  int take() {
    if (free_.empty()) {
      store_.emplace_back(std::size_t(bins_));
      return int(store_.size()) - 1;
    }
    const int id = free_.back();
    free_.pop_back();
    return id;
  }
  void give_back(int& id) {
    if (id >= 0) free_.push_back(id);
    id = -1;
  }
  BinSums* operator[](int id) { return store_[std::size_t(id)].data(); }

 private:
  std::int64_t bytes_, bins_ = -1;
  std::vector<std::vector<BinSums>> store_;
  std::vector<int> free_;
};

}  // namespace empirisk
