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

struct ClusterLoops {
  const char* name;
  std::int64_t (*line_layer)(const LineLayer&);  // the last i that was kept
  void (*medoid_gains)(const Matrix&, const double* weight, const double* nearest, double* gain);
  void (*medoid_assign)(const MedoidState&);
  void (*medoid_exchange)(const MedoidState&, MedoidSearch&, double least_gain, std::int64_t candidates);
};

const ClusterLoops& cluster_loops();

}  // namespace empirisk
