// The loops of clusters: rows and their nearest centres, seeds, medoids.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "clusters/cluster_table.hpp"

namespace empirisk {

void bind_clusters(nb::module_&) {}

}  // namespace empirisk
