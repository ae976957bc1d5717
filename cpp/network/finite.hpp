// A look for numbers that are not finite, by their bits: compilers that assume finite numbers leave it alone.
#pragma once
#include <bit>
#include <cstdint>

#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

// Whether one of n numbers is infinite or not a number.
inline bool not_finite(const float* x, i64 n) {
  std::uint32_t found = 0;
  for (i64 i = 0; i < n; ++i) found |= (std::bit_cast<std::uint32_t>(x[i]) & 0x7f800000u) == 0x7f800000u;
  return found != 0;
}
inline bool not_finite(const double* x, i64 n) {
  std::uint64_t found = 0;
  for (i64 i = 0; i < n; ++i) found |= (std::bit_cast<std::uint64_t>(x[i]) & 0x7ff0000000000000ull) == 0x7ff0000000000000ull;
  return found != 0;
}

}  // namespace empirisk::EMPIRISK_ISA
