// The loops of one instruction set that reduce dimensions: products of sparse rows and random signs.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// The rows `row` (`chosen` of them) of  H D x / sqrt(chosen)  for every row x: H of the next power of two above the columns.
struct HadamardProblem {
  Matrix x;  // dense, or CSR with ascending columns
  const double* sign = nullptr;        // (cols): the diagonal of D
  const std::int64_t* row = nullptr;   // (chosen), below the order of H
  std::int64_t chosen = 0;
  void* out = nullptr;  // (rows, chosen) in the format of x
};

struct ReductionLoops {
  const char* name;
  void (*signed_hadamard)(const HadamardProblem& problem);
};

const ReductionLoops& reduction_loops();

}  // namespace empirisk
