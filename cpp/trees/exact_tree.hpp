// From a table and its targets to a grown tree: sorts the columns and picks the search.
#pragma once
#include <stdexcept>

#include "trees/sorted_classes.hpp"
#include "trees/sorted_grow.hpp"
#include "trees/sorted_medians.hpp"
#include "trees/sorted_moments.hpp"
#include "trees/split_gains.hpp"

namespace empirisk {

struct ExactData {
  Matrix x;
  const std::int64_t* n_categories = nullptr;  // of each column
  const std::int32_t* label = nullptr;         // class codes, or null
  const double* first = nullptr;               // targets, or the first moment
  const double* second = nullptr;              // weights, or the second moment; null: 1
  bool medians = false;                        // absolute error
  GrowPlan plan;
  Patience* patience = nullptr;
};

struct TooManyBits : std::length_error {
  TooManyBits() : std::length_error("rows, distinct values and classes do not fit in 64 bits together; fit on a sample of the rows, or round the columns") {}
};

template <int D>
void sort_columns(const ExactData& d, SortedColumns<D>& out, int threads) {
  using namespace EMPIRISK_ISA;
  out.n = d.x.rows, out.p = d.x.cols, out.bits = KeyBits(out.n, d.label ? d.plan.n_classes : 1);
  out.entries.resize(std::size_t(out.n * out.p));
  out.missing_rank.resize(std::size_t(out.p)), out.has_missing.resize(std::size_t(out.p));
  out.n_categories.assign(d.n_categories, d.n_categories + out.p);
  const ColumnReader reader{d.x};
  const KeyBits bits = out.bits;
  std::vector<ColumnSorter> sorters(std::size_t(threads), ColumnSorter(out.n));
  std::atomic<bool> fits{true};
  for_chunks(out.p, threads, [&](i64 j, int thread) {
    if (d.patience->over(thread)) return;
    ColumnSorter& sorter = sorters[std::size_t(thread)];
    sorter.sort(reader, j);
    const auto fill = [&](Entry<D>& e, std::uint64_t rank, std::uint32_t row) {
      e.key = bits.pack(rank, row, d.label ? std::uint64_t(d.label[row]) : 0);
      if constexpr (D > 0) e.v[0] = d.label ? d.second[row] : d.first[row];
      if constexpr (D > 1) e.v[1] = d.second[row];
    };
    if (!write_column(sorter, j, out, fill)) fits = false;
  });
  d.patience->check();
  if (!fits) throw TooManyBits();
}

// Sorting reads each cell a dozen times.
inline int exact_threads(const ExactData& d) {
  using namespace EMPIRISK_ISA;
  return threads_for(16 * d.x.rows * d.x.cols, std::max<std::int64_t>(d.x.cols, 2));
}

template <class Search, class... More>
FlatTree exact_tree(const ExactData& d, int n_outputs, const More&... more) {
  const int threads = exact_threads(d);
  SortedColumns<Search::D> columns;
  sort_columns(d, columns, int(std::min<std::int64_t>(threads, d.x.cols)));
  std::int64_t most = 0;
  for (std::int64_t c : columns.n_categories) most = std::max(most, std::min(c, columns.n));
  const ColumnReader reader{d.x};
  const SortedTask<Search> task{columns, reader, d.plan, Search(d.plan, columns.bits, most, more...), n_outputs};
  return SortedGrower<Search>(task, *d.patience).grow(threads);
}

inline FlatTree grow_exact_tree(const ExactData& d) {
  // Logarithms of whole numbers come from a table, which beats computing them for the two moments.
  const bool tabled = d.plan.kind == SplitKind::entropy && !d.second && d.plan.signs.empty();
  if (d.label && d.plan.n_classes == 2 && !tabled) {
    return d.second ? exact_tree<MomentSearch<Cell::label_weight>>(d, 2) : exact_tree<MomentSearch<Cell::label>>(d, 2);
  }
  if (d.label && d.second) {
    double total = 0.0;
    for (std::int64_t i = 0; i < d.x.rows; ++i) total += d.second[i];
    return exact_tree<ClassSearch<true>>(d, d.plan.n_classes, d.x.rows, total);
  }
  if (d.label) return exact_tree<ClassSearch<false>>(d, d.plan.n_classes, d.x.rows, double(d.x.rows));
  if (d.medians) return d.second ? exact_tree<MedianSearch<true>>(d, 1) : exact_tree<MedianSearch<false>>(d, 1);
  if (d.plan.kind == SplitKind::newton) return exact_tree<MomentSearch<Cell::pair>>(d, 1);
  return d.second ? exact_tree<MomentSearch<Cell::target_weight>>(d, 1) : exact_tree<MomentSearch<Cell::target>>(d, 1);
}

}  // namespace empirisk
