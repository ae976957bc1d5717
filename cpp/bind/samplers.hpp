// From Python objects to the targets of samplers.
#pragma once
#include "bind/arrays.hpp"
#include "bind/losses.hpp"
#include "samplers/linear_potential.hpp"
#include "samplers/softmax_potential.hpp"

namespace empirisk {

// The arrays of a linear target, and what keeps them alive.
struct LinearTargetArg {
  MatrixArg x;
  ArrayArg y, s, offset;
  LinearTarget target;
};

inline LinearTargetArg linear_target(const nb::tuple& t) {
  if (nb::len(t) != 11) refuse("a linear target has 11 entries");
  LinearTargetArg out{matrix_arg(t[0]), {}, {}, {}, {}};
  const i64 n = out.x.view.rows;
  out.y = required(t[1], "y", {n});
  out.s = array_arg(t[2], "s", {n});
  out.offset = array_arg(t[3], "offset", {n});
  out.target = {out.x.view, scalar_loss(nb::cast<std::string>(t[4])), nb::cast<double>(t[5]), out.y.data, out.s.data,
                out.offset.data, nb::cast<bool>(t[6]), nb::cast<double>(t[7]), nb::cast<double>(t[8]),
                nb::cast<double>(t[9]), nb::cast<double>(t[10])};
  return out;
}

// The arrays of a softmax target, and what keeps them alive.
struct SoftmaxTargetArg {
  MatrixArg x;
  Labels y;
  ArrayArg s, basis;
  SoftmaxTarget target;
};

inline SoftmaxTargetArg softmax_target(const nb::tuple& t) {
  const i64 k = nb::cast<i64>(t[3]);
  if (k < 2) refuse("a softmax target has at least two classes");
  SoftmaxTargetArg out{matrix_arg(t[0]), {}, {}, {}, {}};
  const i64 n = out.x.view.rows;
  out.y = labels_arg(t[1], n, k);
  out.s = array_arg(t[2], "s", {n});
  out.basis = array_arg(t[4], "basis", {k, k - 1});
  out.target = {out.x.view, out.y.data(), out.s.data, k, out.basis.data, nb::cast<double>(t[5]),
                {nb::cast<double>(t[6]), nb::cast<double>(t[7]), nb::cast<double>(t[8])}};
  return out;
}

using Changed = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

inline double* changed(const Changed& a, const char* name, const std::vector<i64>& shape) {
  bool same = a.ndim() == shape.size();
  for (std::size_t i = 0; same && i < shape.size(); ++i) same = i64(a.shape(i)) == shape[i];
  if (!same) refuse(std::string(name) + " has another shape than the chains say");
  return a.data();
}

}  // namespace empirisk
