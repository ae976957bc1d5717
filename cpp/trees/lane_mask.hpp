// Truth values of vectors of doubles: all bits of a lane set, or none.
#pragma once
#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

#if defined(__GNUC__)
typedef i64 Mask __attribute__((vector_size(EMPIRISK_VECTOR_BYTES)));
EMPIRISK_INLINE Vec<double> choose(const Mask& m, const Vec<double>& yes, const Vec<double>& no) { return m ? yes : no; }
EMPIRISK_INLINE Mask at_most(const Vec<double>& x, double t) { return x <= t; }
EMPIRISK_INLINE Mask not_above(const Vec<double>& x, double t) { return ~(x > t); }
EMPIRISK_INLINE Mask both(const Mask& a, const Mask& b) { return a & b; }
EMPIRISK_INLINE Mask opposite(const Mask& a) { return ~a; }
#else
typedef Vec<i64> Mask;
EMPIRISK_INLINE Vec<double> choose(const Mask& m, Vec<double> yes, const Vec<double>& no) {
  for (i64 l = 0; l < lanes<double>; ++l) yes[l] = m[l] ? yes[l] : no[l];
  return yes;
}
EMPIRISK_INLINE Mask at_most(const Vec<double>& x, double t) {
  Mask m;
  for (i64 l = 0; l < lanes<double>; ++l) m[l] = x[l] <= t ? -1 : 0;
  return m;
}
EMPIRISK_INLINE Mask not_above(const Vec<double>& x, double t) {
  Mask m;
  for (i64 l = 0; l < lanes<double>; ++l) m[l] = x[l] > t ? 0 : -1;
  return m;
}
EMPIRISK_INLINE Mask both(Mask a, const Mask& b) {
  for (i64 l = 0; l < lanes<double>; ++l) a[l] &= b[l];
  return a;
}
EMPIRISK_INLINE Mask opposite(Mask a) {
  for (i64 l = 0; l < lanes<double>; ++l) a[l] = ~a[l];
  return a;
}
#endif

}  // namespace empirisk::EMPIRISK_ISA
