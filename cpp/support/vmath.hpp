// exp and log1p without branches or tables, so that a loop over an array becomes vector code on every instruction set.
// Errors: below 1.25 ulp (exp) and 1.5 ulp (log1p) against mpmath; infinities, NaN and subnormal results are exact cases.
#pragma once
#include <bit>
#include <limits>

#include "support/simd.hpp"

namespace empirisk::EMPIRISK_ISA {

constexpr double round_shift = 0x1.8p52;  // adding it rounds to an integer that stands in the low bits
constexpr double ln2_high = 0x1.62e42fefa2000p-1, ln2_low = 0x1.9ef35793c7673p-41;

EMPIRISK_INLINE double power_of_two(std::uint64_t k) {  // k: two's complement in the low 12 bits
  return std::bit_cast<double>((k + 1023) << 52);
}

// exp(x) = 2^k exp(r), |r| <= ln(2)/2 (Cody and Waite, 1980); exp(r) = 1 + r + r^2 q(r), q of degree 9 by interpolation at
// Chebyshev points. 2^k is applied in two factors: results below 2^-1022 are rounded once, correctly.
EMPIRISK_INLINE double exp_fast(double x) {
  x = x > 720.0 ? 720.0 : x;  // a NaN passes both comparisons
  x = x < -760.0 ? -760.0 : x;
  const double shifted = x * 0x1.71547652b82fep+0 + round_shift;
  const double k = shifted - round_shift;
  const double r = (x - k * ln2_high) - k * ln2_low;
  const double half = 0.5 * k + round_shift;
  const std::uint64_t k1 = std::bit_cast<std::uint64_t>(half);
  const std::uint64_t k2 = std::bit_cast<std::uint64_t>(shifted) - k1;
  double q = 0x1.af38a9b0ec855p-26;
  q = q * r + 0x1.289185613a3d6p-22;
  q = q * r + 0x1.71de0dae63bb3p-19;
  q = q * r + 0x1.a019b90d2ae7ap-16;
  q = q * r + 0x1.a01a01a7c41d5p-13;
  q = q * r + 0x1.6c16c1788bd90p-10;
  q = q * r + 0x1.11111111109b3p-7;
  q = q * r + 0x1.5555555553d63p-5;
  q = q * r + 0x1.5555555555556p-3;
  q = q * r + 0.5;
  const double p = 1.0 + (r + (r * r) * q);
  return p * power_of_two(k1) * power_of_two(k2);
}

// k log 2 + log(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)): with s = f/(2 + f), log(1 + f) = 2 atanh(s) = f - s (f - s^2 g(s^2)).
EMPIRISK_INLINE double log_of_parts(double k, double f) {
  const double s = f / (2.0 + f), u = s * s;
  double g = 0x1.0c0b9c3797bb8p-3;
  g = g * u + 0x1.0fbdd1e88d489p-3;
  g = g * u + 0x1.3b1c3cac7ebefp-3;
  g = g * u + 0x1.745cf8e2153bbp-3;
  g = g * u + 0x1.c71c7201abb86p-3;
  g = g * u + 0x1.24924924769e1p-2;
  g = g * u + 0x1.9999999999a39p-2;
  g = g * u + 0x1.5555555555555p-1;
  return k * ln2_high + (f - (s * (f - u * g) - k * ln2_low));
}

// The exponent e of x > 0, a normal number, as 2^e times a number in [sqrt(1/2), sqrt(2)); two's complement in 12 bits.
EMPIRISK_INLINE std::uint64_t middle_exponent(double x) { return (std::bit_cast<std::uint64_t>(x) - 0x3fe6a09e667f3bcdULL) >> 52; }
EMPIRISK_INLINE double exponent_value(std::uint64_t e) {
  return std::bit_cast<double>((e ^ 0x800) + 0x4330000000000000ULL) - 0x1.0000000000800p52;
}

// log(x) for normal x with 0 < x < 2^1022.
EMPIRISK_INLINE double log_fast(double x) {
  const std::uint64_t e = middle_exponent(x);
  return log_of_parts(exponent_value(e), x * std::bit_cast<double>((1023 - e) << 52) - 1.0);
}

// log(1 + t) for -1 < t < 2^1022 and t = inf. f is formed from t itself, so small t keep all their digits.
EMPIRISK_INLINE double log1p_fast(double t) {
  const std::uint64_t e = middle_exponent(1.0 + t);
  const double scale = std::bit_cast<double>((1023 - e) << 52);
  const double result = log_of_parts(exponent_value(e), t * scale + (scale - 1.0));
  return t > std::numeric_limits<double>::max() ? t : result;
}

}  // namespace empirisk::EMPIRISK_ISA
