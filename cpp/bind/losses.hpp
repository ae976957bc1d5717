// Losses and class codes as arguments.
#pragma once
#include "bind/arrays.hpp"
#include "loops/row_functions.hpp"
#include "loops/stochastic.hpp"

namespace empirisk {

inline ScalarLoss scalar_loss(const std::string& name) {
  std::string known;
  int place = 0;
  for (const char* one : scalar_loss_names) {
    if (name == one) return ScalarLoss(place);
    known += (place++ ? ", '" : "'") + std::string(one) + "'";
  }
  refuse("loss must be one of " + known + ", not '" + name + "'");
}

inline ArrayArg required(nb::handle h, const char* name, const std::vector<i64>& shape) {
  if (h.is_none()) refuse(std::string(name) + " must be an array");
  return array_arg(h, name, shape);
}

// The loss of stochastic steps that a name stands for; in stochastic.cpp.
RowLoss row_loss(const std::string& name);

using Labels = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline Labels labels_arg(nb::handle y, i64 n, i64 k) {
  const AnyArray given = any_array(y, "y");
  check_shape(given, "y", {n});
  Labels labels;
  const auto code = nb::dlpack::dtype_code(given.dtype().code);
  if ((code != nb::dlpack::dtype_code::Int && code != nb::dlpack::dtype_code::UInt) || !nb::try_cast(y, labels))
    refuse("y must hold integers");
  for (i64 i = 0; i < n; ++i)
    if (labels.data()[i] < 0 || labels.data()[i] >= k)
      refuse("y[" + std::to_string(i) + "] = " + std::to_string(labels.data()[i]) + " is not a class index below " + std::to_string(k));
  return labels;
}

}  // namespace empirisk
