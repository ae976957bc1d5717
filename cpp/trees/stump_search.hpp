// The best stump over all columns for given weights of the rows. Numbers are sorted once; each search passes over every column
// in its order and reads the weights. Ties: first column, then lowest cut (first in the order of the categories).
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/parallel.hpp"
#include "trees/stump_categories.hpp"
#include "trees/stump_numbers.hpp"

namespace empirisk {

// What one thread works with; made before the parallel region, which must not allocate.
template <class Sums>
struct StumpWork {
  Sums plain, with;
  CategorySums categories;
  std::vector<std::int64_t> missing;
  StumpWork(const StumpRows& d, const std::int64_t* total, std::int64_t most_categories)
      : plain(total, d.n_classes), with(total, d.n_classes), missing(std::size_t(d.width())) {
    categories.sums.resize(std::size_t(most_categories * d.width()));
    categories.share.resize(std::size_t(most_categories)), categories.sorted.resize(std::size_t(most_categories));
  }

  // Sums over the rows without a value, or null where there are none.
  const std::int64_t* sum_missing(const StumpRows& d, std::int64_t column) {
    const std::int64_t begin = d.missing_start[column], end = d.missing_start[column + 1];
    std::fill(missing.begin(), missing.end(), 0);
    for (std::int64_t k = begin; k < end; ++k) d.add(d.missing[k], missing.data());
    return end > begin ? missing.data() : nullptr;
  }
};

template <class Sums>
class StumpSearch {
 public:
  StumpSearch(const StumpRows& d, const std::vector<const std::int32_t*>& codes, int threads) : d_(d), codes_(codes), threads_(threads) {}

  // Columns are searched in parallel and compared in their order.
  StumpCut run() {
    using namespace EMPIRISK_ISA;
    std::vector<std::int64_t> total(std::size_t(d_.width()), 0);
    for (std::int64_t i = 0; i < d_.n; ++i) d_.add(i, total.data());
    const std::int64_t most = *std::max_element(d_.n_categories, d_.n_categories + d_.p);
    std::vector<StumpWork<Sums>> work(std::size_t(threads_), StumpWork<Sums>(d_, total.data(), most));
    std::vector<StumpCut> found(std::size_t(d_.p), StumpCut{});
    if constexpr (Sums::needs_class) {
      for_chunks(d_.p, threads_, [&](i64 j, int t) { found[j] = codes_[j] ? by_category(j, work[t]) : by_number(j, work[t]); });
    } else {
      StumpBlocks blocks(d_);
      std::vector<double> at_ends(std::size_t(d_.p), work[0].plain.score_at(0, 0));
      for_chunks(d_.p, threads_, [&](i64 j, int t) {
        if (!codes_[j]) at_ends[j] = sum_blocks(d_, j, work[t].sum_missing(d_, j), work[t].plain, blocks);
      });
      const double floor = *std::max_element(at_ends.begin(), at_ends.end()) - stump_tie;
      for_chunks(d_.p, threads_, [&](i64 j, int t) { found[j] = codes_[j] ? by_category(j, work[t]) : by_blocks(j, blocks, floor, work[t]); });
    }
    StumpCut best;
    for (const StumpCut& c : found)
      if (c.column >= 0 && (best.column < 0 || c.score > best.score + stump_tie)) best = c;
    return best;
  }

 private:
  StumpCut by_category(std::int64_t j, StumpWork<Sums>& w) const {
    StumpCut best;
    w.plain.restart(), w.with.restart();
    w.categories.collect(d_, j, codes_[j], w.missing.data());
    search_categories(d_, j, w.categories, w.missing.data(), d_.missing_start[j + 1] > d_.missing_start[j], w.plain, w.with, best);
    return named(best, j);
  }

  StumpCut by_number(std::int64_t j, StumpWork<Sums>& w) const {
    StumpCut best;
    const std::int64_t* missing = w.sum_missing(d_, j);
    w.plain.restart(), w.with.restart();
    w.plain.begin(nullptr), w.with.begin(missing);
    search_numbers(d_, j, 0, d_.order_start[j + 1] - d_.order_start[j], missing != nullptr, w.plain, w.with, best);
    return named(best, j);
  }

  StumpCut by_blocks(std::int64_t j, const StumpBlocks& blocks, double floor, StumpWork<Sums>& w) const {
    StumpCut best;
    const std::int64_t* missing = w.sum_missing(d_, j);
    w.plain.restart(), w.with.restart();
    search_blocks(d_, j, missing, blocks, floor, w.plain, w.with, best);
    return named(best, j);
  }

  static StumpCut named(StumpCut best, std::int64_t column) {
    if (best.score > -std::numeric_limits<double>::infinity()) best.column = column;
    return best;
  }

  const StumpRows& d_;
  const std::vector<const std::int32_t*>& codes_;
  int threads_;
};

}  // namespace empirisk
