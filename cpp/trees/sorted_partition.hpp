// Which rows go left, as one bit a row, and the stable partition of a column's order by it.
#pragma once
#include <algorithm>
#include <vector>

#include "trees/sorted_entries.hpp"

namespace empirisk {

class RowMarks {
 public:
  explicit RowMarks(std::int64_t rows) : words_(std::size_t((rows + 63) / 64)) {}
  void set(std::uint64_t row, bool left) {
    const std::uint64_t bit = std::uint64_t(1) << (row & 63);
    words_[row >> 6] = left ? words_[row >> 6] | bit : words_[row >> 6] & ~bit;
  }
  std::uint64_t left(std::uint64_t row) const { return words_[row >> 6] >> (row & 63) & 1; }

 private:
  std::vector<std::uint64_t> words_;
};

// x[0 .. n): the left rows first, both sides in their order; `spare` holds n entries.
template <class Row>
void partition_rows(Row* x, std::int64_t n, const RowMarks& marks, const KeyBits& bits, Row* spare) {
  Row *left = x, *right = spare;
  for (std::int64_t i = 0; i < n; ++i) {
    const Row e = x[i];
    const std::uint64_t goes_left = marks.left(bits.row(e.key));
    *left = e, *right = e;
    left += goes_left, right += 1 - goes_left;
  }
  std::copy(spare, right, left);
}

// Keeps one side only, at the beginning.
template <class Row>
void keep_rows(Row* x, std::int64_t n, const RowMarks& marks, const KeyBits& bits, bool keep_left) {
  Row* out = x;
  for (std::int64_t i = 0; i < n; ++i) {
    const Row e = x[i];
    *out = e;
    out += (marks.left(bits.row(e.key)) != 0) == keep_left;
  }
}

}  // namespace empirisk
