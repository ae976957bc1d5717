// The loops of one instruction set of clusters: rows and their nearest centres, seeds, medoids.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

// Sums over the first i of n sorted values, i = 0..n, each as a pair of doubles: weights, weighted values, weighted squares.
struct LineSums {
  std::int64_t n = 0;
  const double* parts[6] = {};  // high and low of each of the three, n + 1 numbers each
};

// One layer of the dynamic program over sorted values: `cost[i]` of the first i values in `groups` stretches, and where the last begins.
// Values of i whose cost is above the ceiling are left out; the cost does not fall with i.
struct LineLayer {
  LineSums sums;
  std::int64_t groups = 1, last = 0;  // i = groups..n; `before` ends at last
  double ceiling = 0.0;
  const double* before = nullptr;     // cost of one group less
  const std::int32_t* at_least = nullptr;
  double* cost = nullptr;
  std::int32_t* start = nullptr;
};

// Rows and their two nearest medoids, from a symmetric matrix of distances.
struct MedoidState {
  Matrix distances;
  const double* weight = nullptr;  // null: ones
  std::int64_t n = 0, groups = 0;
  std::int64_t* medoids = nullptr;
  std::int32_t *near = nullptr, *second = nullptr;
  double *first_distance = nullptr, *second_distance = nullptr;
};

// Where a search for exchanges stands; `best` is the largest gain seen since the last exchange.
struct MedoidSearch {
  std::int64_t position = 0, unchanged = 0, exchanges = 0;
  double best = 0.0;
};

// The nearest of k centres for each row; of equally near ones the first. Rows are dense with neighbouring columns, or CSR.
struct AssignProblem {
  Matrix x;
  const double* centers = nullptr;  // (k, columns)
  std::int64_t k = 0;
  const double* shift = nullptr;    // (columns): a point among the centres, or null for the origin
  std::int32_t* label = nullptr;    // (rows)
  double* square = nullptr;         // (rows): squared distances to the nearest centres by differences, or null
};

// The same, and bounds that spare rows the centres that cannot be nearest. Centres lie in groups of whole panels.
struct BoundedProblem {
  Matrix x;
  const double* centers = nullptr;
  std::int64_t k = 0;
  const double* shift = nullptr;
  const std::int64_t* order = nullptr;  // (groups, size): the centres of each group, rising, -1 for none
  std::int64_t groups = 0, size = 0;
  const double* square = nullptr;       // (rows): ||x - shift||^2
  const double* walked = nullptr;       // (k): the way that each centre has gone
  const double* group_walked = nullptr; // (groups): the way that some centre of each group has gone at most
  float* upper = nullptr;               // (rows): distance to the own centre, at most, less its way
  float* lower = nullptr;               // (groups, rows): distance to the others of each group, at least, plus their way
  std::int32_t* label = nullptr;        // (rows): in and out
};

// Rows whose label changed, and pairs of a row and a group that had to meet.
struct BoundedCount {
  std::int64_t moved = 0, looked = 0;
};

// Sums and weights of the clusters; rows whose label was another before leave that one.
struct SumProblem {
  Matrix x;
  const double* weight = nullptr;        // (rows), or null for ones
  const std::int32_t* label = nullptr;   // (rows); -1 for rows of no cluster
  const std::int32_t* before = nullptr;  // (rows), or null where no row was in a cluster
  const double* shift = nullptr;         // (columns): subtracted from dense rows, or null
  std::int64_t k = 0;
  double* sum = nullptr;   // (k, columns): in and out
  double* mass = nullptr;  // (k): in and out
};

// One step of seeding: for each candidate row the squared distances of all rows to it or to an earlier seed, whichever is less.
struct SeedProblem {
  Matrix x;
  const double* weight = nullptr;          // (rows), or null for ones
  const std::int64_t* candidate = nullptr;  // (count): rows of x
  std::int64_t count = 0, taken = -1;      // taken: the candidate of the step before that became a seed, -1 for none
  std::int64_t room = 0;                   // columns of `square`
  void* square = nullptr;  // (rows, room) in the format of x: in and out
  double* total = nullptr;  // (chunks, count): weighted sums of the squares
};

struct ClusterLoops {
  const char* name;
  std::int64_t (*line_layer)(const LineLayer&);  // the last i that was kept
  // Rows are given column by column; power 1, 2, or 0 for the largest difference.
  void (*row_distances)(const double* columns, std::int64_t n, std::int64_t p, std::int64_t power, std::int64_t begin, std::int64_t end, void* out,
                        bool is_float32);
  void (*medoid_gains)(const Matrix&, const double* weight, const double* nearest, const std::int64_t* rows, std::int64_t count, double* gain);
  void (*medoid_assign)(const MedoidState&);
  void (*medoid_exchange)(const MedoidState&, MedoidSearch&, double least_gain, std::int64_t candidates);
  void (*assign)(const AssignProblem& problem);
  BoundedCount (*assign_bounded)(const BoundedProblem& problem);
  std::int64_t (*lanes)(bool is_float32);
  void (*cluster_sums)(const SumProblem& problem);
  void (*seed_step)(const SeedProblem& problem);
};

// Rows of a chunk of `seed_step`.
constexpr std::int64_t seed_chunk = 2048;

const ClusterLoops& cluster_loops();

}  // namespace empirisk
