// Parallel loops whose results have the same bits for any number of threads: work is cut into chunks by the shape of the
// problem alone, and what the chunks computed is merged in the order of the chunks.
#pragma once
#ifdef _OPENMP
#include <omp.h>
#endif
#include "support/simd.hpp"
#include "support/threads.hpp"

namespace empirisk::EMPIRISK_ISA {

// Threads worth starting for `work` multiply-adds. The limit is about 0.1 ms of work: on an idle machine a parallel
// region pays from about 0.01 ms on, but when the cores are shared each one can wait milliseconds for its second thread.
constexpr i64 serial_work = 1 << 21;

inline int threads_for(i64 work, i64 chunks) {
#ifdef _OPENMP
  if (work < serial_work || chunks < 2 || omp_in_parallel()) return 1;
  return int(least<i64>(most_threads(), chunks));
#else
  (void)work, (void)chunks;
  return 1;
#endif
}

inline int thread_index() {
#ifdef _OPENMP
  return omp_get_thread_num();
#else
  return 0;
#endif
}

// body(chunk, thread) in any order; the bodies must not share what they write.
template <class Body>
void for_chunks(i64 chunks, int threads, const Body& body) {
  if (threads <= 1) {
    for (i64 c = 0; c < chunks; ++c) body(c, 0);
    return;
  }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (i64 c = 0; c < chunks; ++c) body(c, thread_index());
}

// body(chunk, thread) in any order, then merge(chunk, thread) one at a time in the order of the chunks.
template <class Body, class Merge>
void for_chunks_ordered(i64 chunks, int threads, const Body& body, const Merge& merge) {
  if (threads <= 1) {
    for (i64 c = 0; c < chunks; ++c) {
      body(c, 0);
      merge(c, 0);
    }
    return;
  }
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(threads)
  for (i64 c = 0; c < chunks; ++c) {
    body(c, thread_index());
#pragma omp ordered
    merge(c, thread_index());
  }
}

// Result buffers for `chunks` chunks of `size` doubles: one per chunk while they are small, else one per thread.
inline i64 result_slots(i64 chunks, int threads, i64 size) {
  return threads > 1 && chunks * size <= (i64(1) << 20) ? chunks : i64(threads);
}

// body(chunk, thread, slot) in any order, then merge(slot) one at a time in the order of the chunks. With a slot per chunk no
// thread waits for another, which matters on a busy machine.
template <class Body, class Merge>
void for_chunks_merged(i64 chunks, int threads, i64 slots, const Body& body, const Merge& merge) {
  if (slots == chunks && threads > 1) {
    for_chunks(chunks, threads, [&](i64 c, int thread) { body(c, thread, c); });
    for (i64 c = 0; c < chunks; ++c) merge(c);
  } else {
    for_chunks_ordered(
        chunks, threads, [&](i64 c, int thread) { body(c, thread, i64(thread)); }, [&](i64, int thread) { merge(i64(thread)); });
  }
}

}  // namespace empirisk::EMPIRISK_ISA
