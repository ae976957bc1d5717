// Exact growth over presorted columns. Large nodes share their columns among the threads; small ones become jobs: whole
// subtrees, with rows numbered anew. Which nodes become jobs depends on the shape of the data alone, so do the bits of the tree.
#pragma once
#include <atomic>
#include <memory>
#include <numeric>
#include <queue>

#include "trees/sorted_split.hpp"

namespace empirisk {

template <class Search>
class SortedGrower {
 public:
  SortedGrower(const SortedTask<Search>& task, Patience& patience) : task_(task), patience_(patience) {}

  FlatTree grow(int threads) {
    const std::int64_t n = task_.columns.n, p = task_.columns.p;
    Grove<Search> top(task_, n, n * p < cells_of_a_job ? 1 : threads);
    GrowNode root;
    root.end = n, root.key = mixed(task_.plan.limits.seed);
    for (std::int32_t j = 0; j < p; ++j)
      if (task_.varies(j, 0, n)) root.active.push_back(j);
    top.measure(root, task_.columns.column(0));
    if (!task_.terminal(root)) search_node(task_, top, root);
    if (task_.plan.limits.max_leaves > 0) {
      best_first(top, std::move(root));
    } else {
      const std::int64_t small = n * p < cells_of_a_job ? 0 : std::max(cells_of_a_job / p, n / 16);
      std::vector<GrowNode> jobs = depth_first(top, std::move(root), small, 0);
      run_jobs(top, jobs, threads);
    }
    patience_.check();
    return std::move(top.tree);
  }

 private:
  // Splits nodes, the last found first; nodes of at most `small` rows are left over.
  std::vector<GrowNode> depth_first(Grove<Search>& g, GrowNode&& root, std::int64_t small, int thread) {
    std::vector<GrowNode> open, left_over;
    const auto keep = [&](GrowNode&& t) {
      if (t.best.found()) (t.rows() <= small ? left_over : open).push_back(std::move(t));
    };
    keep(std::move(root));
    while (!open.empty() && !tired(open.back(), thread)) {
      GrowNode t = std::move(open.back()), left, right;
      open.pop_back();
      SplitStep<Search>(task_, g, t, left, right).run();
      keep(std::move(right)), keep(std::move(left));
    }
    return left_over;
  }

  // Splits the node with the largest gain, the older one among equals, while leaves are left.
  void best_first(Grove<Search>& g, GrowNode&& root) {
    const auto later = [](const GrowNode& s, const GrowNode& t) { return s.best.gain != t.best.gain ? s.best.gain < t.best.gain : s.id > t.id; };
    std::vector<GrowNode> heap;
    const auto keep = [&](GrowNode&& t) {
      if (t.best.found()) heap.push_back(std::move(t)), std::push_heap(heap.begin(), heap.end(), later);
    };
    keep(std::move(root));
    for (std::int64_t leaves = 1; leaves < task_.plan.limits.max_leaves && !heap.empty() && !tired(heap.front(), 0); ++leaves) {
      std::pop_heap(heap.begin(), heap.end(), later);
      GrowNode t = std::move(heap.back()), left, right;
      heap.pop_back();
      SplitStep<Search>(task_, g, t, left, right).run();
      keep(std::move(left)), keep(std::move(right));
    }
  }

  // Gives the rows of a node the numbers 0, 1, ... so that its marks are few and its own.
  void renumber(Grove<Search>& g, const GrowNode& t, std::vector<std::uint32_t>& local) {
    const KeyBits& bits = task_.columns.bits;
    const auto* first = task_.columns.column(t.active[0]);
    g.rows.resize(std::size_t(t.rows()));
    for (std::int64_t i = t.begin; i < t.end; ++i) {
      const std::uint64_t row = bits.row(first[i].key);
      g.rows[std::size_t(i - t.begin)] = std::uint32_t(row), local[row] = std::uint32_t(i - t.begin);
    }
    for (std::int32_t j : t.active)
      for (auto *x = task_.columns.column(j), *e = x + t.begin; e != x + t.end; ++e) e->key = bits.with_row(e->key, local[bits.row(e->key)]);
  }

  // The subtree of a job, its root as node 0.
  FlatTree run_job(GrowNode&& t, std::vector<std::uint32_t>& local, int thread) {
    Grove<Search> g(task_, t.rows(), 1);
    renumber(g, t, local);
    const auto* first = task_.columns.column(t.active[0]);
    g.search[0].enter(first + t.begin, first + t.end, t);
    t.id = g.tree.add_leaf(0.0, 0, 0.0);
    depth_first(g, std::move(t), 0, thread);
    return std::move(g.tree);
  }

  void run_jobs(Grove<Search>& top, std::vector<GrowNode>& jobs, int threads) {
    using namespace EMPIRISK_ISA;
    if (jobs.empty()) return;
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t s, std::size_t t) { return jobs[s].rows() > jobs[t].rows(); });
    std::vector<std::uint32_t> local(std::size_t(task_.columns.n));
    std::vector<std::int32_t> root(jobs.size());
    for (std::size_t k = 0; k < jobs.size(); ++k) root[k] = jobs[k].id;
    std::vector<FlatTree> trees(jobs.size());
    std::atomic<bool> short_of_memory{false};
    for_chunks(i64(jobs.size()), threads, [&](i64 k, int thread) {
      const std::size_t job = order[std::size_t(k)];
      try {
        if (!short_of_memory && !patience_.over(thread)) trees[job] = run_job(std::move(jobs[job]), local, thread);
      } catch (const std::bad_alloc&) {
        short_of_memory = true;
      }
    });
    if (short_of_memory) throw std::bad_alloc();
    patience_.check();
    for (std::size_t k = 0; k < trees.size(); ++k) top.tree.graft(root[k], trees[k]), trees[k] = FlatTree();
  }

  // Asks at large nodes, and at small ones now and then.
  bool tired(const GrowNode& t, int thread) {
    const bool ask = t.rows() >= rows_between_questions || mixed(std::uint64_t(t.begin)) % (rows_between_questions / 16) < std::uint64_t(t.rows());
    return ask && patience_.over(thread);
  }
  static constexpr std::int64_t rows_between_questions = std::int64_t(1) << 14;

  const SortedTask<Search>& task_;
  Patience& patience_;
};

}  // namespace empirisk
