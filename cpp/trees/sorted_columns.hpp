// Columns into their order, once: a radix sort by 32 bits of the distance to a middle value, runs of equal bits repaired by
// the numbers themselves. Equal numbers stand in the order of their rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "support/parallel.hpp"
#include "support/view.hpp"
#include "trees/sorted_entries.hpp"

namespace empirisk {

// Column j of a dense or CSC matrix.
struct ColumnReader {
  const Matrix& x;

  template <class Put>
  void each(std::int64_t j, const Put& put) const {
    if (x.is_float32) of<float>(j, put);
    else of<double>(j, put);
  }

  double at(std::int64_t row, std::int64_t j) const { return x.is_float32 ? value<float>(row, j) : value<double>(row, j); }

 private:
  template <class T, class Put>
  void of(std::int64_t j, const Put& put) const {
    const T* data = static_cast<const T*>(x.data);
    if (x.storage == Storage::dense) {
      data += j * x.col_stride;
      for (std::int64_t i = 0; i < x.rows; ++i) put(i, double(data[i * x.row_stride]));
    } else {
      for (std::int64_t i = 0; i < x.rows; ++i) put(i, 0.0);
      for (std::int64_t k = pointer(j); k < pointer(j + 1); ++k) put(index(k), double(data[k]));
    }
  }

  template <class T>
  double value(std::int64_t row, std::int64_t j) const {
    const T* data = static_cast<const T*>(x.data);
    if (x.storage == Storage::dense) return double(data[row * x.row_stride + j * x.col_stride]);
    std::int64_t low = pointer(j), high = pointer(j + 1);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (index(middle) < row) low = middle + 1;
      else high = middle;
    }
    return low < pointer(j + 1) && index(low) == row ? double(data[low]) : 0.0;
  }

  std::int64_t pointer(std::int64_t j) const {
    return x.is_index64 ? static_cast<const std::int64_t*>(x.indptr)[j] : static_cast<const std::int32_t*>(x.indptr)[j];
  }
  std::int64_t index(std::int64_t k) const {
    return x.is_index64 ? static_cast<const std::int64_t*>(x.indices)[k] : static_cast<const std::int32_t*>(x.indices)[k];
  }
};

// What one thread sorts with.
class ColumnSorter {
 public:
  explicit ColumnSorter(std::int64_t n) : value_(std::size_t(n)), pairs_(std::size_t(n)), other_(std::size_t(n)) {}

  // Reads column j; then rows() in order, missing ones last, and value(row).
  void sort(const ColumnReader& reader, std::int64_t j) {
    reader.each(j, [&](std::int64_t i, double v) { value_[std::size_t(i)] = v; });
    const float middle = float(center());
    std::uint32_t k = 0;
    for (double v : value_) pairs_[k] = {bits_of(v, double(middle)), k}, ++k;
    if (value_.size() < 256) std::sort(pairs_.begin(), pairs_.end(), [](const Pair& s, const Pair& t) { return s.key != t.key ? s.key < t.key : s.row < t.row; });
    else radix();
    repair();
  }

  std::uint32_t row(std::size_t k) const { return pairs_[k].row; }
  double value(std::uint32_t row) const { return value_[row]; }

 private:
  struct Pair {
    std::uint32_t key, row;
  };

  // The median of at most 63 values.
  double center() const {
    double some[63];
    std::size_t m = 0;
    const std::size_t step = value_.size() / 63 + 1;
    for (std::size_t i = 0; i < value_.size() && m < 63; i += step)
      if (!std::isnan(value_[i])) some[m++] = value_[i];
    if (m == 0) return 0.0;
    std::nth_element(some, some + m / 2, some + m);
    return some[m / 2];
  }

  // Order-preserving bits of v - middle rounded to float: never decreasing in v. NaN becomes the largest.
  static std::uint32_t bits_of(double v, double middle) {
    const std::uint32_t b = std::bit_cast<std::uint32_t>(float(v - middle) + 0.0f);
    return std::isnan(v) ? 0xffffffffu : b ^ (std::uint32_t(std::int32_t(b) >> 31) | 0x80000000u);
  }

  void radix() {
    constexpr int width = 11, size = 1 << width;
    std::uint32_t counts[3][size] = {};
    for (const Pair& e : pairs_)
      for (int d = 0; d < 3; ++d) ++counts[d][e.key >> (d * width) & (size - 1)];
    for (int d = 0; d < 3; ++d) {
      if (counts[d][pairs_[0].key >> (d * width) & (size - 1)] == pairs_.size()) continue;
      std::uint32_t total = 0;
      for (std::uint32_t& c : counts[d]) total += std::exchange(c, total);
      for (const Pair& e : pairs_) other_[counts[d][e.key >> (d * width) & (size - 1)]++] = e;
      pairs_.swap(other_);
    }
  }

  // Orders runs of equal bits by value, then row; a run of equal values is in order already.
  void repair() {
    for (std::size_t k = 0; k + 1 < pairs_.size();) {
      std::size_t end = k + 1;
      bool same = true;
      for (; end < pairs_.size() && pairs_[end].key == pairs_[k].key; ++end) same = same && value_[pairs_[end].row] == value_[pairs_[k].row];
      if (!same && pairs_[k].key != 0xffffffffu)
        std::sort(pairs_.begin() + std::ptrdiff_t(k), pairs_.begin() + std::ptrdiff_t(end), [&](const Pair& s, const Pair& t) {
          return value_[s.row] != value_[t.row] ? value_[s.row] < value_[t.row] : s.row < t.row;
        });
      k = end;
    }
  }

  std::vector<double> value_;
  std::vector<Pair> pairs_, other_;
};

// Writes column j into `out`: ranks in ascending order, and what fill(entry, row) adds. True if the ranks fit the bits.
template <int D, class Fill>
bool write_column(const ColumnSorter& sorter, std::int64_t j, SortedColumns<D>& out, const Fill& fill) {
  Entry<D>* e = out.column(j);
  const bool categories = out.n_categories[std::size_t(j)] > 0;
  std::uint64_t rank = 0;
  double last = sorter.value(sorter.row(0));
  bool missing = false;
  for (std::int64_t k = 0; k < out.n; ++k) {
    const std::uint32_t row = sorter.row(std::size_t(k));
    const double v = sorter.value(row);
    if (std::isnan(v)) {
      if (!missing) rank = categories ? std::uint64_t(out.n_categories[std::size_t(j)]) : k == 0 ? 0 : rank + 1;
      missing = true;
    } else {
      rank = categories ? std::uint64_t(v) : rank + (v != last);
    }
    last = v;
    fill(e[k], rank, row);
  }
  out.has_missing[std::size_t(j)] = missing;
  out.missing_rank[std::size_t(j)] = missing ? rank : ~std::uint64_t(0);
  return out.bits.fits(rank + 1);
}

}  // namespace empirisk
