// The loops that merge clusters into trees, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "linkage/connected_tree.hpp"
#include "linkage/generic_tree.hpp"
#include "linkage/linkage_table.hpp"
#include "linkage/prim.hpp"
#include "linkage/spanning_tree.hpp"
#include "linkage/vector_tree.hpp"

namespace empirisk::EMPIRISK_ISA {

// Trees of boxes leave most rows out where there are few columns. Measured on normal rows; see docs/maths/linkage.md.
static bool by_boxes(const LinkageProblem& p) { return p.boxes < 0 ? p.rows >= 2000 && p.cols <= 8 : p.boxes > 0; }

// Largest distances compare as their squares do.
template <class Roots_, class Squares_>
Linker* tree_of_rows(const LinkageProblem& p) {
  switch (p.link) {
    case Link::single: return by_boxes(p) ? static_cast<Linker*>(new SpanningTree<Squares_>(p)) : new PrimRows<Squares_>(p);
    case Link::complete: return new VectorTree<Squares_, RowGroups<MaxJoin, AsItIs, false>, MaxForm>(p);
    case Link::average: return new VectorTree<Roots_, RowGroups<SumJoin, PerPair, false>, SumForm>(p);
    case Link::weighted: return new VectorTree<Roots_, RowGroups<SumJoin, AsItIs, true>, HalfForm>(p);
    default: return nullptr;
  }
}

static Linker* tree_of_matrix(const LinkageProblem& p) {
  switch (p.link) {
    case Link::single: return new PrimMatrix(p);
    case Link::complete: return new GivenMatrix<MaxForm>(p);
    case Link::average: return new GivenMatrix<SumForm>(p);
    case Link::weighted: return new GivenMatrix<HalfForm>(p);
    case Link::ward: return new GivenMatrix<CentroidForm>(p);
    default: return new GenericTree<SquareStore>(p);
  }
}

static Linker* make_linker(const LinkageProblem& p) {
  if (p.starts && p.distances) return new ConnectedTree<RecurrenceStore>(p);
  if (p.starts) return new ConnectedTree<CentreStore>(p);
  if (p.precomputed) return tree_of_matrix(p);
  if (p.link == Link::ward) return new VectorTree<Squares, CentroidGroups, CentroidForm>(p);
  if (p.link == Link::centroid || p.link == Link::median) return new GenericTree<CentroidStore>(p);
  if (p.metric == RowMetric::manhattan) return tree_of_rows<Absolutes, Absolutes>(p);
  if (p.metric == RowMetric::cosine) return tree_of_rows<HalfSquares, HalfSquares>(p);
  return tree_of_rows<Roots, Squares>(p);
}

LinkageLoops linkage_loops(const char* name) { return {name, make_linker}; }

}  // namespace empirisk::EMPIRISK_ISA
