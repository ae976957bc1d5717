#include <nanobind/nanobind.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "bind/bind.hpp"

namespace empirisk {
void bind_threads(nanobind::module_& m) {
  m.def("max_threads", [] {
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
  }, "Number of OpenMP threads that a parallel loop may use.");
}
}  // namespace empirisk
