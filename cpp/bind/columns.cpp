// column_sums, column_tally.
#include <cstring>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

struct ColumnArg {
  MatrixArg x;
  ArrayArg weights;
  ColumnPass pass;
};

static ColumnArg column_arg(nb::handle x, nb::handle weights) {
  ColumnArg arg{matrix_arg(x), {}, {}};
  if (arg.x.view.storage != Storage::dense || arg.x.view.cols != 1 || arg.x.view.rows < 1)
    refuse("X must be one dense column with a row at least");
  if (arg.x.view.rows > (i64(1) << 31)) refuse("X must have at most 2^31 rows");  // times are counted in 32 bits
  arg.weights = array_arg(weights, "weights", {arg.x.view.rows});
  arg.pass.x = arg.x.view;
  arg.pass.weights = arg.weights.data;
  return arg;
}

static nb::object column_sums(nb::handle x, nb::handle weights, double origin, bool square, bool log, bool log_rest) {
  ColumnArg arg = column_arg(x, weights);
  arg.pass.origin = origin;
  arg.pass.square = square;
  arg.pass.log = log;
  arg.pass.log_rest = log_rest;
  ColumnSums s;
  {
    const nb::gil_scoped_release release;
    loops().columns.sums(arg.pass, s);
  }
  if (!s.plain) return nb::none();
  return nb::make_tuple(s.weight, s.x, s.square, s.log, s.log_rest, s.least, s.greatest);
}

static nb::object column_tally(nb::handle x, nb::handle weights) {
  const ColumnArg arg = column_arg(x, weights);
  std::vector<double> table(most_tallied);
  i64 greatest;
  {
    const nb::gil_scoped_release release;
    greatest = loops().columns.tally(arg.pass, table.data());
  }
  if (greatest < 0) return nb::none();
  const Result out = new_result({greatest + 1});
  std::memcpy(out.data, table.data(), sizeof(double) * std::size_t(greatest + 1));
  return out.array;
}

void bind_columns(nb::module_& m) {
  m.def("column_sums", &column_sums, nb::arg("X"), nb::arg("weights") = nb::none(), nb::arg("origin") = 0.0,
        nb::arg("square") = false, nb::arg("log") = false, nb::arg("log_rest") = false);
  m.def("column_tally", &column_tally, nb::arg("X"), nb::arg("weights") = nb::none());
}

}  // namespace empirisk
