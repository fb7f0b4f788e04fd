// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The request of a compile, one member per concern. The description of the target
// determines vectors, dot products and tiles. convoy/options.h, which the build generates from the
// table of options, declares the members that options set.

#pragma once

#include "convoy/options.h"
#include "convoy/result.h"
#include "convoy/tensor.h"
#include <functional>
#include <memory>
#include <string>

namespace convoy {

/// Measured times of kernels. RecordsOpener of convoy/tuner.h returns them; the compiler defines
/// the class.
class Measurements;

/// The samples on which the compiler calibrates a model.
class CONVOY_API SampleSource {
public:
  virtual ~SampleSource() = default;
  virtual size_t size() const = 0;
  /// Returns the name of a sample for messages.
  virtual std::string nameOf(size_t index) const = 0;
  virtual Result<NamedTensors> read(size_t index) const = 0;
};

/// A step of a compile that begins.
struct CompileStep {
  std::string name;
  int number = 0, total = 0;
};

struct CompileRequest {
  InputPins inputs;
  TargetRequest target;
  PlacementRequest placement;
  OutputRequest output;
  NumericsRequest numerics;
  ScheduleRequest schedule;
  /// Quantize a float model to 8 bits with these samples; null: do not quantize.
  std::shared_ptr<const SampleSource> calibration;
  /// Choose kernels by these measurements; null: by estimates.
  std::shared_ptr<const Measurements> measurements;
  DebuggingRequest debugging;
  /// If set, the compiler calls it when a step begins.
  std::function<void(const CompileStep &)> progress;
};

} // namespace convoy
