// How many threads a parallel region of this thread may have.
#pragma once
#ifdef _OPENMP
#include <omp.h>
#endif

namespace empirisk {

// The pool of OpenMP threads of a thread that forked is not there in the child, but its record is: the next region would
// wait for ever. So that one thread of the child runs our loops alone; threads that the child starts have pools of their own.
inline thread_local bool forked = false;

inline int most_threads() {
#ifdef _OPENMP
  return forked ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

}  // namespace empirisk
