// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specification of a measurement, which `convoy bench` writes as a JSON file.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convoy::measure {

/// Bytes with the alignment that models prefer.
using Buffer = std::unique_ptr<char, void (*)(void *)>;

struct TensorSpec {
  std::string name;
  int32_t type = 0; // ONNX's number of the type, which ONNX Runtime uses too
  std::vector<int64_t> shape;
  size_t bytes = 0;
  std::string file; // for an input: its data
  /// For an output: whether its size depends on data. `shape` and `bytes` are then the maximum.
  bool isOpen = false;
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
  bool isOptimized =
      true; // if false, ONNX Runtime runs the graph node by node without optimizations
  std::vector<TensorSpec> inputs; // inputs that are constants of the compiled model
};

/// The functions that measure the peak performance; see Peak.h.
struct PeakSpec {
  std::string library;
  double flopsPerIteration = 0;
};

enum class Mode {
  Cold,    // one program: load time, first run, memory
  Compare, // two programs, alternately
  Layers,  // each kernel of a compiled model
  Outputs, // one program: its outputs, no times
  Streams, // a compiled model: throughput of parallel streams
  Trace,   // a compiled model with probes: the events of one inference
};

struct Spec {
  Mode mode = Mode::Cold;
  int threads = 1;
  int samples = 1;
  std::vector<TensorSpec> inputs, outputs;
  CompiledSpec compiled;
  CompiledSpec plain; // in mode Trace: the same model without probes; may be empty
  PeerSpec peer;
  PeakSpec peak;
  std::string outputFolder; // for the outputs of Compare and Outputs: <program>_<index>
  size_t readBytes = 0;     // in mode Compare: size of the buffer for the read bandwidth, or 0
  int layers = 0;           // number of kernels with probes, in mode Layers
  bool isHot = false;       // each kernel runs repeatedly on the same data
  int streams = 1;          // in mode Streams
};

Spec readSpec(const char *path);

Buffer allocate(size_t bytes);
/// Returns the data of the tensors, each from its file.
std::vector<Buffer> readInputs(const std::vector<TensorSpec> &inputs);
std::vector<Buffer> allocateOutputs(const Spec &spec);

/// Writes the text, which `convoy bench` reports, and ends the process.
[[noreturn]] void fail(const std::string &text);

} // namespace convoy::measure
