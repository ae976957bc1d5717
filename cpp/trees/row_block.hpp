// A block of rows for the loops over trees: only the columns that the trees ask, as float64, by row and by column.
#pragma once
#include "support/simd.hpp"
#include "support/visit.hpp"
#include "trees/packed.hpp"

namespace empirisk::EMPIRISK_ISA {

// Rows of a block. Small trees stay in the nearest cache beside 64 rows; a large tree is fetched anew for every block, so blocks
// are as long as memory (8 MB) and the threads allow. Blocks do not influence the results.
inline i64 block_rows(const TreeView& trees, i64 rows, int threads) {
  if (!trees.any_large) return 64;
  return most<i64>(64, least<i64>((i64(1) << 20) / most<i64>(trees.n_slots, 1), ceil_div(rows, threads)) / 64 * 64);
}

struct RowBlock {
  i64 capacity, rows;
  double *by_row, *by_column;  // (rows, slots) and (slots, capacity); null where not wanted
  bool missing;
  std::uint8_t* codes = nullptr;  // (slots, capacity) of columns with a table; of by_column
};

template <class T>
void fill_dense(const DenseView<T>& x, const TreeView& trees, i64 first, RowBlock& block) {
  bool missing = false;
  for (i64 s = 0; s < trees.n_slots; ++s) {
    const T* from = x.data + i64(trees.column[s]) * x.col_stride + first * x.row_stride;
    for (i64 i = 0; i < block.rows; ++i) {
      const double v = double(from[i * x.row_stride]);
      missing |= v != v;
      if (block.by_column) block.by_column[s * block.capacity + i] = v;
      if (block.by_row) block.by_row[i * trees.n_slots + s] = v;
    }
  }
  block.missing = missing;
}

template <class T, class I>
void fill_csr(const CompressedView<T, I>& x, const TreeView& trees, i64 first, RowBlock& block) {
  bool missing = false;
  if (block.by_column) std::memset(block.by_column, 0, sizeof(double) * std::size_t(trees.n_slots * block.capacity));
  if (block.by_row) std::memset(block.by_row, 0, sizeof(double) * std::size_t(trees.n_slots * block.rows));
  for (i64 i = 0; i < block.rows; ++i)
    for (i64 k = i64(x.indptr[first + i]); k < i64(x.indptr[first + i + 1]); ++k) {
      const i64 s = trees.slot[x.indices[k]];
      if (s < 0) continue;
      const double v = double(x.data[k]);
      missing |= v != v;
      if (block.by_column) block.by_column[s * block.capacity + i] = v;
      if (block.by_row) block.by_row[i * trees.n_slots + s] = v;
    }
  block.missing = missing;
}

inline void fill_block(const Matrix& x, const TreeView& trees, i64 first, RowBlock& block) {
  if (x.storage == Storage::csr) visit_compressed(x, [&](const auto& view) { fill_csr(view, trees, first, block); });
  else if (x.is_float32) fill_dense(dense_view<float>(x), trees, first, block);
  else fill_dense(dense_view<double>(x), trees, first, block);
}

// The categories of a block as numbers of masks: those after the last category for missing and impossible codes.
inline void fill_codes(const TreeView& trees, const RowBlock& block) {
  for (i64 s = 0; s < trees.n_slots; ++s) {
    if (!trees.coded(s)) continue;
    const double* v = block.by_column + s * block.capacity;
    std::uint8_t* code = block.codes + s * block.capacity;
    const std::int32_t categories = std::int32_t(trees.n_categories[s]);
    for (i64 i = 0; i < block.rows; ++i) code[i] = std::uint8_t(v[i] >= 0.0 && v[i] < double(categories) ? std::int32_t(v[i]) : categories);
  }
}

// Whether a value goes left by a category set: the bit of its category; unseen, missing and impossible codes by the flag.
EMPIRISK_INLINE bool category_left(double v, const std::uint32_t* set, i64 categories, bool missing_left) {
  if (!(v >= 0.0 && v < double(categories))) return missing_left;
  const std::uint32_t code = std::uint32_t(v);
  return (set[code / 32] >> (code % 32)) & 1;
}

}  // namespace empirisk::EMPIRISK_ISA
