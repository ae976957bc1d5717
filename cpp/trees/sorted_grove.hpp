// A tree or subtree under growth, and the search for the best split of a node over its columns.
#pragma once
#include <algorithm>
#include <vector>

#include "support/parallel.hpp"
#include "trees/flat_tree.hpp"
#include "trees/sorted_columns.hpp"
#include "trees/sorted_node.hpp"
#include "trees/sorted_partition.hpp"

namespace empirisk {

constexpr std::int64_t cells_of_a_job = std::int64_t(1) << 17;  // fewer are not worth a second thread

// What all nodes share: the columns, where their values are, and the plan.
template <class Search>
struct SortedTask {
  using Row = typename Search::Row;
  SortedColumns<Search::D>& columns;
  const ColumnReader& reader;
  const GrowPlan& plan;
  Search prototype;
  int n_outputs = 1;

  bool varies(std::int32_t column, std::int64_t begin, std::int64_t end) const {
    const Row* x = columns.column(column);
    return end - begin > 1 && columns.bits.rank(x[begin].key) != columns.bits.rank(x[end - 1].key);
  }

  std::int64_t first_missing(std::int32_t column, std::int64_t begin, std::int64_t end) const {
    if (!columns.has_missing[std::size_t(column)]) return end;
    const std::uint64_t missing = columns.missing_rank[std::size_t(column)];
    const Row* x = columns.column(column);
    return std::partition_point(x + begin, x + end, [&](const Row& e) { return columns.bits.rank(e.key) < missing; }) - x;
  }

  bool terminal(const GrowNode& t) const { return plan.terminal(t) || t.active.empty(); }
  bool subset(const GrowNode& t) const { return plan.limits.max_features >= 0 && plan.limits.max_features < std::int64_t(t.active.size()); }
};

template <class Search>
struct Grove {
  using Row = typename Search::Row;
  FlatTree tree;
  RowMarks marks;
  std::vector<std::uint32_t> rows;  // the training row of each local row; empty: the same
  int threads;
  std::vector<Search> search;  // for each thread
  std::vector<std::vector<Row>> spare;

  Grove(const SortedTask<Search>& task, std::int64_t n, int n_threads)
      : marks(n), threads(n_threads), search(std::size_t(n_threads), task.prototype), spare(std::size_t(n_threads)) {
    tree.n_outputs = task.n_outputs;
    for (auto& s : spare) s.resize(std::size_t(n));
    for (Search& s : search) s.prepare(n, search[0]);
  }
  std::int64_t row(std::uint64_t local) const { return rows.empty() ? std::int64_t(local) : std::int64_t(rows[local]); }

  // Sums, value and number of a new node, from its rows in any column.
  void measure(GrowNode& t, const Row* x) {
    search[0].measure(x + t.begin, x + t.end, t);
    t.id = tree.add_leaf(t.sums.b, t.rows(), t.sums.b > 0.0 ? t.cost / t.sums.b : 0.0);
    search[0].leaf(t, tree.value_of(t.id));
  }
};

template <class Search>
Split search_column(const SortedTask<Search>& task, Search& s, const GrowNode& t, std::int32_t column) {
  const auto* x = task.columns.column(column);
  const std::int64_t known = task.first_missing(column, t.begin, t.end);
  return task.columns.n_categories[std::size_t(column)] > 0 ? s.category(x, known, t, column) : s.number(x, known, t, column);
}

inline void keep_better(const Split& found, GrowNode& t) {
  if (found.found() && (!t.best.found() || found.gain > t.best.gain + t.slack)) t.best = found;
}

template <class Search>
void search_columns(const SortedTask<Search>& task, Grove<Search>& g, GrowNode& t, const std::vector<std::int32_t>& columns) {
  using namespace EMPIRISK_ISA;
  const i64 count = i64(columns.size());
  if (g.threads <= 1 || t.rows() * count < cells_of_a_job) {
    for (std::int32_t j : columns) keep_better(search_column(task, g.search[0], t, j), t);
    return;
  }
  std::vector<Split> found(columns.size());
  for_chunks(count, g.threads, [&](i64 k, int thread) { found[std::size_t(k)] = search_column(task, g.search[std::size_t(thread)], t, columns[std::size_t(k)]); });
  for (const Split& f : found) keep_better(f, t);
}

// All columns that vary, or a random subset of them; beyond the subset one by one until some cut is allowed.
template <class Search>
void search_node(const SortedTask<Search>& task, Grove<Search>& g, GrowNode& t) {
  if (!task.subset(t)) return search_columns(task, g, t, t.active);
  std::vector<std::int32_t> order = t.active;
  const std::uint64_t size = order.size(), limit = std::uint64_t(task.plan.limits.max_features);
  for (std::uint64_t k = 0; k + 1 < size; ++k) std::swap(order[k], order[k + mixed(t.key + k) % (size - k)]);
  std::sort(order.begin(), order.begin() + std::ptrdiff_t(limit));
  search_columns(task, g, t, {order.begin(), order.begin() + std::ptrdiff_t(limit)});
  for (std::uint64_t k = limit; k < size && !t.best.found(); ++k) keep_better(search_column(task, g.search[0], t, order[k]), t);
}

}  // namespace empirisk
