// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of a program that runs the model: the compiled model or the peer (ONNX
// Runtime).

#pragma once

#include "Spec.h"
#include <chrono>

namespace convoy::measure {

/// An output after a run, in memory of the program.
struct OutputView {
  const char *data = nullptr;
  size_t bytes = 0;
  std::vector<int64_t> shape;
};

class Program {
public:
  virtual ~Program() = default;
  /// Runs one inference on the inputs and outputs that were bound before.
  virtual void run() = 0;
  /// Returns the outputs of the last run. If a size depends on data, the view has the actual size.
  virtual std::vector<OutputView> outputs() const = 0;
  /// Returns for each output whether its size depends on data; empty if the program does not know.
  virtual std::vector<bool> openOutputs() const { return {}; }
  /// The time in milliseconds to load the program until it can run.
  double loadMs = 0;
};

class Stopwatch {
public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
        .count();
  }

private:
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

/// Loads the library, looks up its functions and allocates its workspace.
std::unique_ptr<Program> openCompiledModel(const Spec &spec);
/// Loads the library without probes of mode Trace.
std::unique_ptr<Program> openPlainModel(const Spec &spec);

/// Called before each run of kernel `id` in a library built with probes. If the result is not
/// 0, the kernel runs and the library calls the probe again.
using Probe = int32_t (*)(int64_t id);

/// Loads a library that was built with probes.
std::unique_ptr<Program> openProbedModel(const Spec &spec, Probe probe);

/// Opens ONNX Runtime with all graph optimizations, or without optimizations if the
/// specification requests it. The load time is the time to create the session.
std::unique_ptr<Program> openOnnxRuntime(const Spec &spec);

} // namespace convoy::measure
