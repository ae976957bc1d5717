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

// A tree of rows, laid out in arrays that the caller owns: panels of eight rows, the number of each row, and for each group of
// eight children their boxes and the smallest number of a row in each.
struct TreeProblem {
  Matrix x;             // dense
  std::int64_t leaf = 0;  // panels of a leaf, at most
  void* panels = nullptr;  // (panels, columns, 8) in the format of x
  std::int64_t* order = nullptr;  // (panels, 8)
  void* boxes = nullptr;  // (groups, columns, 2, 8): lower and upper ends
  std::int64_t* first = nullptr;  // (groups, 8)
};

struct TreeSize {
  std::int64_t panels, groups;
};

// Searches by (sum_j |a_j - b_j|^power)^(1/power), power being infinity for the largest difference.
struct TreeQuery {
  Matrix q;  // dense, in the format of the tree
  double power = 2.0;
  std::int64_t rows = 0, leaf = 0;  // of the tree
  const void* panels = nullptr;
  const std::int64_t* order = nullptr;
  const void* boxes = nullptr;
  const std::int64_t* first = nullptr;
  const std::int64_t* left_out = nullptr;  // for each query a row that it must not find, or null
  std::int64_t k = 0;       // 0: all rows within the radius
  double radius = 0.0;
  const std::int64_t* starts = nullptr;  // (queries + 1): where the rows within the radius of each query go; null counts them
  double* distance = nullptr;  // rising; those of equal sums by the number of the row
  std::int64_t* index = nullptr;  // numbers of rows, or the counts
};

// Sums over rows with weights that are a function of the squared distance over h^2, for several h at once.
enum class WindowForm { gaussian, epanechnikov, tricube, boxcar };

struct WindowProblem {
  Matrix x, q;  // dense float64
  WindowForm form = WindowForm::gaussian;
  const double* bandwidth = nullptr;  // (bandwidths)
  std::int64_t bandwidths = 0;
  const double *weight = nullptr, *target = nullptr;  // (rows of x)
  const std::int64_t* left_out = nullptr;  // for each query a row that has another weight for it, or null
  const double* left_weight = nullptr;     // these weights; null leaves the rows out
  bool slopes = false;     // with D = 1 + columns terms u = (1, x - nearest row), else with u = 1
  bool fall_back = false;  // an empty window has the sums of the nearest rows
  double* sums = nullptr;  // (bandwidths, queries, D (D + 1)/2 + D + 1): w u u', upper triangle; w u y; w^2
  double* least = nullptr;           // (queries): the smallest squared distance
  std::int64_t* anchor = nullptr;    // (queries): the nearest row
  std::uint8_t* empty = nullptr;     // (bandwidths, queries): whether no row has weight
};

struct NeighborLoops {
  const char* name;
  void (*nearest)(const NearestProblem& problem);
  TreeSize (*tree_size)(std::int64_t rows, std::int64_t leaf);
  void (*build_tree)(const TreeProblem& problem);
  void (*search_tree)(const TreeQuery& query);
  void (*window_sums)(const WindowProblem& problem);
};

const NeighborLoops& neighbor_loops();

}  // namespace empirisk
