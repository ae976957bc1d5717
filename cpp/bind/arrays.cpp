#include "bind/arrays.hpp"

#include <memory>

namespace empirisk {

static bool float32_or_refuse(const AnyArray& a, const char* name) {
  if (a.dtype() == nb::dtype<double>()) return false;
  if (a.dtype() == nb::dtype<float>()) return true;
  refuse(std::string(name) + " must be float64 or float32");
}

static MatrixArg sparse_arg(nb::handle x, const char* name) {
  const std::string format = nb::cast<std::string>(nb::str(x.attr("format")));
  if (format != "csr" && format != "csc") refuse(std::string(name) + " must be dense, CSR or CSC, not " + format);
  MatrixArg arg;
  const AnyArray data = any_array(x.attr("data"), name), indices = any_array(x.attr("indices"), name),
                 indptr = any_array(x.attr("indptr"), name);
  const nb::tuple shape = nb::cast<nb::tuple>(x.attr("shape"));
  Matrix& m = arg.view;
  m.storage = format == "csr" ? Storage::csr : Storage::csc;
  m.is_float32 = float32_or_refuse(data, name);
  m.is_index64 = indices.dtype() == nb::dtype<i64>();
  if (!(indices.dtype() == indptr.dtype()) || !(m.is_index64 || indices.dtype() == nb::dtype<std::int32_t>()))
    refuse(std::string(name) + ": indices and indptr must both be int32 or both int64");
  m.rows = nb::cast<i64>(shape[0]);
  m.cols = nb::cast<i64>(shape[1]);
  const i64 major = m.storage == Storage::csr ? m.rows : m.cols;
  for (const AnyArray& a : {data, indices, indptr})
    if (a.ndim() != 1 || (a.shape(0) > 1 && a.stride(0) != 1)) refuse(std::string(name) + ": sparse arrays must be contiguous");
  if (i64(indptr.shape(0)) != major + 1) refuse(std::string(name) + ": indptr does not fit the shape");
  const auto at = [&](i64 i) {
    return m.is_index64 ? static_cast<const i64*>(indptr.data())[i] : i64(static_cast<const std::int32_t*>(indptr.data())[i]);
  };
  const i64 stored = static_cast<i64>(data.shape(0) < indices.shape(0) ? data.shape(0) : indices.shape(0));
  if (at(0) != 0 || at(major) > stored || at(major) < 0) refuse(std::string(name) + ": indptr does not fit the stored values");
  m.data = data.data();
  m.indices = indices.data();
  m.indptr = indptr.data();
  arg.keep = {data, indices, indptr};
  return arg;
}

MatrixArg matrix_arg(nb::handle x, const char* name) {
  if (nb::hasattr(x, "format") && nb::hasattr(x, "shape")) return sparse_arg(x, name);
  const AnyArray a = any_array(x, name);
  if (a.ndim() != 2) refuse(std::string(name) + " has shape " + shape_text(a) + ", expected two dimensions");
  MatrixArg arg;
  Matrix& m = arg.view;
  m.is_float32 = float32_or_refuse(a, name);
  m.rows = i64(a.shape(0));
  m.cols = i64(a.shape(1));
  m.data = a.data();
  m.row_stride = m.rows > 1 ? i64(a.stride(0)) : m.cols;  // the stride of an axis of length one may be anything
  m.col_stride = m.cols > 1 ? i64(a.stride(1)) : 1;
  arg.keep = {a};
  return arg;
}

ArrayArg array_arg(nb::handle h, const char* name, const std::vector<i64>& shape) {
  ArrayArg arg;
  if (h.is_none()) return arg;
  check_shape(any_array(h, name), name, shape);
  if (!nb::try_cast(h, arg.keep)) refuse(std::string(name) + " cannot be read as float64");
  static const double nothing = 0.0;  // an empty array is not an absent one
  arg.data = arg.keep.size() > 0 ? arg.keep.data() : &nothing;
  return arg;
}

Result new_result(const std::vector<i64>& shape) {
  if (shape.size() > 2) refuse("results have one or two dimensions");
  std::size_t size = 1, dims[2] = {};
  for (std::size_t i = 0; i < shape.size(); ++i) size *= dims[i] = std::size_t(shape[i]);
  auto memory = std::make_unique_for_overwrite<double[]>(size == 0 ? 1 : size);
  double* data = memory.get();
  const nb::capsule owner(memory.release(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return {nb::cast(nb::ndarray<nb::numpy, double>(data, shape.size(), dims, owner)), data};
}

Result result_or_out(nb::handle out, const std::vector<i64>& shape) {
  if (out.is_none()) return new_result(shape);
  check_shape(any_array(out, "out"), "out", shape);
  nb::ndarray<double, nb::c_contig, nb::device::cpu> a;
  if (!nb::try_cast(out, a, false)) refuse("out must be a writeable float64 array in C order");
  return {nb::borrow(out), a.data()};
}

}  // namespace empirisk
