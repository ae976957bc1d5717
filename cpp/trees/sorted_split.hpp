// A split carried out: its rule is written, its rows are marked, the orders of all columns that still vary are partitioned,
// and the children are searched, column by column, while their rows are in cache.
#pragma once
#include "trees/sorted_grove.hpp"

namespace empirisk {

// The middle of the gap, or the lower number where there is none between; infinity where only missing values go right.
inline double threshold_between(double low, double high) {
  const double middle = 0.5 * low + 0.5 * high;
  return middle >= low && middle < high ? middle : low;
}

template <class Search>
class SplitStep {
 public:
  SplitStep(const SortedTask<Search>& task, Grove<Search>& g, GrowNode& t, GrowNode& left, GrowNode& right)
      : task_(task), g_(g), t_(t), left_(left), right_(right), x_(task.columns.column(t.best.column)),
        known_(task.first_missing(t.best.column, t.begin, t.end)) {}

  void run() {
    const std::int64_t middle = arrange();
    children(middle);
    write_rule();
    const bool grow_left = !task_.plan.terminal(left_), grow_right = !task_.plan.terminal(right_);
    if (grow_left || grow_right) move_columns(grow_left, grow_right);
  }

 private:
  using Row = typename Search::Row;

  // Marks the rows and puts those of the left child first in the winning column; the position of the first right one.
  std::int64_t arrange() {
    const KeyBits& bits = task_.columns.bits;
    const bool categories = task_.columns.n_categories[std::size_t(t_.best.column)] > 0;
    if (categories) words_ = g_.search[0].category_set(x_, known_, t_, task_.columns.n_categories[std::size_t(t_.best.column)]);
    const std::int64_t cut = t_.begin + t_.best.cut;
    std::int64_t count = 0;
    for (std::int64_t i = t_.begin; i < t_.end; ++i) {
      const std::uint64_t rank = bits.rank(x_[i].key);
      const bool left = i >= known_ ? t_.best.missing_left : categories ? words_[rank / 32] >> (rank % 32) & 1 : i < cut;
      g_.marks.set(bits.row(x_[i].key), left);
      count += left;
    }
    if (!categories) low_ = value(cut - 1), high_ = cut < known_ ? value(cut) : std::numeric_limits<double>::infinity();
    if (categories || (t_.best.missing_left && known_ < t_.end)) partition_rows(x_ + t_.begin, t_.rows(), g_.marks, bits, g_.spare[0].data());
    return t_.begin + count;
  }

  double value(std::int64_t at) const { return task_.reader.at(g_.row(task_.columns.bits.row(x_[at].key)), t_.best.column); }

  void children(std::int64_t middle) {
    left_.begin = t_.begin, left_.end = right_.begin = middle, right_.end = t_.end;
    left_.depth = right_.depth = t_.depth + 1;
    left_.key = mixed(t_.key ^ 0x5851f42d4c957f2dULL), right_.key = mixed(left_.key);
    g_.measure(left_, x_), g_.measure(right_, x_);
    if (task_.plan.signs.empty()) return;
    for (GrowNode* child : {&left_, &right_}) child->sums.low = t_.sums.low, child->sums.high = t_.sums.high;
    const int sign = task_.plan.signs[std::size_t(t_.best.column)];
    const double between = 0.5 * left_.value + 0.5 * right_.value;
    if (sign != 0) (sign > 0 ? left_ : right_).sums.high = (sign > 0 ? right_ : left_).sums.low = between;
    for (GrowNode* child : {&left_, &right_}) g_.search[0].leaf(*child, g_.tree.value_of(child->id));
  }

  // Missing values that the node did not have go with the heavier child, and so do categories that it did not have.
  void write_rule() {
    const bool heavier_left = left_.sums.b >= right_.sums.b;
    if (known_ == t_.end) t_.best.missing_left = heavier_left;
    const bool missing_left = t_.best.missing_left;
    const double gain = std::fmax(t_.best.gain, 0.0);
    if (words_.empty()) {
      g_.tree.split_number(t_.id, left_.id, t_.best.column, std::isinf(high_) ? high_ : threshold_between(low_, high_), missing_left, gain);
    } else {
      if (heavier_left) g_.search[0].add_absent(words_, task_.columns.n_categories[std::size_t(t_.best.column)]);
      g_.tree.split_categories(t_.id, left_.id, t_.best.column, words_, missing_left, gain);
    }
  }

  void move_columns(bool grow_left, bool grow_right) {
    using namespace EMPIRISK_ISA;
    const std::vector<std::int32_t>& columns = t_.active;
    const i64 count = i64(columns.size());
    const std::int64_t begin = t_.begin, size = t_.rows();
    if (!grow_left) right_.end = begin + right_.rows(), right_.begin = begin;  // only one side is kept, at the beginning
    std::vector<Split> of_left(columns.size()), of_right(columns.size());
    std::vector<std::uint8_t> vary(2 * columns.size());
    const bool all = task_.plan.limits.max_features < 0;
    const auto move = [&](i64 k, int thread) {
      const std::int32_t j = columns[std::size_t(k)];
      Row* x = task_.columns.column(j);
      Search& search = g_.search[std::size_t(thread)];
      if (grow_left && grow_right) {
        if (x != x_) partition_rows(x + begin, size, g_.marks, task_.columns.bits, g_.spare[std::size_t(thread)].data());
      } else if (x != x_ || !grow_left) {
        keep_rows(x + begin, size, g_.marks, task_.columns.bits, grow_left);
      }
      const auto look = [&](const GrowNode& child, std::uint8_t& varies, Split& found) {
        varies = task_.varies(j, child.begin, child.end);
        if (varies && all) found = search_column(task_, search, child, j);
      };
      if (grow_left) look(left_, vary[std::size_t(2 * k)], of_left[std::size_t(k)]);
      if (grow_right) look(right_, vary[std::size_t(2 * k + 1)], of_right[std::size_t(k)]);
    };
    for_chunks(count, size * count < cells_of_a_job ? 1 : g_.threads, move);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (vary[2 * k]) left_.active.push_back(columns[k]), keep_better(of_left[k], left_);
      if (vary[2 * k + 1]) right_.active.push_back(columns[k]), keep_better(of_right[k], right_);
    }
    if (all) return;
    if (grow_left) search_node(task_, g_, left_);
    if (grow_right) search_node(task_, g_, right_);
  }

  const SortedTask<Search>& task_;
  Grove<Search>& g_;
  GrowNode &t_, &left_, &right_;
  Row* x_;
  std::int64_t known_;
  double low_ = 0.0, high_ = 0.0;
  std::vector<std::uint32_t> words_;
};

}  // namespace empirisk
