// resample_sums, resample_rows.
#include <limits>

#include "bind/arrays.hpp"
#include "bind/bind.hpp"
#include "loops/table.hpp"

namespace empirisk {

using Integers = nb::ndarray<const std::int64_t, nb::c_contig, nb::device::cpu>;

static Integers integers(nb::handle h, const char* name) {
  Integers a;
  if (!nb::try_cast(h, a, false)) refuse(std::string(name) + " must be an int64 array in C order");
  return a;
}

// Segments with every number checked that the loops use as an address or as a length.
struct SegmentsArg {
  Integers starts, draws;
  Segments view;
  i64 rows = 0, length = 0;  // length: draws a resample, where it is the same in all
};

static SegmentsArg segments_arg(nb::handle starts, nb::handle draws, std::uint64_t key, i64 first, i64 resamples) {
  SegmentsArg s{integers(starts, "starts"), integers(draws, "draws"), {}, 0, 0};
  if (resamples < 0 || first < 0) refuse("first and n_resamples must not be negative");
  if (s.starts.ndim() != 1 || s.starts.size() < 2) refuse("starts must have one dimension and at least two numbers");
  const i64 count = i64(s.starts.size()) - 1;
  const i64* at = s.starts.data();
  for (i64 k = 0; k < count; ++k)
    if (at[k + 1] <= at[k] || at[k + 1] - at[k] > std::numeric_limits<std::int32_t>::max()) refuse("starts must rise, by less than 2^31");
  if (at[0] != 0) refuse("starts must begin with 0");
  const bool shared = s.draws.ndim() == 1;
  const i64 sets = shared ? 1 : (s.draws.ndim() == 2 ? i64(s.draws.shape(0)) : 0);
  if ((!shared && sets != resamples) || i64(s.draws.shape(s.draws.ndim() - 1)) != count)
    refuse("draws must have shape (segments,) or (n_resamples, segments)");
  for (i64 b = 0; b < sets; ++b) {
    i64 length = 0;
    for (i64 k = 0; k < count; ++k) {
      const i64 d = s.draws.data()[b * count + k];
      if (d < 0 || d > std::numeric_limits<std::int32_t>::max()) refuse("draws must lie in 0 .. 2^31 - 1");
      length += d;
    }
    if (b > 0 && length != s.length) refuse("every resample must draw the same number of rows");
    s.length = length;
  }
  s.rows = at[count];
  s.view = Segments{count, at, s.draws.data(), shared ? 0 : count, key, first};
  return s;
}

static nb::object sums(nb::handle x, nb::handle starts, nb::handle draws, std::uint64_t key, i64 first, i64 resamples) {
  const SegmentsArg s = segments_arg(starts, draws, key, first, resamples);
  const AnyArray table = any_array(x, "X");
  if (table.ndim() != 2) refuse("X must have two dimensions");
  const i64 cols = i64(table.shape(1));
  const ArrayArg values = array_arg(x, "X", {s.rows, cols});
  const Result result = new_result({resamples, cols});
  if (cols > 0) {
    const nb::gil_scoped_release release;
    loops().resample.sums(values.data, cols, s.view, resamples, result.data);
  }
  return result.array;
}

static void rows(nb::handle starts, nb::handle draws, std::uint64_t key, i64 first,
                 nb::ndarray<std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> out) {
  const i64 resamples = i64(out.shape(0));
  const SegmentsArg s = segments_arg(starts, draws, key, first, resamples);
  if (i64(out.shape(1)) != s.length) refuse("out must have one column for each draw");
  const nb::gil_scoped_release release;
  loops().resample.rows(s.view, resamples, s.length, out.data());
}

void bind_resample(nb::module_& m) {
  m.def("resample_sums", &sums, nb::arg("X"), nb::arg("starts"), nb::arg("draws"), nb::arg("key"), nb::arg("first"),
        nb::arg("n_resamples"));
  m.def("resample_rows", &rows, nb::arg("starts"), nb::arg("draws"), nb::arg("key"), nb::arg("first"), nb::arg("out").noconvert());
}

}  // namespace empirisk
