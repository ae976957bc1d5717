// A node while its tree grows, and the split that was found for it.
#pragma once
#include <array>
#include <limits>
#include <vector>

#include "trees/histogram_table.hpp"

namespace empirisk {

using CodeSet = std::array<std::uint64_t, 4>;  // a set of codes of one byte

struct BoostSplit {
  double gain = 0.0;
  std::int32_t column = -1;
  std::int32_t bin = -1;  // of a numeric cut
  CodeSet set{}, present{};  // codes that go left; codes that the node has (categories)
  bool saw_missing = false;
  BinSums left;
};

struct BoostNode {
  std::int64_t begin = 0, n = 0;  // place among the rows
  int side = -1;                  // which of two row buffers; -1: rows begin .. begin + n - 1 themselves
  int depth = 0;
  int histogram = -1;
  BinSums total;
  double low = -1e308, high = 1e308;   // bounds of the value, from monotonic constraints
  std::vector<std::uint8_t> alive;     // interaction sets that contain the path; empty: no constraint
  BoostSplit split;
};

inline bool has(const CodeSet& set, int code) { return set[std::size_t(code >> 6)] >> (code & 63) & 1; }
inline void put(CodeSet& set, int code, bool in = true) {
  const std::uint64_t bit = std::uint64_t(1) << (code & 63);
  auto& word = set[std::size_t(code >> 6)];
  word = in ? word | bit : word & ~bit;
}

}  // namespace empirisk
