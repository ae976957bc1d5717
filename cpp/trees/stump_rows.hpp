// What a search for stumps reads, and what it finds.
#pragma once
#include <cstdint>
#include <limits>

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

  // Adds a row to sums: difference and sum of two classes, or the weight of each of K.
  void add(std::int64_t row, std::int64_t* sums) const {
    const std::int64_t w = q[row];
    if (n_classes == 2) sums[0] += w, sums[1] += w < 0 ? -w : w;
    else sums[y[row]] += w;
  }
};

struct StumpCut {
  double score = -std::numeric_limits<double>::infinity();
  std::int64_t column = -1;  // -1: no cut beats one label for all rows
  std::int64_t cut = 0;      // entries of the order (or of the sorted categories) that go left
  bool missing_left = false;
  int key = 0;               // by which key the categories were sorted

  void keep(double s, std::int64_t at, bool missing, int k = 0) { score = s, cut = at, missing_left = missing, key = k; }
};

}  // namespace empirisk
