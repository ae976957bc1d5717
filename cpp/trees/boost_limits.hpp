// What bounds the growth of a boosted tree; src/empirisk/trees/growth.py says what each means.
#pragma once
#include <cstdint>
#include <vector>

namespace empirisk {

struct BoostLimits {
  std::int64_t max_leaves = 31, max_depth = -1, min_rows = 20, max_features = -1;  // -1: any number
  double l2 = 0.0, min_gain = 0.0, smoothing = 0.0;
  std::vector<std::int8_t> sign;                       // monotonic constraints; empty: none
  std::vector<std::vector<std::int32_t>> interactions;  // sorted sets of columns; empty: no constraint
};

// The columns of the training rows, as trees/bins.py holds them. Pointers into the caller's arrays.
struct BinnedColumns {
  std::int64_t n = 0, p = 0;
  const std::uint8_t* by_row = nullptr;
  const std::uint8_t* by_column = nullptr;
  const std::int64_t* n_bins = nullptr;
  const std::int64_t* n_categories = nullptr;
  const std::int64_t* cut_start = nullptr;
  const double* cuts = nullptr;
  const std::int64_t* code_start = nullptr;
  const std::uint8_t* codes = nullptr;  // of the categories
};

}  // namespace empirisk
