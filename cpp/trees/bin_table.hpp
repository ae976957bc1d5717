// Codes of one byte: what crosses from bind/ into the loops.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

struct CutColumns {
  const std::int64_t* column;     // the numeric columns
  std::int64_t columns;
  const std::int64_t* cut_start;  // (p + 1)
  const double* cuts;             // at most 254 a column
};

struct BinLoops {
  // out (p, n): only the rows of `column` are written; missing values get the number of cuts + 1.
  void (*codes)(const Matrix& x, const CutColumns&, std::uint8_t* out);
  void (*transpose)(const std::uint8_t* from, std::int64_t rows, std::int64_t cols, std::uint8_t* to);
};

}  // namespace empirisk
