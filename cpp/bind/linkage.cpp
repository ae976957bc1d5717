// The loops that merge clusters into trees.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "linkage/linkage_table.hpp"

namespace empirisk {

void bind_linkage(nb::module_&) {}

}  // namespace empirisk
