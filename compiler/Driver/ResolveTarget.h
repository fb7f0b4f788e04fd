// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the name of a target to its description and its back end. No other code selects a back
// end.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Driver/Backend.h"
#include "Targets/Target.h"
#include "convoy/request.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::driver {

/// The name of the interpreter as a target.
inline constexpr llvm::StringLiteral kReferenceTarget = "reference";

struct ResolvedTarget {
  const Backend *backend = &machineBackend();
  std::string name, summary;
  /// The name in the request, with parameters, or the path of a description.
  std::string requested;
  /// The CPU. A device has a CPU beside it; C and the reference run on this machine's CPU.
  targets::Target machine;
  std::shared_ptr<accelerators::Accelerator> device; // null: the CPU runs all ops
  /// The device whose integer arithmetic the target has, as in TargetRequest; empty: none.
  std::string arithmeticOf;
  /// The target whose stages compile for this one, so that both support the same ops; empty: none.
  std::string stagesOf;
  /// Emitted C has loops over lanes instead of vector types.
  bool isPlain = false;

  /// Returns how the target rescales integers.
  quantize::Arithmetic arithmetic() const;
  /// Returns the float type in which the target computes f32 models.
  ElementType floatType() const;
};

/// Returns the target of a request. With `isForMemory` the targets `c`, `c-plain` and
/// `reference` are allowed, which only run models in this process.
llvm::Expected<ResolvedTarget> resolveTarget(const TargetRequest &request, bool isForMemory);

/// Returns the target of a machine, which may be a microcontroller.
ResolvedTarget machineTarget(targets::Target machine);

/// Returns all targets with a name: machines, C, the reference, devices.
std::vector<ResolvedTarget> listTargets();

/// Returns the names of all devices.
std::vector<std::string> deviceNames();

} // namespace convoy::driver
