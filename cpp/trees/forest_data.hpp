// What the trees of a forest are grown on: codes of one byte, row after row, and the settings of growth.
#pragma once
#include <algorithm>
#include <cstring>
#include <vector>

#include "support/parallel.hpp"
#include "trees/forest_draws.hpp"
#include "trees/limits.hpp"

namespace empirisk::EMPIRISK_ISA {

using u8 = std::uint8_t;
using i32 = std::int32_t;

// What Bins of src/empirisk/trees/bins.py says about the codes. A missing value has the code n_bins[j].
struct CodeBook {
  i64 p = 0;
  const i64* n_bins = nullptr;
  const i64* cut_start = nullptr;
  const double* cuts = nullptr;
  const i64* code_start = nullptr;
  const u8* category_codes = nullptr;
  const i64* n_categories = nullptr;
};

// A set of codes.
struct CodeSet {
  u64 word[4] = {0, 0, 0, 0};
  void add(int c) { word[c >> 6] |= u64(1) << (c & 63); }
  void remove(int c) { word[c >> 6] &= ~(u64(1) << (c & 63)); }
  bool has(int c) const { return word[c >> 6] >> (c & 63) & 1; }
  void clear() { word[0] = word[1] = word[2] = word[3] = 0; }
  bool more_than_one() const {
    bool found = false, two = false;
    for (u64 w : word) two |= (found && w) || (w & (w - 1)), found |= w != 0;
    return two;
  }
  // f(code) in ascending order.
  template <class F>
  void each(const F& f) const {
    for (int k = 0; k < 4; ++k)
      for (u64 w = word[k]; w; w &= w - 1) f(64 * k + __builtin_ctzll(w));
  }
};

struct ForestData {
  CodeBook book;
  i64 n = 0, stride = 0;        // bytes from one row of codes to the next: a multiple of 16
  const u8* codes = nullptr;
  const double* y = nullptr;       // numbers, or class codes; of several targets the n_columns numbers of each row
  const double* weight = nullptr;  // null: all 1
  int n_classes = 0;               // 0: numbers
  i64 n_targets = 1, n_columns = 1;
  const i64* part = nullptr;       // of several targets: where the columns of each begin, and end
  Bag bag;
  bool balanced = false;           // in each tree the classes that its bag drew weigh the same
  const i32* order = nullptr;      // in which the rows of the root stand; null: by their number
  GrowthLimits limits;
  bool random_cuts = false;
  const std::int8_t* monotonic = nullptr;
  bool keep_positive = false;      // no child may have a mean <= 0 (Poisson)
};

// The gain of models that judge a split by themselves.
struct NoGain {};

// How many numbers a leaf holds: means of numbers of several targets stand before their variances.
inline i64 n_values(const ForestData& d) {
  if (d.part) return d.n_columns > d.n_targets ? d.n_columns : 2 * d.n_columns;
  return d.n_classes > 0 ? d.n_classes : 1;
}

inline i64 code_stride(i64 p) { return round_up(p, 16); }

// Rows of codes from columns of codes, in blocks that stay in the cache.
inline void codes_by_row(const u8* columns, i64 n, i64 p, u8* rows) {
  const i64 stride = code_stride(p), block = 1024;
  for_chunks(ceil_div(n, block), threads_for(n * p, ceil_div(n, block)), [&](i64 chunk, int) {
    const i64 first = chunk * block, last = least(n, first + block);
    for (i64 j = 0; j < p; ++j)
      for (i64 i = first; i < last; ++i) rows[i * stride + j] = columns[j * n + i];
    for (i64 i = first; i < last; ++i) std::memset(rows + i * stride + p, 0, std::size_t(stride - p));
  });
}

// A split of a node: rows go left whose code is in `left` (categories), or at most `cut`.
struct Split {
  double num = -1.0, den = 1.0;  // what a split must exceed; the gain is scale * num / den
  i32 feature = -1;
  int cut = 0;
  bool categorical = false, missing_left = false, saw_missing = false;
  double left_weight = 0.0;
  CodeSet left, present;           // of a categorical feature
};

}  // namespace empirisk::EMPIRISK_ISA
