// The loops of neighbours of one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "neighbors/brute.hpp"
#include "neighbors/neighbor_table.hpp"
#include "neighbors/row_tree.hpp"
#include "neighbors/tree_search.hpp"
#include "neighbors/windows.hpp"

namespace empirisk::EMPIRISK_ISA {

NeighborLoops neighbor_loops(const char* name) { return {name, nearest_brute, tree_size, build_tree, search_tree, window_sums}; }

}  // namespace empirisk::EMPIRISK_ISA
