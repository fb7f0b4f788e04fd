#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds the wheels convoy-runtime and convoy-compiler from a finished build into
# build/<preset>/wheels and prints their sizes. Needs no network. The first wheel contains no
# LLVM; the script fails if the wheel is 2 MB or larger. The second wheel uses the system's LLVM.
#
#   scripts/wheels.sh                  of build/release
#   scripts/wheels.sh --build DIR      of another build folder
#   scripts/wheels.sh --out DIR        write the wheels to another folder
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/release
out=
while [[ $# -gt 0 ]]; do
  case $1 in
    --build) build=$(cd "$2" && pwd); shift 2 ;;
    --out) out=$2; shift 2 ;;
    *) echo "wheels: unknown flag '$1'; try --build or --out" >&2; exit 1 ;;
  esac
done
out=${out:-$build/wheels}
mkdir -p "$out"
out=$(cd "$out" && pwd)
# Debian's packages belong to the system's Python.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

extension() {
  local found
  found=$(compgen -G "$build/python/$1/$2.*.so") || {
    echo "wheels: $build/python/$1 has no $2; build it with: cmake --build $build --target $3" >&2
    exit 1
  }
  echo "$found"
}

# lay_out FOLDER PACKAGE EXTENSION: copies what a wheel contains.
lay_out() {
  mkdir -p "$work/$1/$2"
  cp "$root/python/wheels/$1/pyproject.toml" "$root/python/wheels/$1/README.md" "$root/python/wheels/setup.py" \
    "$root/LICENSE" "$work/$1/"
  cp "$build/python/$2/"*.py "$build/python/$2/"*.pyi "$build/python/$2/py.typed" "$work/$1/$2/"
  strip --strip-unneeded -o "$work/$1/$2/$(basename "$3")" "$3"
  echo "$version" >"$work/$1/VERSION"
}

# system_packages FILE...: the Debian packages of the shared libraries that the files name. dpkg
# knows a library by its path without symbolic links, or by the path before /lib became a link.
system_packages() {
  local name path libraries
  libraries=$(ldd "$@")
  for name in $(objdump -p "$@" | awk '$1 == "NEEDED" {print $2}' | sort -u); do
    path=$(awk -v name="$name" '$1 == name {print $3; exit}' <<<"$libraries")
    if [[ -n $path ]]; then
      { dpkg-query -S "$(realpath "$path")" || dpkg-query -S "$path"; } 2>/dev/null | sed 's/:.*//' | head -n 1
    fi
  done | sort -u
}

build_wheel() {
  (cd "$work/$1" && "$python" -m build --wheel --no-isolation --outdir "$out" . >"$work/$1.txt" 2>&1) || {
    cat "$work/$1.txt" >&2
    exit 1
  }
}

runtime=$(extension convoy_runtime _runtime ConvoyPythonRuntime)
compiler=$(extension convoy _compiler ConvoyPythonCompiler)
version=$(PYTHONPATH=$build/python "$python" -c 'import convoy_runtime; print(convoy_runtime.__version__)')
rm -f "$out"/convoy_{runtime,compiler}-*.whl

lay_out runtime convoy_runtime "$runtime"
build_wheel runtime

lay_out compiler convoy "$compiler"
printf 'numpy\nconvoy-runtime == %s\n' "$version" >"$work/compiler/REQUIRES"
# `bench` and `tune` run it in another process.
mkdir "$work/compiler/convoy/bin"
strip -o "$work/compiler/convoy/bin/convoy-measure" "$build/bin/convoy-measure"
system_packages "$compiler" "$build/bin/convoy-measure" >"$work/compiler/convoy/system-packages.txt"
build_wheel compiler

for wheel in "$out"/convoy_{runtime,compiler}-*.whl; do
  echo "$(stat -c %s "$wheel") bytes  $(basename "$wheel")"
done
echo "convoy-compiler uses these packages of the system: $(paste -sd ' ' "$work/compiler/convoy/system-packages.txt")"
if [[ $(stat -c %s "$out"/convoy_runtime-*.whl) -ge 2000000 ]]; then
  echo "wheels: the runtime wheel has 2 MB or more" >&2
  exit 1
fi
