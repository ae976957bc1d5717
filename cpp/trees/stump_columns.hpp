// Columns of numbers into their order, once, in the form that the search for stumps reads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trees/sorted_columns.hpp"

namespace empirisk {

struct StumpColumns {
  std::vector<std::uint32_t> order, missing;             // as in StumpRows
  std::vector<std::int64_t> order_start, missing_start;  // (p + 1)
};

// The sorted rows of column j at `out`, missing ones last; how many there are of both. A category has no order.
inline std::int64_t write_order(const ColumnSorter& sorter, std::int64_t n, std::uint32_t* out) {
  std::int64_t m = 0;
  while (m < n && !std::isnan(sorter.value(sorter.row(std::size_t(m))))) ++m;
  for (std::int64_t k = 0; k < n; ++k) {
    const std::uint32_t row = sorter.row(std::size_t(k));
    // The last number counts as followed by the missing values, if any.
    const bool rises = k + 1 < m ? sorter.value(sorter.row(std::size_t(k + 1))) > sorter.value(row) : k + 1 == m && m < n;
    out[k] = k < m ? row << 1 | std::uint32_t(rises) : row;
  }
  return m;
}

inline StumpColumns stump_columns(const Matrix& x, const std::int64_t* n_categories) {
  using namespace EMPIRISK_ISA;
  const std::int64_t n = x.rows, p = x.cols;
  StumpColumns out;
  out.order.resize(std::size_t(n * p)), out.order_start.assign(1, 0), out.missing_start.assign(1, 0);
  std::vector<std::int64_t> known(std::size_t(p), 0);
  const int threads = threads_for(32 * n * p, p);
  std::vector<ColumnSorter> sorters(static_cast<std::size_t>(threads), ColumnSorter{n});
  for_chunks(p, threads, [&](i64 j, int t) {
    sorters[t].sort(ColumnReader{x}, j);
    known[j] = write_order(sorters[t], n, out.order.data() + j * n);
  });
  std::int64_t end = 0;
  for (std::int64_t j = 0; j < p; ++j) {
    const auto column = out.order.begin() + std::ptrdiff_t(j * n);
    out.missing.insert(out.missing.end(), column + std::ptrdiff_t(known[j]), column + std::ptrdiff_t(n));
    if (n_categories[j] == 0) {
      std::copy(column, column + std::ptrdiff_t(known[j]), out.order.begin() + std::ptrdiff_t(end));
      end += known[j];
    }
    out.order_start.push_back(end), out.missing_start.push_back(std::int64_t(out.missing.size()));
  }
  out.order.resize(std::size_t(end));
  return out;
}

}  // namespace empirisk
