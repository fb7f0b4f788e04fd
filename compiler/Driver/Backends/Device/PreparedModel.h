// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages before placement once and placement for each device. `convoy sweep`
// compiles a model for many parameters of one device; the earlier stages do not depend on
// these parameters.

#pragma once

#include "Driver/ImportRequested.h"
#include "Pipeline/Pipeline.h"
#include "convoy/artifact.h"

namespace convoy::driver {

/// The result of placing a model on a device.
struct DeviceParts {
  PlacementSummary placement;
  int64_t regions = 0;
  int64_t cpuOps = 0; // ops that stay on the CPU
  double cpuNs = 0;   // predicted time of the kernels of cpuOps on one core of the target's CPU
  std::vector<DeviceLayer> layers;
  /// Why the simulator could not time the programs; empty if it did.
  Problems problems;
};

class PreparedModel {
public:
  /// Returns null after problems. The request's target must be a device; else the error is
  /// "`convoy <verb>` expects a device".
  static std::unique_ptr<PreparedModel> prepare(const Model &model, const CompileRequest &request,
                                                llvm::StringRef verb, Problems &problems);

  mlir::ModuleOp module() { return *imported; }
  const accelerators::Accelerator &device() const { return *target.device; }
  CompileContext &context() { return *compileContext; }
  PlacePolicy policy() const { return options.place.policy; }

  /// Places a copy of the model on `device`, compiles its regions and times their layers. Lowers
  /// the other ops to kernels and predicts their times. `device` may differ from device() only in
  /// its parameters. If a step fails, the problems are in the log.
  mlir::FailureOr<DeviceParts> split(const accelerators::Accelerator &device);

private:
  PreparedModel() = default;
  /// Returns the predicted time of the ops on the CPU of a placed module, which `key` identifies.
  mlir::FailureOr<double> predictCpu(mlir::ModuleOp placed, const StageOptions &options,
                                     const std::string &key);

  std::unique_ptr<CompileContext> compileContext = std::make_unique<CompileContext>();
  mlir::OwningOpRef<mlir::ModuleOp> imported;
  ResolvedTarget target;
  StageOptions options;
  std::map<std::string, double> cpuNs; // by the ops on the CPU; most devices leave the same ops
};

} // namespace convoy::driver
