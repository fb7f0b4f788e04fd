#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds and runs examples/ as a user does: from an install prefix, out of tree.
#
#   run.sh install|cmake|pkg-config|embed|custom-op|firmware EXAMPLES_DIR BUILD_DIR SCRATCH_DIR
set -euo pipefail

step=$1 examples=$2 build=$3 scratch=$4
prefix=$scratch/prefix

# expect TEXT command...: runs the command and compares its output with TEXT.
expect() {
  local expected=$1 got
  shift
  got=$("$@")
  if [[ $got != "$expected" ]]; then
    printf 'FAILED: %s\nexpected:\n%s\ngot:\n%s\n' "$*" "$expected" "$got" >&2
    exit 1
  fi
}

# check_programs FOLDER_OF_PROGRAMS FOLDER_OF_IMAGES LIBRARY
check_programs() {
  expect $'horizontal 0.995\nvertical 0.005' "$1/classify_c" "$2/horizontal.pgm"
  expect $'horizontal 0.005\nvertical 0.995' "$1/classify_c" "$2/vertical.pgm"
  expect "$2/horizontal.pgm: horizontal"$'\n'"$2/vertical.pgm: vertical" \
    "$1/classify_cpp" "$2/horizontal.pgm" "$2/vertical.pgm"
  expect $'input image: type 1, [1, 1, 16, 16]\noutput scores: type 1, [1, 2]\nran stripes' \
    "$1/load" "$3"
  if "$1/load" "$1/classify_c" 2>/dev/null; then
    echo "FAILED: load accepts a program" >&2
    exit 1
  fi
  if "$1/classify_c" /dev/null 2>/dev/null; then
    echo "FAILED: classify_c accepts an empty file" >&2
    exit 1
  fi
}

configure() {
  cmake -S "$examples" -B "$scratch/$1" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_BUILD_TYPE=Release "${@:2}"
}

case $step in
  install)
    rm -rf "$scratch"
    mkdir -p "$scratch"
    # Moves the prefix after the install: no file in it may depend on its path.
    cmake --install "$build" --prefix "$scratch/elsewhere" >"$scratch/install.txt"
    mv "$scratch/elsewhere" "$prefix"
    if grep -rn -e "$scratch" -e "$build" "$prefix/lib/cmake" "$prefix/lib/pkgconfig"; then
      echo "FAILED: the packages name folders of this build" >&2
      exit 1
    fi
    for file in bin/convoy bin/convoy-measure bin/convoy-opt bin/convoy-conformance include/convoy/convoy.hpp \
      include/convoy/compiler.h lib/libconvoy_load.a lib/libconvoy.so.0 lib/libconvoy-tuning.so.0 share/doc/convoy/LICENSE; do
      [[ -e $prefix/$file ]] || { echo "FAILED: $file is not installed" >&2; exit 1; }
    done
    "$prefix/bin/convoy" targets >/dev/null
    # The target `convoy` builds all files that an install needs. Hides the other files, as if they
    # were not built, in a copy of the install script.
    partial=$scratch/partial
    optional=(bin/convoy-opt bin/convoy-conformance lib/libconvoy.so.0 lib/libconvoy-tuning.so.0)
    mkdir -p "$partial"
    sed -E "s#$build/((bin/convoy-(opt|conformance)|lib/libconvoy(-tuning)?\.so[.0-9]*)\")#$build/not-built/\1#g" \
      "$build/cmake/cmake_install.cmake" >"$partial/script.cmake"
    cmake -DCMAKE_INSTALL_PREFIX="$partial/prefix" -P "$partial/script.cmake" >"$partial/install.txt"
    for file in "${optional[@]}"; do
      grep "Not installed: ${file#*/}" "$partial/install.txt"
      [[ ! -e $partial/prefix/$file ]] || { echo "FAILED: $file is installed" >&2; exit 1; }
    done
    for file in lib/libconvoy_runtime.a lib/libconvoy_load.a bin/convoy-measure; do
      [[ -e $partial/prefix/$file ]] || { echo "FAILED: $file is not installed" >&2; exit 1; }
      ninja -C "$build" -t inputs convoy | grep -x "$file" || { echo "FAILED: the target convoy does not build $file" >&2; exit 1; }
    done
    # The package without the compiler as a library.
    cat >"$partial/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(Partial LANGUAGES C)
find_package(Convoy REQUIRED)
find_package(Convoy REQUIRED COMPONENTS compiler)
CMAKE
    if cmake -S "$partial" -B "$partial/build" -DCMAKE_PREFIX_PATH="$partial/prefix" 2>"$partial/error"; then
      echo "FAILED: the package has a compiler that is not installed" >&2
      exit 1
    fi
    tr -s '\n ' '  ' <"$partial/error" |
      grep "the component 'compiler' needs libconvoy.so.0, which is not installed: build the target ConvoyCompiler and install again"
    ;;
  cmake)
    configure cmake
    cmake --build "$scratch/cmake"
    check_programs "$scratch/cmake" "$scratch/cmake/model" "$scratch/cmake/stripes.convoy/stripes.so"
    expect vertical "$scratch/cmake/source"
    if nm "$scratch/cmake/source" | grep -i convoy_load; then
      echo "FAILED: the program with emitted C links the runtime" >&2
      exit 1
    fi
    # Large weights are in an assembly file.
    cat >"$scratch/cmake/large.py" <<'PYTHON'
import numpy, onnx, onnx.numpy_helper, sys
weights = onnx.numpy_helper.from_array(numpy.ones((1024, 512), numpy.float32), "w")
ends = [onnx.helper.make_tensor_value_info(name, 1, shape) for name, shape in (("x", [1, 1024]), ("y", [1, 512]))]
node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
graph = onnx.helper.make_graph([node], "large", ends[:1], ends[1:], [weights])
onnx.save(onnx.helper.make_model(graph, ir_version=8, opset_imports=[onnx.helper.make_opsetid("", 17)]), sys.argv[1])
PYTHON
    mkdir -p "$scratch/large"
    /usr/bin/python3 "$scratch/cmake/large.py" "$scratch/large/large.onnx"
    cat >"$scratch/large/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(Large LANGUAGES C)
find_package(Convoy REQUIRED)
convoy_compile_model(large MODEL large.onnx EMIT c)
file(WRITE ${CMAKE_BINARY_DIR}/main.c "#include \"large.h\"\nint main(void) { return large_model() == 0; }\n")
add_executable(main ${CMAKE_BINARY_DIR}/main.c)
target_link_libraries(main PRIVATE large m)
CMAKE
    cmake -S "$scratch/large" -B "$scratch/large/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$scratch/large/build"
    "$scratch/large/build/main"
    # A microcontroller needs no EMIT. An unknown target ends the configuration.
    mkdir -p "$scratch/board"
    cp "$scratch/cmake/model/stripes.onnx" "$scratch/board"
    cat >"$scratch/board/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(Board LANGUAGES C)
find_package(Convoy REQUIRED)
convoy_compile_model(stripes MODEL stripes.onnx ARGS --target=${BOARD})
CMAKE
    cmake -S "$scratch/board" -B "$scratch/board/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DBOARD=cortex-m4 \
      -DCMAKE_TOOLCHAIN_FILE="$(realpath "$examples/firmware/cortex-m55.cmake")"
    cmake --build "$scratch/board/build"
    [[ -e $scratch/board/build/libstripes.a ]]
    if cmake -S "$scratch/board" -B "$scratch/board/wrong" -DCMAKE_PREFIX_PATH="$prefix" -DBOARD=cortex-m99 2>"$scratch/board/error"; then
      echo "FAILED: CMake accepts an unknown target" >&2
      exit 1
    fi
    tr -s '\n ' '  ' <"$scratch/board/error" |
      grep "convoy_compile_model(stripes): error: --target: unknown target 'cortex-m99'" ||
      grep "unknown target 'cortex-m99'" "$scratch/board/error"
    # A second build does nothing: CMake compiles the model only after it changes.
    cmake --build "$scratch/cmake" | grep "ninja: no work to do"
    ;;
  pkg-config)
    make -C "$examples" OUT="$scratch/make" PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
    check_programs "$scratch/make" "$scratch/make" "$scratch/make/stripes.so"
    ;;
  embed)
    # Builds with gcc and without LLVM's headers: Convoy's headers need only C++.
    configure embed -DEXAMPLES_EMBED=ON -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
    cmake --build "$scratch/embed"
    model=$scratch/embed/model/stripes.onnx
    expect "scores: 0.500 0.500" "$scratch/embed/embed" "$model" "$scratch/embedded"
    # The program writes the same bytes as the driver.
    "$prefix/bin/convoy" compile "$model" -o "$scratch/compiled" >/dev/null
    diff -r "$scratch/embedded" "$scratch/compiled"
    mkdir -p "$scratch/samples"
    cp "$scratch/embed/model/"{horizontal,vertical}.png "$scratch/samples"
    expect "horizontal 0.500, vertical 0.500" "$scratch/embed/chain" "$model"
    expect "horizontal 0.500, vertical 0.500" "$scratch/embed/chain" "$model" "$scratch/samples"
    # Finds convoy-measure in the prefix of the library.
    "$scratch/embed/tune" "$model" "$scratch/tune.db" "$scratch/tuned" 3 |
      grep "^3 trials; records for [1-9]"
    "$prefix/bin/convoy" compile "$model" --records "$scratch/tune.db" -o "$scratch/from_records" >/dev/null
    diff -r "$scratch/tuned" "$scratch/from_records"
    # The libraries export only their interface, and the compiler does not load the cost model.
    for library in libconvoy.so.0 libconvoy-tuning.so.0; do
      if nm -DC --defined-only "$prefix/lib/$library" | awk '{print $3}' |
        grep -v -e '^convoy::' -e '^CONVOY_0' -e '^typeinfo' -e '^vtable'; then
        echo "FAILED: $library exports the above" >&2
        exit 1
      fi
    done
    if readelf -d "$prefix/lib/libconvoy.so.0" | grep 'NEEDED.*xgboost'; then
      echo "FAILED: libconvoy needs the library above, which only the tuner uses" >&2
      exit 1
    fi
    ;;
  custom-op)
    folder=$scratch/custom-op
    /usr/bin/python3 "$examples/custom-op/make_model.py" "$folder"
    declared=("$folder/pillars.onnx" --custom-ops "$examples/custom-op/ops.json" --input "features=$folder/features.npy")
    inside=(--input "cells=$folder/cells.npy")
    "$prefix/bin/convoy" check "${declared[@]}" "${inside[@]}" --target host,c,c-plain |
      grep "check of pillars passed: 3 of 3"
    "$prefix/bin/convoy" check "${declared[@]}" "${inside[@]}" --threads 2 | grep "check of pillars passed"
    # Emitted C with its test bench builds with gcc and gives the outputs of the reference.
    "$prefix/bin/convoy" compile "${declared[@]}" "${inside[@]}" --emit=c --with-test -o "$folder/c" >/dev/null
    gcc -std=c11 -Wall -Wextra -Werror -I "$folder/c" "$folder/c/"{pillars,pillars_test,pillars_custom_scatter_pillars}.c -lm -o "$folder/test"
    "$folder/test"
    # The library contains the function and does not export it. Equal compiles give equal bytes.
    for i in 1 2; do
      "$prefix/bin/convoy" compile "${declared[@]:0:3}" -o "$folder/library$i" >/dev/null
    done
    diff -r "$folder/library1" "$folder/library2"
    if nm -D "$folder/library1/pillars.so" | grep scatter_pillars; then
      echo "FAILED: the library exports or misses the function above" >&2
      exit 1
    fi
    # An error of the function ends the run; for the reference, the error names the node.
    code=0
    "$prefix/bin/convoy" run "${declared[@]}" --input "cells=$folder/outside.npy" 2>"$folder/error" || code=$?
    [[ $code == 1 ]]
    grep "the function of a custom op returned an error" "$folder/error"
    code=0
    "$prefix/bin/convoy" run "${declared[@]}" --input "cells=$folder/outside.npy" --target reference 2>"$folder/error" || code=$?
    [[ $code == 1 ]]
    grep "node 'scatter' (ScatterPillars): calls the function 'scatter_pillars', which returned 1; 0 is success" "$folder/error"
    # A header beside the file, in all builds. The files of the model replace no file of the user.
    own=$folder/own
    mkdir -p "$own"
    cp "$examples/custom-op/ops.json" "$own"
    sed 's|^#include <convoy|#include "own.h"\n&|' "$examples/custom-op/scatter_pillars.c" >"$own/scatter_pillars.c"
    echo "struct own;" >"$own/own.h"
    own_op=("$folder/pillars.onnx" --custom-ops "$own/ops.json" --input "features=$folder/features.npy" "${inside[@]}")
    "$prefix/bin/convoy" check "${own_op[@]}" --target host,c | grep "check of pillars passed"
    for name in scatter_pillars other; do
      ln -sf scatter_pillars.c "$own/other_custom_scatter_pillars.c"
      cp "$own/scatter_pillars.c" "$own/before"
      code=0
      "$prefix/bin/convoy" compile "${own_op[@]:0:3}" --emit=c --name "$name" -o "$own" 2>"$folder/error" || code=$?
      [[ $code == 1 ]]
      grep "the emitted file '.*' would replace a C file of a custom op; choose another output folder" "$folder/error"
      cmp "$own/before" "$own/scatter_pillars.c"
    done
    # CMake compiles the C file with the model, and again after it changes.
    cat >"$own/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(Pillars LANGUAGES C)
find_package(Convoy REQUIRED)
convoy_compile_model(pillars MODEL ../pillars.onnx EMIT c CUSTOM_OPS ops.json)
convoy_compile_model(shared MODEL ../pillars.onnx CUSTOM_OPS ops.json)
file(WRITE ${CMAKE_BINARY_DIR}/main.c "#include \"pillars.h\"\nint main(void) { return pillars_model() == 0; }\n")
add_executable(main ${CMAKE_BINARY_DIR}/main.c)
target_link_libraries(main PRIVATE pillars m)
add_dependencies(main shared)
CMAKE
    cmake -S "$own" -B "$own/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
    cmake --build "$own/build"
    "$own/build/main"
    cmake --build "$own/build" | grep "ninja: no work to do"
    touch "$own/scatter_pillars.c"
    cmake --build "$own/build" | grep "Compiling model shared"
    # A file that defines a symbol of the model.
    echo "int pillars_run;" >>"$own/scatter_pillars.c"
    code=0
    "$prefix/bin/convoy" run "${own_op[@]}" --target c 2>"$folder/error" || code=$?
    [[ $code == 1 ]]
    grep "does not compile emitted C with the files of custom ops: " "$folder/error"
    # A function that the file does not define, and a file that is not C.
    undefined="does not define the function 'scatter_pillars', which .*ops.json declares for com.example.ScatterPillars"
    for wrong in "int32_t other(void);:$undefined" "no C:the C file '.*scatter_pillars.c' of a custom op does not compile: "; do
      mkdir -p "$folder/wrong"
      cp "$examples/custom-op/ops.json" "$folder/wrong"
      printf '#include <convoy/custom_op.h>\n%s\n' "${wrong%%:*}" >"$folder/wrong/scatter_pillars.c"
      code=0
      "$prefix/bin/convoy" compile "$folder/pillars.onnx" --custom-ops "$folder/wrong/ops.json" -o "$folder" 2>"$folder/error" ||
        code=$?
      [[ $code == 1 ]]
      grep "${wrong#*:}" "$folder/error"
    done
    ;;
  firmware)
    folder=$scratch/firmware
    /usr/bin/python3 "$examples/digits/train.py" "$folder" >/dev/null
    "$prefix/bin/convoy" quantize "$folder/digits.onnx" --target cortex-m55 --data "$folder/heldout.npy" \
      --labels "$folder/heldout_labels.npy" --calibration-data "$folder/calibration" --resize none --proof off \
      -o "$folder/int8.onnx" >/dev/null
    # CMake rejects packages of machines with other pointers unless they are declared independent.
    cmake -S "$examples/firmware" -B "$folder/build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cortex-m55.cmake \
      -DCMAKE_PREFIX_PATH="$prefix" -DMODEL="$folder/int8.onnx"
    cmake --build "$folder/build"
    cp "$folder/3.pgm" "$folder/image.pgm"
    cd "$folder"
    # The debugger's host prints to stderr.
    expect "digit 3" sh -c "qemu-system-arm -M mps3-an547 -nographic -semihosting -kernel build/firmware 2>&1"
    ;;
  *)
    echo "run.sh: no step '$step'" >&2
    exit 1
    ;;
esac
