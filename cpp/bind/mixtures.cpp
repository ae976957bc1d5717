// The loops of mixtures: expected statistics of the parts.
#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "mixtures/mixture_table.hpp"

namespace empirisk {

void bind_mixtures(nb::module_&) {}

}  // namespace empirisk
