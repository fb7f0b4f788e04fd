// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the name of a target to a machine, a device, emitted C or the reference.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Targets/Target.h"
#include "convoy/request.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::driver {

/// The name of the interpreter as a target.
inline constexpr llvm::StringLiteral kReferenceTarget = "reference";

enum class TargetKind {
  Machine,   ///< A CPU.
  Device,    ///< An accelerator beside a CPU.
  Source,    ///< Emitted C, compiled and run here.
  Reference, ///< The interpreter that defines what is correct.
};

struct ResolvedTarget {
  TargetKind kind = TargetKind::Machine;
  std::string name, summary;
  /// The name in the request, with parameters, or the path of a description.
  std::string requested;
  /// The CPU. A device has a CPU beside it; C and the reference run on this machine's CPU.
  targets::Target machine;
  std::shared_ptr<accelerators::Accelerator> device; // null if the target is no device
  /// For Source: emitted C has loops over lanes instead of vector types.
  bool isPlain = false;

  /// Returns how the target rescales integers.
  quantize::Arithmetic arithmetic() const;
  /// Returns the 8-bit type of activations that the target computes with least conversions.
  ElementType activationType() const;
  /// Returns the float type in which the target computes f32 models.
  ElementType floatType() const;
  /// Returns whether the target is a CPU without an operating system, whose programs are built
  /// from C with a tool chain.
  bool isMicro() const { return kind == TargetKind::Machine && machine.toolchain.has_value(); }
  /// Returns whether dimensions may stay open until the model runs.
  bool allowsOpenDims() const { return kind == TargetKind::Reference; }
};

/// Returns the target of a request. With `isForMemory` the targets `c`, `c-plain` and
/// `reference` are allowed, which only run models in this process.
llvm::Expected<ResolvedTarget> resolveTarget(const TargetRequest &request, bool isForMemory);

/// Returns all targets with a name: machines, C, the reference, devices.
std::vector<ResolvedTarget> listTargets();

/// Returns the names of all devices.
std::vector<std::string> deviceNames();

/// Returns whether code for the machine runs here, natively or under an emulator.
bool isRunnable(const targets::Target &machine);

} // namespace convoy::driver
