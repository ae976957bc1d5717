// K classes: what a node costs, and the best cut of a number by one pass from each end.
#pragma once
#include "trees/class_tally.hpp"
#include "trees/criteria.hpp"
#include "trees/sorted_class_sets.hpp"

namespace empirisk {

template <bool Weighted>
class ClassSearch {
 public:
  static constexpr int D = Weighted ? 1 : 0;
  using Row = Entry<D>;

  ClassSearch(const GrowPlan& plan, const KeyBits& bits, std::int64_t most_categories, std::int64_t n, double total)
      : plan_(plan), bits_(bits), most_(most_categories), sets_(plan) {
    if (plan.kind == SplitKind::entropy) logs_ = WholeLogs(n, total, Weighted);
  }
  void enter(const Row*, const Row*, const GrowNode&) {}
  void prepare(std::int64_t n, ClassSearch&) { left_.resize(std::size_t(n)), gain_.resize(std::size_t(n)), sets_.reserve(std::min(n, most_)); }

  void measure(const Row* begin, const Row* end, GrowNode& t) const {
    t.classes.assign(std::size_t(plan_.n_classes), 0.0);
    double b = 0.0;
    for (const Row* e = begin; e != end; ++e) t.classes[label(*e)] += weight(*e), b += weight(*e);
    t.sums.kind = plan_.kind, t.sums.b = b, t.sums.min_weight = plan_.limits.min_weight_leaf;
    t.pure = std::count_if(t.classes.begin(), t.classes.end(), [](double s) { return s > 0.0; }) <= 1;
    t.cost = t.pure ? 0.0 : std::fmax(-class_score(plan_, t.classes.data()), 0.0);
    t.sums.score = -t.cost;
    t.slack = 1e-12 * t.cost + 1e-15 * b;
  }

  void leaf(const GrowNode& t, double* out) const {
    for (std::size_t c = 0; c < t.classes.size(); ++c) out[c] = t.sums.b > 0.0 ? t.classes[c] / t.sums.b : 0.0;
  }

  Split number(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    Split best;
    if (plan_.kind == SplitKind::squared) best = number_by(GiniTally{}, GiniTally{}, x, known, t);
    if (plan_.kind == SplitKind::error) best = number_by(ErrorTally{}, ErrorTally{}, x, known, t);
    if (plan_.kind == SplitKind::entropy) {
      EntropyTally<Weighted> tally;
      tally.logs = &logs_;
      best = number_by(tally, tally, x, known, t);
    }
    if (best.cut > 0) best.column = column;
    return best;
  }

  Split category(const Row* x, std::int64_t known, const GrowNode& t, std::int32_t column) {
    collect(x, known, t);
    Split best = sets_.search(t);
    if (best.cut > 0) best.column = column;
    return best;
  }
  std::vector<std::uint32_t> category_set(const Row* x, std::int64_t known, const GrowNode& t, std::int64_t n_categories) {
    collect(x, known, t);
    return sets_.set(t.best, n_categories);
  }
  void add_absent(std::vector<std::uint32_t>& words, std::int64_t n_categories) const { sets_.add_absent(words, n_categories); }

 private:
  std::size_t label(const Row& e) const { return std::size_t(bits_.label(e.key)); }
  static double weight(const Row& e) {
    if constexpr (Weighted) return e.v[0];
    return 1.0;
  }

  void collect(const Row* x, std::int64_t known, const GrowNode& t) {
    sets_.collect(x + t.begin, x + known, x + t.end, bits_, [this](const Row& e, double* sums) { sums[label(e)] += weight(e); });
  }

  template <class Tally>
  Split number_by(Tally left, Tally right, const Row* x, std::int64_t known, const GrowNode& t) {
    Split best;
    best.gain = plan_.floor(t.slack);
    sweep(left, right, x, known, false, t, best);
    if (known < t.end && known > t.begin) sweep(left, right, x, known, true, t, best);
    return best;
  }

  // Scores of the left sides from the low end, of the right sides from the high end, then the cuts in their order.
  template <class Tally>
  void sweep(Tally& left, Tally& right, const Row* x, std::int64_t known, bool missing_left, const GrowNode& t, Split& best) {
    const std::int64_t begin = t.begin, missing = t.end - known, least = plan_.limits.min_rows_leaf;
    const std::int64_t first = begin + std::max<std::int64_t>(0, least - 1 - (missing_left ? missing : 0));
    const std::int64_t last = missing_left ? known - 1 - least : std::min(t.end - 1 - least, missing > 0 ? known - 1 : known - 2);
    if (first > last) return;
    left.clear(plan_.n_classes), right.clear(plan_.n_classes);
    for (std::int64_t i = known; i < t.end; ++i) (missing_left ? left : right).add(label(x[i]), weight(x[i]));
    for (std::int64_t i = begin; i <= last; ++i) {
      left.add(label(x[i]), weight(x[i]));
      left_[std::size_t(i - begin)] = left.b >= t.sums.min_weight ? left.score() : refused;
    }
    for (std::int64_t i = known - 1; i > first; --i) {
      right.add(label(x[i]), weight(x[i]));
      if (i - 1 <= last) gain_[std::size_t(i - 1 - begin)] = gain_at(left_[std::size_t(i - 1 - begin)], right, x + i - 1, t);
    }
    if (last == known - 1) {  // only missing values on the right
      Tally& alone = right;
      alone.clear(plan_.n_classes);
      for (std::int64_t i = known; i < t.end; ++i) alone.add(label(x[i]), weight(x[i]));
      gain_[std::size_t(last - begin)] = gain_at(left_[std::size_t(last - begin)], alone, x + last, t);
    }
    for (std::int64_t i = first; i <= last; ++i)
      if (gain_[std::size_t(i - begin)] > best.gain + t.slack)
        best.gain = gain_[std::size_t(i - begin)], best.cut = i + 1 - begin, best.missing_left = missing_left;
  }

  template <class Tally>
  double gain_at(double left, const Tally& right, const Row* e, const GrowNode& t) const {
    const bool between = ((e[0].key ^ e[1].key) >> bits_.rank_shift()) != 0;
    return between && right.b >= t.sums.min_weight ? left + right.score() - t.sums.score : refused;
  }

  static constexpr double refused = -std::numeric_limits<double>::infinity();
  const GrowPlan& plan_;
  KeyBits bits_;
  std::int64_t most_;
  WholeLogs logs_;
  ClassSets sets_;
  std::vector<double> left_, gain_;
};

}  // namespace empirisk
