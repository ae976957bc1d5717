// The loops of one instruction set that merge clusters into trees.
#pragma once
#include <cstdint>

#include "support/view.hpp"

namespace empirisk {

enum class RowMetric { euclidean, manhattan, cosine };  // cosine: rows of length one, half the squared difference

enum class Link { single, complete, average, weighted, ward, centroid, median };

// Rows, or the square matrix of their distances; the merges go into arrays that the caller owns.
struct LinkageProblem {
  std::int64_t rows = 0, cols = 0;
  const double* x = nullptr;       // (rows, cols), C order; or the distances, (rows, rows)
  const double* weight = nullptr;  // (rows), > 0
  bool precomputed = false;
  RowMetric metric = RowMetric::euclidean;
  Link link = Link::single;
  const std::int64_t *starts = nullptr, *ends = nullptr;  // edges that merges follow: of row i, ends[starts[i]] to ends[starts[i + 1] - 1]
  double* distances = nullptr;  // with edges: (rows, rows), what the recurrence holds, changed in its place; null where x are centres
  int boxes = -1;  // rows searched in a tree of boxes (single, Ward): 1 yes, 0 no, -1 by the measured rule
  std::int64_t *first = nullptr, *second = nullptr;  // (rows - 1): a row of each of the two clusters
  double* height = nullptr;                          // (rows - 1)
};

// A tree that grows in steps, so that Python can look for Ctrl-C and free memory in between.
class Linker {
 public:
  virtual ~Linker();
  virtual bool step(std::int64_t work) = 0;  // about so many multiply-adds; false when all is merged
  virtual std::int64_t constrained() const { return merges; }  // merges that followed an edge
  virtual double wants() const { return 0.0; }  // bytes that the next step allocates
  std::int64_t merges = 0;
  bool lost = false;  // a cluster had no nearest one (NaN, infinite distances): no step may follow
};

struct LinkageLoops {
  const char* name;
  Linker* (*make_linker)(const LinkageProblem& problem);
};

const LinkageLoops& linkage_loops();

}  // namespace empirisk
