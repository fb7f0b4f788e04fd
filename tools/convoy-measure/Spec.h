// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What to measure, as `convoy bench` writes it to a JSON file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convoy::measure {

/// Bytes aligned as models like them best.
using Buffer = std::unique_ptr<char, void (*)(void *)>;

struct TensorSpec {
  std::string name;
  int32_t type = 0; // ONNX's number, which is ONNX Runtime's too
  std::vector<int64_t> shape;
  size_t bytes = 0;
  std::string file; // of an input: its data
};

/// A library that `convoy compile` wrote.
struct CompiledSpec {
  std::string library; // empty: not measured
  std::string symbol;  // prefix of its functions
  size_t workspaceBytes = 0;
};

struct PeerSpec {
  std::string library; // empty: not measured
  std::string model;
  bool isOptimized = true; // else the graph runs node by node, as the file has it
};

/// Functions that reach the machine's limits; Peak.h says which.
struct PeakSpec {
  std::string library;
  double flopsPerIteration = 0;
};

enum class Mode {
  Cold,    // one program: load, first run, memory
  Compare, // programs in turn
  Layers,  // each kernel of a compiled model
  Outputs, // one program: what it computes, no times
};

struct Spec {
  Mode mode = Mode::Cold;
  int threads = 1;
  int samples = 1;
  std::vector<TensorSpec> inputs, outputs;
  CompiledSpec compiled;
  PeerSpec peer;
  PeakSpec peak;
  std::string outputFolder; // for the results of Compare and Outputs: <program>_<index>.raw
  int layers = 0;           // kernels that report, in mode Layers
  bool isHot = false;       // each kernel runs again and again on the same data
};

Spec readSpec(const char *path);

Buffer allocate(size_t bytes);
std::vector<Buffer> readInputs(const Spec &spec);
std::vector<Buffer> allocateOutputs(const Spec &spec);

/// Ends the process: `convoy bench` reports what is written here.
[[noreturn]] void fail(const std::string &text);

} // namespace convoy::measure
