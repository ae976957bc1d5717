// A forest: each thread grows whole trees, and pushes the rows that a tree did not see down to its leaves.
#pragma once
#include <atomic>
#include <new>

#include "trees/forest_grow.hpp"
#include "trees/forest_sums.hpp"
#include "trees/grove.hpp"
#include "trees/rows_by_code.hpp"

namespace empirisk::EMPIRISK_ISA {

// Sums over trees of out-of-bag values, each in units of 2^-41 of a power of two above its largest: integers add up to the same in any order.
// Groups of trees are told apart: tree t belongs to group t mod `groups`, in every call.
struct OutOfBag {
  std::int64_t* sums = nullptr;  // (groups, n, k); null: not wanted
  std::int32_t* trees = nullptr; // (groups, n)
  i64 values = 1;                // k: the first values of a leaf
  const double* unit = nullptr;  // (k)
  i64 groups = 1;
};

enum class Ending { done, stopped, no_memory };

// Weights of rows under which all draws of a class, of those that the bag of a tree has, weigh the same together: m / (K m_c).
inline void balance_classes(const ForestData& d, const i32* counts, std::vector<double>& draws_of_class, double* weight) {
  std::fill(draws_of_class.begin(), draws_of_class.end(), 0.0);
  for (i64 i = 0; i < d.n; ++i) draws_of_class[std::size_t(d.y[i])] += counts[i];
  const double present = double(std::count_if(draws_of_class.begin(), draws_of_class.end(), [](double m) { return m > 0.0; }));
  for (i64 i = 0; i < d.n; ++i) weight[i] = counts[i] > 0 ? double(d.bag.draws) / (present * draws_of_class[std::size_t(d.y[i])]) : 0.0;
}

// Grows trees first, first + 1, ... ; `go_on(thread)` is asked before each.
template <class Model, class Gain, class GoOn>
Ending grow_forest(const ForestData& d, const Gain& gain, i64 first, Grove& trees, const OutOfBag& out, int threads, const GoOn& go_on) {
  const i64 T = trees.trees();
  const i64 k = out.values;
  std::atomic<int> ending{int(Ending::done)};
  std::atomic<i64> next{0};
  const auto work = [&](int thread) {
    try {
      Model model(d, gain);
      TreeGrower<Model> grower(d, model, most_rows(d));
      CodeTree coded;
      FlatTree tree;
      std::vector<i32> counts(std::size_t(d.n), 1);
      std::vector<double> factors(std::size_t(d.balanced ? d.n : 0)), draws_of_class(std::size_t(d.n_classes));
      ForestData weighed = d;
      if (d.balanced) weighed.weight = factors.data();
      for (i64 t = next++; t < T && ending == int(Ending::done); t = next++) {
        if (!go_on(thread)) {
          ending = int(Ending::stopped);
          break;
        }
        if (d.bag.draws > 0) {
          std::fill(counts.begin(), counts.end(), 0);
          draw_bag(d.bag, d.limits.seed, u64(first + t), counts.data());
          if (d.balanced) balance_classes(d, counts.data(), draws_of_class, factors.data());
        }
        i64 m = 0;
        for (i64 at = 0; at < d.n; ++at) {
          const i64 i = d.order ? d.order[at] : at;
          if (counts[std::size_t(i)] > 0) grower.rows()[m++] = Model::entry(weighed, i, counts[std::size_t(i)]);
        }
        tree.n_outputs = int(n_values(d));
        grower.grow(u64(first + t), m, tree, coded);
        if (out.sums == nullptr) {
          trees.put(t, tree);
          continue;
        }
        const i64 base = (first + t) % out.groups * d.n;
        outside_bag(d, coded, counts.data(), [&](i64 at, i32 leaf) {
          const i64 row = base + at;
          const double* value = tree.value_of(leaf);
          for (i64 c = 0; c < k; ++c)
            std::atomic_ref<std::int64_t>(out.sums[row * k + c]).fetch_add(std::int64_t(std::llround(value[c] / out.unit[c])), std::memory_order_relaxed);
          std::atomic_ref<std::int32_t>(out.trees[row]).fetch_add(1, std::memory_order_relaxed);
        });
        trees.put(t, tree);
      }
    } catch (const std::bad_alloc&) {
      ending = int(Ending::no_memory);
    }
  };
  for_chunks(threads, threads, [&](i64, int thread) { work(thread); });
  return Ending(ending.load());
}

}  // namespace empirisk::EMPIRISK_ISA
