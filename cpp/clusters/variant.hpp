// The loops of clusters: rows and their nearest centres, seeds, medoids, for one instruction set; included by the files of isa/ after they have defined EMPIRISK_ISA.
#include "clusters/assign.hpp"
#include "clusters/bounded.hpp"
#include "clusters/cluster_table.hpp"
#include "clusters/distances.hpp"
#include "clusters/line.hpp"
#include "clusters/medoids.hpp"
#include "clusters/seeding.hpp"
#include "clusters/sums.hpp"

namespace empirisk::EMPIRISK_ISA {

ClusterLoops cluster_loops(const char* name) {
  return {name,   line_layer,     row_distances, medoid_gains, medoid_assign, medoid_exchange,
          assign, assign_bounded, panel_lanes,   cluster_sums, seed_step};
}

}  // namespace empirisk::EMPIRISK_ISA
