#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Installs every Debian package that building and testing Convoy needs. If all packages
# are installed, prints one line and changes nothing. Runs as root or with sudo. Tested
# on Debian 12 (bookworm).
#
#   scripts/install-deps.sh            install the packages for the build, the lints and ctest
#   scripts/install-deps.sh --list     print the package names and stop
#   scripts/install-deps.sh --bench    also install the peer of `convoy bench --baseline` in build/peers
#   scripts/install-deps.sh --zoo      also install PyTorch and torchvision, for bench/zoo/export_torchvision.py
#   scripts/install-deps.sh --site     also install MkDocs and its theme, for scripts/site.sh
set -euo pipefail

packages=(
  # Compiler infrastructure: MLIR and LLVM as shared libraries, FileCheck, lit.
  libmlir-19-dev mlir-19-tools llvm-19-dev llvm-19-tools
  # Tool chain: compiler, linker, OpenMP and sanitizer runtimes, format, tidy.
  clang-19 lld-19 liblld-19-dev libomp-19-dev libclang-rt-19-dev clang-tidy-19 clang-format-19
  # The C++ standard library and linker scripts that clang uses on Debian.
  g++ binutils
  # Build.
  cmake ninja-build make ccache pkg-config git
  # Model format, and the 932 node tests that always run.
  libonnx-dev libonnx-testdata libprotobuf-dev protobuf-compiler
  # Driver: command line, JSON, images.
  libcli11-dev nlohmann-json3-dev libpng-dev libjpeg-dev
  # Loadables of NVDLA.
  libflatbuffers-dev flatbuffers-compiler
  # Tuning: records.
  libsqlite3-dev
  # Signatures: `convoy verify`, and the tool that signs.
  libsodium-dev minisign
  # Reference: the image formats and the regular expressions of ONNX ops.
  libtiff-dev libwebp-dev libopenjp2-7-dev libre2-dev
  # Tuner: the cost model.
  libxgboost-dev
  # Tuning service: its libraries, the servers that its tests start, and tools to disturb them.
  libnats-dev libpqxx-dev libgrpc++-dev protobuf-compiler-grpc libcpp-httplib-dev libssl-dev
  nats-server postgresql openssl curl faketime iproute2 iptables
  # Dependences of LLVM's CMake package.
  zlib1g-dev libzstd-dev libxml2-dev
  # Models for other machines: the C library and the compiler of 64-bit Arm, and its emulator.
  libc6-dev-arm64-cross gcc-aarch64-linux-gnu qemu-user
  # C for long vectors: bench/vector builds and counts it on RISC-V.
  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross libgomp1-riscv64-cross
  # Microcontrollers: programs without an operating system for Cortex-M and 32-bit RISC-V.
  gcc-arm-none-eabi libnewlib-arm-none-eabi libnewlib-dev qemu-system-arm
  gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf qemu-system-misc
  # The Python packages and their wheels.
  pybind11-dev python3-dev python3-build python3-venv python3-wheel python3-pip
  # Tests and scripts.
  libgtest-dev libgmock-dev python3 python3-numpy python3-onnx python3-pil python3-psutil
)

# The peer of benchmarks, whose npm package contains the native library. The version is
# pinned, because figures are comparable only with the same peer.
peer=onnxruntime-node@1.30.0
peers=$(cd "$(dirname "$0")/.." && pwd)/build/peers

wants_bench=0
case "${1:-}" in
  --list) printf '%s\n' "${packages[@]}"; exit 0 ;;
  --bench)
    wants_bench=1
    # Node's own packages include npm and conflict with Debian's npm.
    command -v npm >/dev/null || packages+=(npm) ;;
  --zoo) packages+=(python3-torch python3-torchvision) ;;
  --site) packages+=(mkdocs mkdocs-material) ;;
  "") ;;
  *) echo "install-deps: unknown flag '$1'; try --list, --bench, --zoo or --site" >&2; exit 1 ;;
esac

install_packages() {
  local missing=() package status as_root=()
  for package in "${packages[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    if [[ $status != installed ]]; then
      missing+=("$package")
    fi
  done
  if [[ ${#missing[@]} -eq 0 ]]; then
    echo "install-deps: all ${#packages[@]} packages are installed"
    return
  fi
  if [[ $EUID -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      echo "install-deps: missing ${missing[*]}; run as root, or install sudo" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "install-deps: installing ${missing[*]}"
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q --no-install-recommends "${missing[@]}")
  # Package lists may be missing (a fresh container) or outdated. One update and a second
  # attempt handle both cases.
  if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then
    "${as_root[@]}" apt-get update -q
    "${install[@]}"
  else
    "${install[@]}" || { "${as_root[@]}" apt-get update -q && "${install[@]}"; }
  fi
}

# Prints the path of the library in build/peers, if it has the pinned version.
peer_library() {
  local package=$peers/node_modules/${peer%@*}
  grep -qs "\"version\": \"${peer#*@}\"" "$package/package.json" || return 0
  local machine=x64
  [[ $(uname -m) == aarch64 ]] && machine=arm64
  compgen -G "$package/bin/napi-v*/linux/$machine/libonnxruntime.so.1" || true
}

install_peer() {
  if [[ -n $(peer_library) ]]; then
    echo "install-deps: $peer is in build/peers"
    return
  fi
  echo "install-deps: installing $peer in build/peers"
  mkdir -p "$peers"
  # The package's own script would download GPU libraries from another server.
  ONNXRUNTIME_NODE_INSTALL=skip ONNXRUNTIME_NODE_INSTALL_CUDA=skip \
    npm install --prefix "$peers" --no-audit --no-fund --loglevel=error "$peer"
  if [[ -z $(peer_library) ]]; then
    echo "install-deps: $peer contains no libonnxruntime.so.1 for this machine" >&2
    exit 1
  fi
}

install_packages
if [[ $wants_bench -eq 1 ]]; then
  install_peer
fi
