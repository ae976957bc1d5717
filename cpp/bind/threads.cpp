#include <nanobind/nanobind.h>
#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

#include "bind/bind.hpp"
#include "support/threads.hpp"

namespace empirisk {
void bind_threads(nanobind::module_& m) {
#if defined(__unix__) || defined(__APPLE__)
  pthread_atfork(nullptr, nullptr, [] { forked = true; });
#endif
  m.def("max_threads", [] { return most_threads(); }, "Number of OpenMP threads that a parallel loop may use; 1 in a forked process.");
}
}  // namespace empirisk
