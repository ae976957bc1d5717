// The split of a node: among features drawn at random, the best cut, or one random cut of each.
#pragma once
#include "trees/forest_data.hpp"

namespace empirisk::EMPIRISK_ISA {

struct Bounds {  // of the means below a node, from monotonic constraints above it
  double low, high;
};

template <class Model>
class SplitSearch {
 public:
  using Entry = typename Model::Entry;

  SplitSearch(const ForestData& d, Model& model) : d_(d), model_(model), order_(std::size_t(d.book.p)) {}

  // Forgets the draws of the tree before.
  void restart() {
    for (i64 j = 0; j < d_.book.p; ++j) order_[std::size_t(j)] = i32(j);
  }

  // Looks at max_features features that are not constant in the node. The first `constants` places of the order hold features
  // known to be constant here; those found are put behind them. Ties: the feature drawn first, then the lowest cut.
  Split find(const Entry* e, i64 m, const u8* codes, Draws& draws, Bounds bounds, i64& constants) {
    best_ = Split{}, bounds_ = bounds, draws_ = &draws;
    const i64 p = d_.book.p, wanted = d_.limits.max_features < 0 ? p : d_.limits.max_features;
    i64 at = constants, useful = 0;
    const bool pair = m == 2;  // every cut between two rows gains the same: the first one is the best
    while (useful < wanted && at < p && !(pair && best_.feature >= 0)) {
      const int group = pair ? 1 : int(least<i64>(least<i64>(wanted - useful, Model::most_features), p - at));
      for (int g = 0; g < group; ++g) std::swap(order_[std::size_t(at + g)], order_[std::size_t(at + g + draws.below(u64(p - at - g)))]);
      i32 features[Model::most_features];
      std::copy_n(order_.data() + at, group, features);
      model_.collect(e, m, codes, d_.stride, features, group);
      for (int g = 0; g < group; ++g) {
        const CodeSet present = model_.present(g);
        if (present.more_than_one()) ++useful, look(features[g], g, present);
        else std::swap(order_[std::size_t(at + g)], order_[std::size_t(constants++)]);
        model_.forget(g);
      }
      at += group;
    }
    return best_;
  }

 private:
  void look(i32 feature, int g, CodeSet known) {
    model_.start(g);
    group_ = g, feature_ = feature, missing_ = int(d_.book.n_bins[feature]);
    has_missing_ = known.has(missing_);
    known.remove(missing_);
    if (d_.book.n_categories[feature] > 0) categories(known);
    else if (d_.random_cuts) random_cut(known);
    else numbers(known);
  }

  // Judges the rows moved so far. A better split is noted by what `note` does to it.
  template <class Note>
  void judge(bool missing_left, const Note& note) {
    double num, den;
    if (!model_.judge(double(d_.limits.min_rows_leaf), d_.limits.min_weight_leaf, num, den)) return;
    if (!(num * best_.den > best_.num * den)) return;
    if constexpr (Model::two_moments) {
      if (d_.keep_positive && model_.one_side_empty_of_events()) return;
      if (d_.monotonic && !monotonic()) return;
    }
    best_.num = num, best_.den = den, best_.feature = feature_;
    best_.categorical = false, best_.missing_left = missing_left, best_.saw_missing = has_missing_;
    best_.left_weight = model_.left_weight();
    note(best_);
  }

  bool monotonic() const {
    const int sign = d_.monotonic[feature_];
    if (sign == 0) return true;
    const double left = std::clamp(model_.left_mean(), bounds_.low, bounds_.high);
    const double right = std::clamp(model_.right_mean(), bounds_.low, bounds_.high);
    return sign > 0 ? left <= right : left >= right;
  }

  // Cuts between neighbouring codes; within a gap of empty bins the middle one.
  void numbers(const CodeSet& known) {
    int before = -1;
    known.each([&](int c) {
      if (before >= 0) judge(false, [&](Split& s) { s.cut = (before + c - 1) / 2; });
      model_.move(c);
      before = c;
    });
    if (!has_missing_) return;
    if (before >= 0) judge(false, [&](Split& s) { s.cut = missing_ - 1; });  // known values against missing ones
    model_.start(group_);
    model_.move(missing_);
    before = -1;
    known.each([&](int c) {
      if (before >= 0) judge(true, [&](Split& s) { s.cut = (before + c - 1) / 2; });
      model_.move(c);
      before = c;
    });
  }

  // One cut, uniform in value between the ends of the node's codes, and rounded to the nearest boundary of bins.
  void random_cut(const CodeSet& known) {
    int low = 256, high = -1;
    known.each([&](int c) { low = least(low, c), high = c; });
    int cut = missing_ - 1;
    if (low < high) cut = draw_cut(d_.book.cuts + d_.book.cut_start[feature_], low, high - 1);
    known.each([&](int c) { if (c <= cut) model_.move(c); });
    judge(false, [&](Split& s) { s.cut = cut; });
    if (!has_missing_ || low == high) return;
    model_.move(missing_);
    judge(true, [&](Split& s) { s.cut = cut; });
  }

  // Every boundary stands for the values nearer to it than to the others; the outer cells are symmetric.
  int draw_cut(const double* cuts, int low, int high) {
    if (low == high) return low;
    const double from = cuts[low] - 0.5 * (cuts[low + 1] - cuts[low]), to = cuts[high] + 0.5 * (cuts[high] - cuts[high - 1]);
    const double u = from + draws_->unit() * (to - from);
    const int next = int(std::lower_bound(cuts + low, cuts + high, u) - cuts);
    return next > low && u - cuts[next - 1] <= cuts[next] - u ? next - 1 : next;
  }

  // Categories in the order of their means (for K classes: of the shares of each large class in turn), or a random half.
  void categories(const CodeSet& known) {
    int codes[256], count = 0;
    known.each([&](int c) { codes[count++] = c; });
    if (d_.random_cuts && count > 1) return random_half(codes, count);
    for (int k = 0; k < model_.orders(); ++k) {
      double key[256];
      for (int i = 0; i < count; ++i) key[codes[i]] = model_.key(k, codes[i]);
      std::sort(codes, codes + count, [&](int x, int y) { return key[x] < key[y] || (key[x] == key[y] && x < y); });
      for (int missing_first = 0; missing_first <= int(has_missing_); ++missing_first) {
        model_.start(group_);
        if (missing_first) model_.move(missing_);
        for (int i = 0; i < count; ++i) {
          model_.move(codes[i]);
          if (i + 1 < count || (has_missing_ && !missing_first)) judge(missing_first, [&](Split& s) { take(s, codes, i + 1); });
        }
      }
    }
  }

  void random_half(int* codes, int count) {
    for (int i = 0; i + 1 < count; ++i) std::swap(codes[i], codes[i + int(draws_->below(u64(count - i)))]);
    const int size = 1 + int(draws_->below(u64(count - 1)));
    for (int i = 0; i < size; ++i) model_.move(codes[i]);
    judge(false, [&](Split& s) { take(s, codes, size); });
    if (!has_missing_) return;
    model_.move(missing_);
    judge(true, [&](Split& s) { take(s, codes, size); });
  }

  void take(Split& s, const int* codes, int count) const {
    s.categorical = true, s.present = model_.present(group_);
    s.left.clear();
    for (int i = 0; i < count; ++i) s.left.add(codes[i]);
  }

  const ForestData& d_;
  Model& model_;
  std::vector<i32> order_;
  Split best_;
  Bounds bounds_{};
  Draws* draws_ = nullptr;
  int group_ = 0, missing_ = 0;
  i32 feature_ = 0;
  bool has_missing_ = false;
};

}  // namespace empirisk::EMPIRISK_ISA
