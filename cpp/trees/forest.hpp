// A forest: each thread grows whole trees, and pushes the rows that a tree did not see down to its leaves.
#pragma once
#include <atomic>
#include <new>

#include "trees/forest_grow.hpp"
#include "trees/forest_sums.hpp"

namespace empirisk::EMPIRISK_ISA {

// Sums over trees of out-of-bag values, in units of 2^-40 of the largest value: integers add up to the same in any order.
// Groups of successive trees are told apart; their sizes differ by at most one, and the larger ones come last.
struct OutOfBag {
  std::int64_t* sums = nullptr;  // (groups, n, k); null: not wanted
  std::int32_t* trees = nullptr; // (groups, n)
  double unit = 0x1p-40;
  i64 groups = 1;

  i64 group(i64 t, i64 T) const {
    const i64 size = T / groups, small = groups - T % groups;
    return t < small * size ? t / size : small + (t - small * size) / (size + 1);
  }
};

enum class Ending { done, stopped, no_memory };

// Grows trees first, first + 1, ... ; `go_on(thread)` is asked before each.
template <class Model, class Gain, class GoOn>
Ending grow_forest(const ForestData& d, const Gain& gain, i64 first, std::vector<FlatTree>& trees, const OutOfBag& out, int threads, const GoOn& go_on) {
  const i64 T = i64(trees.size());
  const int k = d.n_classes > 0 ? d.n_classes : 1;
  std::atomic<int> ending{int(Ending::done)};
  std::atomic<i64> next{0};
  const auto work = [&](int thread) {
    try {
      const i64 most_rows = d.bag.draws > 0 ? least(d.n, d.bag.draws) : d.n;
      Model model(d, gain);
      TreeGrower<Model> grower(d, model, most_rows);
      CodeTree coded;
      std::vector<i32> counts(std::size_t(d.n), 1);
      for (i64 t = next++; t < T && ending == int(Ending::done); t = next++) {
        if (!go_on(thread)) {
          ending = int(Ending::stopped);
          break;
        }
        if (d.bag.draws > 0) {
          std::fill(counts.begin(), counts.end(), 0);
          draw_bag(d.bag, d.limits.seed, u64(first + t), counts.data());
        }
        i64 m = 0;
        for (i64 i = 0; i < d.n; ++i)
          if (counts[std::size_t(i)] > 0) grower.rows()[m++] = Model::entry(d, i, counts[std::size_t(i)]);
        FlatTree& tree = trees[std::size_t(t)];
        tree.n_outputs = k;
        grower.grow(u64(first + t), m, tree, coded);
        if (out.sums == nullptr) continue;
        const i64 base = out.group(t, T) * d.n;
        outside_bag(d, coded, counts.data(), [&](i64 at, i32 leaf) {
          const i64 row = base + at;
          const double* value = tree.value_of(leaf);
          for (int c = 0; c < k; ++c)
            std::atomic_ref<std::int64_t>(out.sums[row * k + c]).fetch_add(std::int64_t(std::llround(value[c] / out.unit)), std::memory_order_relaxed);
          std::atomic_ref<std::int32_t>(out.trees[row]).fetch_add(1, std::memory_order_relaxed);
        });
      }
    } catch (const std::bad_alloc&) {
      ending = int(Ending::no_memory);
    }
  };
  for_chunks(threads, threads, [&](i64, int thread) { work(thread); });
  return Ending(ending.load());
}

}  // namespace empirisk::EMPIRISK_ISA
