// The best stump over all columns for given weights of the rows. Numbers are sorted once; each search passes over every column
// in its order and reads the weights. Ties: first column, then lowest cut (first in the order of the categories).
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/parallel.hpp"
#include "trees/stump_sums.hpp"

namespace empirisk {

struct StumpRows {
  std::int64_t n = 0, p = 0;
  int n_classes = 2;
  const std::int32_t* y = nullptr;       // class of each row
  const std::int64_t* q = nullptr;       // whole weights; two classes: signed, - for class 0
  const std::uint32_t* order = nullptr;  // numbers: rows that have one, ascending; row << 1 | (the next number is larger)
  const std::int64_t* order_start = nullptr;    // (p + 1)
  const std::uint32_t* missing = nullptr;       // rows without a value
  const std::int64_t* missing_start = nullptr;  // (p + 1)
  const std::int32_t* codes = nullptr;          // (categorical columns, n); -1: missing
  const std::int64_t* n_categories = nullptr;   // (p,), 0: numbers
  int width() const { return n_classes == 2 ? 2 : n_classes; }
};

struct StumpCut {
  double score = -std::numeric_limits<double>::infinity();
  std::int64_t column = -1;  // -1: no cut beats one label for all rows
  std::int64_t cut = 0;      // entries of the order (or of the sorted categories) that go left
  bool missing_left = false;
  int key = 0;               // by which key the categories were sorted
};

// Categories of a column sorted by one of several keys. Two classes have one key, the share of class 1, which is optimal.
struct CategorySums {
  std::vector<std::int64_t> sums;  // (categories, width)
  std::vector<double> share;
  std::vector<std::int32_t> sorted;

  void collect(const StumpRows& d, std::int64_t column, const std::int32_t* codes, std::int64_t* missing) {
    const std::int64_t c = d.n_categories[column];
    const int width = d.width();
    std::fill_n(sums.begin(), c * width, 0), std::fill_n(missing, width, 0);
    for (std::int64_t i = 0; i < d.n; ++i) {
      std::int64_t* s = codes[i] < 0 ? missing : sums.data() + std::int64_t(codes[i]) * width;
      if (d.n_classes == 2) s[0] += d.q[i], s[1] += std::abs(d.q[i]);
      else s[d.y[i]] += d.q[i];
    }
  }

  static int keys(int n_classes) { return n_classes == 2 ? 1 : n_classes <= 16 ? n_classes * (n_classes - 1) / 2 : n_classes; }

  double key_of(const std::int64_t* s, int n_classes, int key) const {
    if (n_classes == 2) return double(s[0]) / double(s[1]);
    double all = 0.0;
    if (n_classes > 16) {
      for (int k = 0; k < n_classes; ++k) all += double(s[k]);
      return -double(s[key]) / all;
    }
    int u = 0;
    while (key >= n_classes - 1 - u) key -= n_classes - 1 - u, ++u;
    const double a = double(s[u]), b = double(s[u + 1 + key]);
    return a + b > 0.0 ? b / (a + b) : 0.5;
  }

  // Categories with weight, by key; their number.
  std::int64_t sort(std::int64_t c, int n_classes, int key) {
    const int width = n_classes == 2 ? 2 : n_classes;
    std::int64_t m = 0;
    for (std::int64_t v = 0; v < c; ++v) {
      const std::int64_t* s = sums.data() + v * width;
      bool live = n_classes == 2 && s[1] > 0;
      for (int k = 0; n_classes > 2 && k < width; ++k) live |= s[k] > 0;
      if (!live) continue;
      share[v] = key_of(s, n_classes, key), sorted[m++] = std::int32_t(v);
    }
    std::sort(sorted.begin(), sorted.begin() + m, [this](std::int32_t a, std::int32_t b) { return share[a] < share[b] || (share[a] == share[b] && a < b); });
    return m;
  }
};

inline void keep(StumpCut& best, double score, std::int64_t cut, bool missing_left, int key) {
  best.score = score, best.cut = cut, best.missing_left = missing_left, best.key = key;
}

template <class Sums>
void search_numbers(const StumpRows& d, std::int64_t column, const std::int64_t* missing, Sums& plain, Sums& with,
                    StumpCut& best) {
  const std::uint32_t* order = d.order + d.order_start[column];
  const std::int64_t m = d.order_start[column + 1] - d.order_start[column];
  const bool any_missing = missing != nullptr;
  plain.begin(nullptr), with.begin(missing);
  for (std::int64_t k = 0; k < m; ++k) {
    const std::uint32_t row = order[k] >> 1;
    const std::int64_t q = d.q[row];
    const int c = Sums::needs_class ? d.y[row] : 0;
    plain.add(q, c);
    if (any_missing) with.add(q, c);
    if (!(order[k] & 1)) continue;
    if (plain.improves()) {
      plain.raise(), with.bar_from(plain);
      keep(best, plain.score(), k + 1, false, 0);
    }
    if (any_missing && k + 1 < m && with.improves()) {
      with.raise(), plain.bar_from(with);
      keep(best, with.score(), k + 1, true, 0);
    }
  }
}

template <class Sums>
void search_categories(const StumpRows& d, std::int64_t column, CategorySums& work, const std::int64_t* missing, bool any_missing,
                       Sums& plain, Sums& with, StumpCut& best) {
  for (int key = 0; key < CategorySums::keys(d.n_classes); ++key) {
    const std::int64_t m = work.sort(d.n_categories[column], d.n_classes, key);
    plain.begin(nullptr), with.begin(missing);
    for (std::int64_t k = 0; k < m; ++k) {
      const std::int64_t* s = work.sums.data() + std::int64_t(work.sorted[k]) * d.width();
      plain.add_group(s), with.add_group(s);
      if ((k + 1 < m || any_missing) && plain.improves()) {
        plain.raise(), with.bar_from(plain);
        keep(best, plain.score(), k + 1, false, key);
      }
      if (any_missing && k + 1 < m && with.improves()) {
        with.raise(), plain.bar_from(with);
        keep(best, with.score(), k + 1, true, key);
      }
    }
  }
}

// Weight of each class over all rows (two classes: difference and sum).
inline void total_sums(const StumpRows& d, std::int64_t* sums) {
  std::fill_n(sums, d.width(), 0);
  for (std::int64_t i = 0; i < d.n; ++i) {
    if (d.n_classes == 2) sums[0] += d.q[i], sums[1] += std::abs(d.q[i]);
    else sums[d.y[i]] += d.q[i];
  }
}

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
};

template <class Sums>
StumpCut search_column(const StumpRows& d, std::int64_t column, const std::int32_t* codes, StumpWork<Sums>& work) {
  StumpCut best;
  std::int64_t* missing = work.missing.data();
  const std::int64_t begin = d.missing_start[column], end = d.missing_start[column + 1];
  work.plain.restart(), work.with.restart();
  if (codes) {
    work.categories.collect(d, column, codes, missing);
    search_categories(d, column, work.categories, missing, end > begin, work.plain, work.with, best);
  } else {
    std::fill_n(missing, d.width(), 0);
    for (std::int64_t k = begin; k < end; ++k) {
      const std::int64_t q = d.q[d.missing[k]];
      if (d.n_classes == 2) missing[0] += q, missing[1] += std::abs(q);
      else missing[d.y[d.missing[k]]] += q;
    }
    search_numbers(d, column, end > begin ? missing : nullptr, work.plain, work.with, best);
  }
  if (best.score > -std::numeric_limits<double>::infinity()) best.column = column;
  return best;
}

// The best cut of all columns, which are searched in parallel and compared in their order.
template <class Sums>
StumpCut search_columns(const StumpRows& d, const std::vector<const std::int32_t*>& codes, int threads) {
  using namespace EMPIRISK_ISA;
  std::vector<std::int64_t> total(std::size_t(d.width()));
  total_sums(d, total.data());
  const std::int64_t most = *std::max_element(d.n_categories, d.n_categories + d.p);
  std::vector<StumpWork<Sums>> work(std::size_t(threads), StumpWork<Sums>(d, total.data(), most));
  std::vector<StumpCut> found(std::size_t(d.p));
  for_chunks(d.p, threads, [&](i64 j, int thread) { found[j] = search_column(d, j, codes[j], work[thread]); });
  StumpCut best;
  for (const StumpCut& c : found)
    if (c.column >= 0 && (best.column < 0 || c.score > best.score + stump_tie)) best = c;
  return best;
}

}  // namespace empirisk
