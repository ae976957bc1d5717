// From Python objects to kernels and the rows that they compare.
#pragma once
#include "bind/arrays.hpp"
#include "kernels/kernel_table.hpp"

namespace empirisk {

// A kernel by the name of its form and its constants.
inline KernelSpec spec_of(const std::string& form, nb::handle numbers) {
  KernelSpec out;
  if (form == "linear") out.form = KernelForm::linear;
  else if (form == "gaussian") out.form = KernelForm::gaussian;
  else if (form == "polynomial") out.form = KernelForm::polynomial;
  else if (form == "laplacian") out.form = KernelForm::laplacian;
  else if (form == "matern") out.form = KernelForm::matern;
  else refuse("no compiled form of a kernel is called '" + form + "'");
  const ArrayArg n = array_arg(numbers, "numbers", {4});
  for (int i = 0; i < 4; ++i) out.numbers[i] = n.data[i];
  return out;
}

// The rows of both sides, of one format and width, as the loops read them: dense, or CSR.
struct PairArg {
  MatrixArg a, b;
  ArrayArg center;
  bool same;
  PairArg(nb::handle x, nb::handle y, nb::handle c)
      : a(matrix_arg(x, "A")), b(matrix_arg(y.is_none() ? x : y, "B")), same(y.is_none()) {
    if (a.view.storage == Storage::csc || b.view.storage == Storage::csc) refuse("A and B must be dense or CSR");
    if (a.view.cols != b.view.cols) refuse("A and B must have the same number of columns");
    if (a.view.is_float32 != b.view.is_float32) refuse("A and B must have the same number format");
    center = array_arg(c, "center", {a.view.cols});
    if (center.data && (a.view.storage == Storage::csr || b.view.storage == Storage::csr)) refuse("CSR rows are not centred");
  }
  KernelRows rows_a() const { return {a.view, nullptr, a.view.rows}; }
  KernelRows rows_b() const { return {b.view, nullptr, b.view.rows}; }
};

}  // namespace empirisk
