// Passes over one column of plain numbers: what they take, and how they are called.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct ColumnPass {
  Matrix x;                         // dense, one column
  const double* weights = nullptr;  // null: all are one
  double origin = 0.0;              // subtracted from x before it is added up
  bool square = false, log = false, log_rest = false;
};

// Sums with weights of x, x^2, log x and log(1 - x); the least and the greatest x. `plain`: all x are finite, all weights above 0
// and finite, and logarithms were taken where they are defined and exact.
struct ColumnSums {
  double weight = 0.0, x = 0.0, square = 0.0, log = 0.0, log_rest = 0.0, least = 0.0, greatest = 0.0;
  bool plain = false;
};

// Counts below it have a place in the table of a tally.
constexpr std::int64_t most_tallied = 2048;

struct ColumnLoops {
  void (*sums)(const ColumnPass& pass, ColumnSums& out);
  // The weight of each count in `table` (most_tallied), and the greatest count; -1 where a row is none below most_tallied, or
  // a weight is not above 0 and finite.
  std::int64_t (*tally)(const ColumnPass& pass, double* table);
};

}  // namespace empirisk
