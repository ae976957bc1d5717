// Vectors of the native width of one instruction set. The files of isa/ include the loops several times under different
// compiler flags; everything that is compiled more than once lives in namespace empirisk::EMPIRISK_ISA, so that the linker
// never mixes the variants. For the same reason the loops use no out-of-line standard-library templates (std::vector).
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#ifndef EMPIRISK_ISA
#error "include this only from a file of isa/, which names the instruction set"
#endif

#if defined(__AVX512F__)
#define EMPIRISK_VECTOR_BYTES 64
#elif defined(__AVX2__) || defined(__aarch64__)
#define EMPIRISK_VECTOR_BYTES 32  // aarch64 has 32 registers of 16 bytes: pairs keep the tiles well shaped
#else
#define EMPIRISK_VECTOR_BYTES 16
#endif

#if defined(__GNUC__)
#define EMPIRISK_INLINE inline __attribute__((always_inline))
#define EMPIRISK_RESTRICT __restrict__
#else
#define EMPIRISK_INLINE __forceinline
#define EMPIRISK_RESTRICT __restrict
#endif

namespace empirisk::EMPIRISK_ISA {

using i64 = std::int64_t;

template <class T>
constexpr i64 lanes = EMPIRISK_VECTOR_BYTES / i64(sizeof(T));

template <class A>
constexpr A least(A a, A b) { return b < a ? b : a; }
template <class A>
constexpr A most(A a, A b) { return a < b ? b : a; }
constexpr i64 ceil_div(i64 a, i64 b) { return (a + b - 1) / b; }
constexpr i64 round_up(i64 a, i64 b) { return ceil_div(a, b) * b; }

#if defined(__GNUC__)
template <class T>
struct VecOf {
  typedef T type __attribute__((vector_size(EMPIRISK_VECTOR_BYTES)));
};
template <class T>
using Vec = typename VecOf<T>::type;
#else
// Compilers without vector extensions: an array that the optimiser may or may not vectorise.
template <class T>
struct Vec {
  T v[lanes<T>];
  T& operator[](i64 i) { return v[i]; }
  const T& operator[](i64 i) const { return v[i]; }
  friend Vec operator+(Vec a, const Vec& b) { for (i64 i = 0; i < lanes<T>; ++i) a.v[i] += b.v[i]; return a; }
  friend Vec operator-(Vec a, const Vec& b) { for (i64 i = 0; i < lanes<T>; ++i) a.v[i] -= b.v[i]; return a; }
  friend Vec operator*(Vec a, const Vec& b) { for (i64 i = 0; i < lanes<T>; ++i) a.v[i] *= b.v[i]; return a; }
  Vec& operator+=(const Vec& b) { return *this = *this + b; }
};
#endif

template <class T>
EMPIRISK_INLINE Vec<T> load(const T* p) {
  Vec<T> v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
EMPIRISK_INLINE void store(T* p, const Vec<T>& v) {
  std::memcpy(p, &v, sizeof v);
}

template <class T>
EMPIRISK_INLINE Vec<T> fill(T x) {
#if defined(__GNUC__)
  return x - Vec<T>{};
#else
  Vec<T> v;
  for (i64 i = 0; i < lanes<T>; ++i) v[i] = x;
  return v;
#endif
}

// One vector of doubles from lanes<double> consecutive values of type double or float.
EMPIRISK_INLINE Vec<double> load_double(const double* p) { return load(p); }
EMPIRISK_INLINE Vec<double> load_double(const float* p) {
#if defined(__GNUC__)
  typedef float Half __attribute__((vector_size(EMPIRISK_VECTOR_BYTES / 2)));
  Half h;
  std::memcpy(&h, p, sizeof h);
  return __builtin_convertvector(h, Vec<double>);
#else
  Vec<double> v;
  for (i64 i = 0; i < lanes<double>; ++i) v[i] = p[i];
  return v;
#endif
}

// A vector of doubles to lanes<double> consecutive values of type double or float.
EMPIRISK_INLINE void store_double(double* p, const Vec<double>& v) { store(p, v); }
EMPIRISK_INLINE void store_double(float* p, const Vec<double>& v) {
#if defined(__GNUC__)
  typedef float Half __attribute__((vector_size(EMPIRISK_VECTOR_BYTES / 2)));
  const Half h = __builtin_convertvector(v, Half);
  std::memcpy(p, &h, sizeof h);
#else
  for (i64 i = 0; i < lanes<double>; ++i) p[i] = float(v[i]);
#endif
}

// The smaller one in each lane; where a is not a number, b.
template <class T>
EMPIRISK_INLINE Vec<T> smaller(const Vec<T>& a, const Vec<T>& b) {
#if defined(__GNUC__)
  return a < b ? a : b;
#else
  Vec<T> v;
  for (i64 i = 0; i < lanes<T>; ++i) v[i] = a[i] < b[i] ? a[i] : b[i];
  return v;
#endif
}

// Sum of the lanes, always in the same order: halves are folded.
EMPIRISK_INLINE double lane_sum(const Vec<double>& v) {
#if EMPIRISK_VECTOR_BYTES == 64 && defined(__GNUC__)
  const auto a = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
  const auto b = __builtin_shufflevector(a, a, 0, 1) + __builtin_shufflevector(a, a, 2, 3);
  return b[0] + b[1];
#elif EMPIRISK_VECTOR_BYTES == 32 && defined(__GNUC__)
  const auto b = __builtin_shufflevector(v, v, 0, 1) + __builtin_shufflevector(v, v, 2, 3);
  return b[0] + b[1];
#else
  double s = v[0];
  for (i64 i = 1; i < lanes<double>; ++i) s += v[i];
  return s;
#endif
}

// Sum of n doubles in an order that depends on n alone.
inline double fixed_sum(const double* x, i64 n) {
  Vec<double> a = fill(0.0), b = fill(0.0);
  i64 i = 0;
  for (; i + 2 * lanes<double> <= n; i += 2 * lanes<double>) {
    a += load(x + i);
    b += load(x + i + lanes<double>);
  }
  double s = lane_sum(a + b);
  for (; i < n; ++i) s += x[i];
  return s;
}

// Uninitialised memory on a cache-line boundary. Allocate before a parallel region: it throws std::bad_alloc.
template <class T>
class Buffer {
 public:
  explicit Buffer(i64 n) : p_(n > 0 ? static_cast<T*>(::operator new(sizeof(T) * std::size_t(n), std::align_val_t(64))) : nullptr) {}
  ~Buffer() { if (p_) ::operator delete(p_, std::align_val_t(64)); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* data() const { return p_; }
  T& operator[](i64 i) const { return p_[i]; }

 private:
  T* p_;
};

}  // namespace empirisk::EMPIRISK_ISA
