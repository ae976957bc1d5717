// Cuts of a sorted column of numbers. With two classes the column is first summed in blocks of 64 rows; a bound on the score
// within a block says whether its cuts must be looked at one by one, which few must.
#pragma once
#include <algorithm>
#include <vector>

#include "trees/stump_rows.hpp"
#include "trees/stump_sums.hpp"

namespace empirisk {

constexpr std::int64_t stump_block = 64;

// The cuts after the entries first .. last - 1 of the order; `plain` (missing values right) and `with` (left) have begun there.
template <class Sums>
void search_numbers(const StumpRows& d, std::int64_t column, std::int64_t first, std::int64_t last, bool any_missing, Sums& plain,
                    Sums& with, StumpCut& best) {
  const std::uint32_t* order = d.order + d.order_start[column];
  const std::int64_t m = d.order_start[column + 1] - d.order_start[column];
  for (std::int64_t k = first; k < last; ++k) {
    const std::uint32_t row = order[k] >> 1;
    const std::int64_t q = d.q[row];
    const int c = Sums::needs_class ? d.y[row] : 0;
    plain.add(q, c);
    if (any_missing) with.add(q, c);
    if (!(order[k] & 1)) continue;
    if (plain.improves()) {
      plain.raise(), with.bar_from(plain);
      best.keep(plain.score(), k + 1, false);
    }
    if (any_missing && k + 1 < m && with.improves()) {
      with.raise(), plain.bar_from(with);
      best.keep(with.score(), k + 1, true);
    }
  }
}

// Sums of the left side after each block of each column of numbers.
struct StumpBlocks {
  std::vector<std::int64_t> start, sums;  // (p + 1), (blocks, 2)
  explicit StumpBlocks(const StumpRows& d) : start(1, 0) {
    for (std::int64_t j = 0; j < d.p; ++j)
      start.push_back(start.back() + (d.order_start[j + 1] - d.order_start[j] + stump_block - 1) / stump_block);
    sums.resize(std::size_t(2 * start.back()));
  }
};

// Fills the sums of a column; the best score of the cuts at ends of blocks.
template <class Sums>
double sum_blocks(const StumpRows& d, std::int64_t column, const std::int64_t* missing, const Sums& at, StumpBlocks& blocks) {
  const std::uint32_t* order = d.order + d.order_start[column];
  const std::int64_t m = d.order_start[column + 1] - d.order_start[column];
  double best = at.score_at(0, 0);
  std::int64_t a = 0, b = 0;
  std::int64_t* out = blocks.sums.data() + 2 * blocks.start[column];
  for (std::int64_t first = 0; first < m; first += stump_block) {
    const std::int64_t last = std::min(m, first + stump_block);
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t q = d.q[order[k] >> 1];
      a += q, b += q < 0 ? -q : q;
    }
    *out++ = a, *out++ = b;
    if (!(order[last - 1] & 1)) continue;
    best = std::max(best, at.score_at(a, b));
    if (missing && last < m) best = std::max(best, at.score_at(a + missing[0], b + missing[1]));
  }
  return best;
}

// The blocks whose bound exceeds `floor`, cut by cut.
template <class Sums>
void search_blocks(const StumpRows& d, std::int64_t column, const std::int64_t* missing, const StumpBlocks& blocks, double floor,
                   Sums& plain, Sums& with, StumpCut& best) {
  const std::int64_t m = d.order_start[column + 1] - d.order_start[column];
  const std::int64_t none[2] = {0, 0};
  const std::int64_t* end = blocks.sums.data() + 2 * blocks.start[column];
  const std::int64_t* begin = none;
  plain.limit(floor), with.limit(floor);
  for (std::int64_t first = 0; first < m; first += stump_block, begin = end, end += 2) {
    bool look = plain.bound(begin, end) > floor;
    std::int64_t left[2] = {begin[0], begin[1]};
    if (missing) {
      const std::int64_t right[2] = {end[0] + missing[0], end[1] + missing[1]};
      left[0] += missing[0], left[1] += missing[1];
      look |= plain.bound(left, right) > floor;
    }
    if (!look) continue;
    plain.begin(begin), with.begin(left);
    search_numbers(d, column, first, std::min(m, first + stump_block), missing != nullptr, plain, with, best);
  }
}

}  // namespace empirisk
