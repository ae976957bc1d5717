// The choice among the tables of one family of loops: made once, from what the processor offers. The environment variable
// EMPIRISK_ISA (baseline, avx2, avx512) may ask for less; tests use it to run every variant.
#pragma once
#include <cstdlib>
#include <cstring>

namespace empirisk {

// One function a variant, each returning its table; `isa/choose.hpp` is included by files that see EMPIRISK_X86_VARIANTS.
template <class Table>
Table choose_variant(Table (*baseline)(const char*), [[maybe_unused]] Table (*avx2)(const char*),
                     [[maybe_unused]] Table (*avx512)(const char*)) {
  const char* wish = std::getenv("EMPIRISK_ISA");
  [[maybe_unused]] const auto allows = [wish](const char* name) { return wish == nullptr || std::strcmp(wish, name) == 0; };
#ifdef EMPIRISK_X86_VARIANTS
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512 && allows("avx512")) return avx512("avx512");
  if (has_avx2 && (allows("avx2") || allows("avx512"))) return avx2("avx2");
#endif
  return baseline("baseline");
}

}  // namespace empirisk

// Defines NAME(), the chosen table of a family whose variants define `TABLE NAME(const char*)` in the namespaces of isa/.
#ifdef EMPIRISK_X86_VARIANTS
#define EMPIRISK_CHOOSE(TABLE, NAME)                                                            \
  namespace empirisk {                                                                          \
  namespace baseline { TABLE NAME(const char* name); }                                          \
  namespace avx2 { TABLE NAME(const char* name); }                                              \
  namespace avx512 { TABLE NAME(const char* name); }                                            \
  const TABLE& NAME() {                                                                         \
    static const TABLE chosen = choose_variant(&baseline::NAME, &avx2::NAME, &avx512::NAME);    \
    return chosen;                                                                              \
  }                                                                                             \
  }
#else
#define EMPIRISK_CHOOSE(TABLE, NAME)                                                            \
  namespace empirisk {                                                                          \
  namespace baseline { TABLE NAME(const char* name); }                                          \
  const TABLE& NAME() {                                                                         \
    static const TABLE chosen = baseline::NAME("baseline");                                     \
    return chosen;                                                                              \
  }                                                                                             \
  }
#endif
