// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something that runs the model: ours or the peer.

#pragma once

#include "Spec.h"
#include <chrono>

namespace convoy::measure {

class Program {
public:
  virtual ~Program() = default;
  /// One inference, on inputs and outputs bound beforehand.
  virtual void run() = 0;
  virtual const std::vector<Buffer> &outputs() const = 0;
  /// Milliseconds from nothing to a program that can run.
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

/// Opens the library, finds its functions and takes its workspace.
std::unique_ptr<Program> openCompiledModel(const Spec &spec);

/// Called before each run of kernel `id` of a library built with probes; the kernel
/// runs, and asks again, as long as the answer is not 0.
using Probe = int32_t (*)(int64_t id);

/// The same for a library built with probes.
std::unique_ptr<Program> openProbedModel(const Spec &spec, Probe probe);

/// ONNX Runtime with all of its optimisations, or with none where the specification says so.
/// The time to load is that of making the session.
std::unique_ptr<Program> openOnnxRuntime(const Spec &spec);

} // namespace convoy::measure
