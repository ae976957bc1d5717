// Cuts of a column of categories: sorted by one or several keys, each of which makes the sets to try a chain.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "trees/stump_rows.hpp"

namespace empirisk {

// Categories of a column sorted by one of several keys. Two classes have one key, the share of class 1, which is optimal.
struct CategorySums {
  std::vector<std::int64_t> sums;  // (categories, width)
  std::vector<double> share;
  std::vector<std::int32_t> sorted;

  void collect(const StumpRows& d, std::int64_t column, const std::int32_t* codes, std::int64_t* missing) {
    const std::int64_t c = d.n_categories[column];
    const int width = d.width();
    std::fill_n(sums.begin(), c * width, 0), std::fill_n(missing, width, 0);
    for (std::int64_t i = 0; i < d.n; ++i) d.add(i, codes[i] < 0 ? missing : sums.data() + std::int64_t(codes[i]) * width);
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
        best.keep(plain.score(), k + 1, false, key);
      }
      if (any_missing && k + 1 < m && with.improves()) {
        with.raise(), plain.bar_from(with);
        best.keep(with.score(), k + 1, true, key);
      }
    }
  }
}

}  // namespace empirisk
