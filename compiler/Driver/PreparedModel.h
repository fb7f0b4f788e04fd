// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model up to the stage that gives a device its part. What comes before is alike for
// all parameters of the device, so that a sweep does it once.

#pragma once

#include "Driver/ImportRequested.h"
#include "Pipeline/Pipeline.h"
#include "convoy/artefact.h"

namespace convoy::driver {

/// A model with a device, as far as the two have parted.
struct DeviceParts {
  PlacementSummary placement;
  int64_t regions = 0;
  int64_t cpuOps = 0; // what stays on the CPU
  double cpuNs = 0;   // of these, estimated
  std::vector<DeviceLayer> layers;
  /// Why the programs could not be timed; empty when they were.
  std::string problem;
};

class PreparedModel {
public:
  /// Null after problems. The request's target must be a device; `purpose` ends the
  /// sentence "no device 'x' to ..." when it is none.
  static std::unique_ptr<PreparedModel> prepare(const Model &model, const CompileRequest &request,
                                                llvm::StringRef purpose, Problems &problems);

  mlir::ModuleOp module() { return *imported; }
  const accelerators::Accelerator &device() const { return *target.device; }
  CompileContext &context() { return *compileContext; }
  PlacePolicy policy() const { return options.place.policy; }

  /// Places a copy on the device, or on one that differs in parameters alone, makes the
  /// programs of its regions and times their layers. Fails after problems in the log.
  mlir::FailureOr<DeviceParts> split(const accelerators::Accelerator &device);

private:
  PreparedModel() = default;

  std::unique_ptr<CompileContext> compileContext = std::make_unique<CompileContext>();
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  ResolvedTarget target;
  StageOptions options;
};

} // namespace convoy::driver
