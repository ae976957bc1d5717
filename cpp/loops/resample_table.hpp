// What the resampling loops take and how they are called.
#pragma once
#include <cstdint>

namespace empirisk {

// Rows in consecutive segments, each resampled in itself: segment s holds rows starts[s] .. starts[s + 1] - 1, and resample b
// draws draws[b * draws_stride + s] of them (stride 0: the same numbers in every resample).
struct Segments {
  std::int64_t count = 0;
  const std::int64_t* starts = nullptr;
  const std::int64_t* draws = nullptr;
  std::int64_t draws_stride = 0;
  std::uint64_t key = 0;
  std::int64_t first = 0;  // number of the first resample of this call
};

struct ResampleLoops {
  void (*sums)(const double* x, std::int64_t cols, const Segments& in, std::int64_t resamples, double* out);
  void (*rows)(const Segments& in, std::int64_t resamples, std::int64_t length, std::int64_t* out);
};

}  // namespace empirisk
