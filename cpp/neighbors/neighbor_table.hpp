// The loops of one instruction set that search for neighbours.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// The k rows of x that are nearest to each row of q: dense or CSR, of one number format.
struct NearestProblem {
  Matrix x, q;
  const double* center = nullptr;        // subtracted from both, or null; CSR rows are not centred
  const std::int64_t* left_out = nullptr;  // for each query a row that it must not find, or null
  std::int64_t k = 0;
  double* distance = nullptr;            // (rows of q, k): squared Euclidean distances, rising; equal ones by the number of the row
  std::int64_t* index = nullptr;
};

struct NeighborLoops {
  const char* name;
  void (*nearest)(const NearestProblem& problem);
};

const NeighborLoops& neighbor_loops();

}  // namespace empirisk
