// From Python objects to the plain views of the loops: shapes and types are checked here, with errors that name the argument.
// Read-only arrays and any strides are accepted; nothing the size of X is copied.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/view.hpp"

namespace empirisk {

namespace nb = nanobind;
using i64 = std::int64_t;
using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

[[noreturn]] inline void refuse(const std::string& message) { throw nb::value_error(message.c_str()); }

inline std::string shape_text(const AnyArray& a) {
  std::string text = "(";
  for (std::size_t i = 0; i < a.ndim(); ++i) text += (i ? ", " : "") + std::to_string(a.shape(i));
  return text + (a.ndim() == 1 ? ",)" : ")");
}

inline AnyArray any_array(nb::handle h, const char* name) {
  AnyArray a;
  if (!nb::try_cast(h, a, false)) refuse(std::string(name) + " must be a NumPy array whose strides are whole elements");
  return a;
}

inline void check_shape(const AnyArray& a, const char* name, const std::vector<i64>& shape) {
  bool same = a.ndim() == shape.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = i64(a.shape(i)) == shape[i];
  if (same) return;
  std::string wanted = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) wanted += (i ? ", " : "") + std::to_string(shape[i]);
  refuse(std::string(name) + " has shape " + shape_text(a) + ", expected " + wanted + (shape.size() == 1 ? ",)" : ")"));
}

// A matrix together with the Python objects that own its memory.
struct MatrixArg {
  Matrix view;
  std::vector<AnyArray> keep;
};
MatrixArg matrix_arg(nb::handle x, const char* name = "X");

// A small or n-sized array as float64 in C order: itself where it is one, else a converted copy. None gives a null pointer.
struct ArrayArg {
  nb::ndarray<const double, nb::c_contig, nb::device::cpu> keep;
  const double* data = nullptr;
};
ArrayArg array_arg(nb::handle h, const char* name, const std::vector<i64>& shape);

// New float64 arrays for results, and `out=` arguments.
struct Result {
  nb::object array;
  double* data = nullptr;
};
Result new_result(const std::vector<i64>& shape);
Result result_or_out(nb::handle out, const std::vector<i64>& shape);
inline Result optional_result(bool wanted, const std::vector<i64>& shape) {
  return wanted ? new_result(shape) : Result{nb::none(), nullptr};
}

}  // namespace empirisk
