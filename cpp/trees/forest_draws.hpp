// Random numbers of a forest: one stream for each (seed, tree, purpose), so that a tree is the same whoever grows it and
// the rows in its bag can be drawn again at any time.
#pragma once
#include <cstdint>

namespace empirisk::EMPIRISK_ISA {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

enum class Purpose : u64 { bag = 1, nodes = 2 };

class Draws {
 public:
  Draws(u64 seed, u64 tree, Purpose purpose) : state_(mix(mix(seed + golden * (tree + 1)) + golden * u64(purpose))) {}

  u64 next() { return mix(state_ += golden); }

  // floor(u m / 2^64) for 64 random bits u and m < 2^32: no number is preferred by more than m / 2^64.
  u32 below(u64 m) {
    const u64 u = next();
    return u32(((u >> 32) * m + (((u & 0xffffffffu) * m) >> 32)) >> 32);
  }
  double unit() { return double(next() >> 11) * 0x1p-53; }

 private:
  static constexpr u64 golden = 0x9e3779b97f4a7c15u;
  static u64 mix(u64 z) {  // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  u64 state_;
};

// Which rows to draw: all alike, or row i where a number u drawn from [0, 1) lies in [below[i - 1], below[i]); guide[c] is the
// first row that a number in [c/n, (c + 1)/n) can mean.
struct Bag {
  std::int64_t rows = 0, draws = 0;  // draws = 0: no draws, every row once
  const double* below = nullptr;
  const std::int32_t* guide = nullptr;
};

// counts += how often each row is in the bag of this tree.
template <class Count>
void draw_bag(const Bag& bag, u64 seed, u64 tree, Count* counts) {
  Draws draws(seed, tree, Purpose::bag);
  if (bag.below == nullptr) {
    for (std::int64_t k = 0; k < bag.draws; ++k) ++counts[draws.below(u64(bag.rows))];
    return;
  }
  for (std::int64_t k = 0; k < bag.draws; ++k) {
    const double u = draws.unit();
    std::int64_t row = bag.guide[std::int64_t(u * double(bag.rows))];
    while (row + 1 < bag.rows && bag.below[row] <= u) ++row;
    ++counts[row];
  }
}

}  // namespace empirisk::EMPIRISK_ISA
