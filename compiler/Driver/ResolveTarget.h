// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the name of a target stands for.

#pragma once

#include "Accelerators/Accelerator.h"
#include "Targets/Target.h"
#include "convoy/request.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace convoy::driver {

enum class TargetKind {
  Machine,   ///< A described CPU.
  Device,    ///< An accelerator beside a CPU.
  Source,    ///< Emitted C, compiled and run here.
  Reference, ///< The interpreter that defines what is correct.
};

struct ResolvedTarget {
  TargetKind kind = TargetKind::Machine;
  std::string name, summary;
  /// As the request has it: with parameters, or the file of a description.
  std::string requested;
  /// The CPU: of a device, the one beside it; of C and the reference, this one.
  targets::Target machine;
  std::shared_ptr<accelerators::Accelerator> device; // null without
  /// Of Source: loops over lanes instead of vector types.
  bool isPlain = false;

  /// What integer layers are written in.
  quantize::Arithmetic arithmetic() const;
  /// The float type that f32 models are computed in.
  ElementType floatType() const;
  /// Whether dimensions may stay open until the model runs.
  bool allowsOpenDims() const { return kind == TargetKind::Reference; }
};

/// The target of a request. `isForMemory`: also targets that only run models, and are
/// nothing to compile for.
llvm::Expected<ResolvedTarget> resolveTarget(const TargetRequest &request, bool isForMemory);

/// All targets that have a name: machines, C, the reference, devices.
std::vector<ResolvedTarget> listTargets();

/// The names of all devices.
std::vector<std::string> deviceNames();

/// Whether code for the machine runs here, by itself or under an emulator.
bool isRunnable(const targets::Target &machine);

} // namespace convoy::driver
