// One cell of a sorted column: rank, row and class packed in 64 bits, and what the sums need beside the class.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace empirisk {

template <int D>
struct Entry {
  std::uint64_t key;
  double v[D];
};
template <>
struct Entry<0> {
  std::uint64_t key;
};

// Where rank, row and class stand in the 64 bits: the rank on top, so that neighbours compare by one shift.
struct KeyBits {
  int class_bits = 0, row_bits = 0;

  static int needed(std::uint64_t count) { return count <= 1 ? 0 : std::bit_width(count - 1); }
  KeyBits(std::int64_t rows, std::int64_t classes) : class_bits(needed(std::uint64_t(classes))), row_bits(needed(std::uint64_t(rows))) {}

  // Whether n rows with `ranks` different ranks fit.
  bool fits(std::uint64_t ranks) const { return needed(ranks) + row_bits + class_bits <= 64; }

  int rank_shift() const { return row_bits + class_bits; }
  std::uint64_t pack(std::uint64_t rank, std::uint64_t row, std::uint64_t label) const {
    return (rank_shift() < 64 ? rank << rank_shift() : 0) | row << class_bits | label;
  }
  std::uint64_t rank(std::uint64_t key) const { return rank_shift() < 64 ? key >> rank_shift() : 0; }
  std::uint64_t row(std::uint64_t key) const { return key >> class_bits & ((std::uint64_t(1) << row_bits) - 1); }
  std::uint64_t label(std::uint64_t key) const { return key & ((std::uint64_t(1) << class_bits) - 1); }
  std::uint64_t with_row(std::uint64_t key, std::uint64_t row) const {
    return (key & ~(((std::uint64_t(1) << row_bits) - 1) << class_bits)) | row << class_bits;
  }
};

// All columns in their order, column after column. Missing values have the largest rank of their column and stand last.
template <int D>
struct SortedColumns {
  std::int64_t n = 0, p = 0;
  KeyBits bits{0, 0};
  std::vector<Entry<D>> entries;           // p times n
  std::vector<std::uint64_t> missing_rank;  // of each column; numbers and categories have smaller ones
  std::vector<std::uint8_t> has_missing;
  std::vector<std::int64_t> n_categories;

  Entry<D>* column(std::int64_t j) { return entries.data() + j * n; }
};

}  // namespace empirisk
