// The loops that reduce dimensions: products of sparse rows and random signs.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "reduction/reduction_table.hpp"

namespace empirisk {

void bind_reduction(nb::module_&) {}

}  // namespace empirisk
