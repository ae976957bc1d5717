#!/bin/sh
# The tests of the loops under AddressSanitizer and UndefinedBehaviorSanitizer.
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

compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
# libstdc++ too: AddressSanitizer must find the real __cxa_throw when it starts.
LD_PRELOAD="$("$compiler" -print-file-name=libasan.so) $("$compiler" -print-file-name=libstdc++.so)"
PYTHONPATH=$build/package
# The interpreter keeps memory on purpose, so leaks are not looked for. Findings go to files: pytest hides output.
ASAN_OPTIONS=detect_leaks=0:log_path=$findings
UBSAN_OPTIONS=print_stacktrace=1:log_path=$findings
PYTHONMALLOC=malloc

# Prints where the tests found the extension, as the last word on whether the instrumented one was tested.
run='import sys, pytest; from empirisk import _loops; status = pytest.main(sys.argv[1:]); print("tested", _loops.__file__)
sys.exit(status or not _loops.__file__.startswith(sys.path[1] if sys.path[0] == "" else sys.path[0]))'
status=0
(
    cd "$root"
    export LD_PRELOAD PYTHONPATH ASAN_OPTIONS UBSAN_OPTIONS PYTHONMALLOC
    exec "$python" -c "$run" -q -p no:cacheprovider tests/loops "$@"
) || status=$?
for finding in "$findings".*; do
    [ -e "$finding" ] || continue
    echo "sanitize: a finding, $finding" >&2
    head -n 40 "$finding" >&2
    status=1
done
exit $status
