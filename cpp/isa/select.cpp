#include <cstdlib>
#include <cstring>

#include "loops/table.hpp"

namespace empirisk {

namespace baseline { LoopTable table(const char* name); }
namespace avx2 { LoopTable table(const char* name); }
namespace avx512 { LoopTable table(const char* name); }

static LoopTable choose() {
  const char* wish = std::getenv("EMPIRISK_ISA");
  [[maybe_unused]] const auto allows = [wish](const char* name) { return wish == nullptr || std::strcmp(wish, name) == 0; };
#ifdef EMPIRISK_X86_VARIANTS
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  if (has_avx512 && allows("avx512")) return avx512::table("avx512");
  if (has_avx2 && (allows("avx2") || allows("avx512"))) return avx2::table("avx2");
#endif
  return baseline::table("baseline");
}

const LoopTable& loops() {
  static const LoopTable chosen = choose();
  return chosen;
}

}  // namespace empirisk
