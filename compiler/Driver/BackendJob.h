// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one compile. compileModel fills it step by step; the back end reads the module and
// adds the artifact.

#pragma once

#include "Driver/CompileModel.h"
#include "Driver/ResolveTarget.h"
#include "Pipeline/Pipeline.h"
#include "convoy/artifact.h"
#include "convoy/model.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace convoy::driver {

/// The last stage of Emit::Program.
inline constexpr llvm::StringLiteral kProgramStage = "device";

struct BackendJob {
  const Model &model;
  const CompileRequest &request;
  const CompileHooks &hooks;
  ResolvedTarget target = {};
  StageOptions options = {};
  mlir::OwningOpRef<mlir::ModuleOp> module = {};
  Artifact artifact = {};
};

} // namespace convoy::driver
