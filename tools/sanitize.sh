#!/bin/sh
# The tests of the loops under AddressSanitizer and UndefinedBehaviorSanitizer: those of tests/loops/called.py, which says what
# they leave out, or those that are named.
#   PYTHON=.venv/bin/python tools/sanitize.sh [pytest arguments]
# PYTHON has the test dependencies; nanobind and cmake are added to it if they are missing. Exits non-zero on a failed test
# or a finding. Takes a few minutes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v "${PYTHON:-python3}")
case $python in /*) ;; *) python=$PWD/$python ;; esac
build=$root/build/sanitize
findings=$build/findings
PATH=$(dirname "$python"):$PATH

"$python" -c 'import nanobind' 2>/dev/null || "$python" -m pip install -q nanobind
command -v cmake >/dev/null || "$python" -m pip install -q cmake
cmake -S "$root" -B "$build" -DPython_EXECUTABLE="$python" -DEMPIRISK_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug
cmake --build "$build" --parallel 2

# A package beside the source tree: the same Python files, the instrumented extension.
rm -rf "$build/package" "$findings".*
mkdir -p "$build/package"
cp -R "$root/src/empirisk" "$build/package/"
rm -f "$build/package/empirisk/"_loops*.so
cp "$build/"_loops*.so "$build/package/empirisk/"
# An editable installation would be found first, by the finder that its .pth file has put there before this file is read.
cat >"$build/package/sitecustomize.py" <<'END'
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if not type(finder).__module__.startswith("_editable")]
END

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
# libstdc++ too: AddressSanitizer must find the real __cxa_throw when it starts.
LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
PYTHONPATH=$build/package
# The interpreter keeps memory on purpose, so leaks are not looked for. Findings go to files: pytest hides output.
ASAN_OPTIONS=detect_leaks=0:log_path=$findings
UBSAN_OPTIONS=print_stacktrace=1:log_path=$findings
PYTHONMALLOC=malloc

status=0
(
    cd "$root"
    export LD_PRELOAD PYTHONPATH ASAN_OPTIONS UBSAN_OPTIONS PYTHONMALLOC
    found=$("$python" -c 'from empirisk import _loops; print(_loops.__file__)')
    case $found in "$build"/package/*) ;; *) echo "sanitize: the tests would use $found" >&2; exit 1 ;; esac
    exec "$python" -m tests.loops.called "$@"
) || status=$?
for finding in "$findings".*; do
    [ -e "$finding" ] || continue
    echo "sanitize: a finding, $finding" >&2
    head -n 40 "$finding" >&2
    status=1
done
exit $status
