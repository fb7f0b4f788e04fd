// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the instructions of a model on a microcontroller, for `convoy bench --target TARGET`. The
// emulator executes the program, so counts are exact and equal on every run. They are not cycles.

#pragma once

#include "Targets/Target.h"
#include "convoy/artefact.h"
#include "convoy/model.h"
#include "report/MicroBuild.h"

namespace convoy::timing {

/// Describes a model that was compiled for a microcontroller, without counted instructions and
/// without the sizes of a linked program. Calls of one kernel for the same nodes are one layer.
report::MicroBuild describeBuild(const CompileReport &compiled, const targets::Target &target);

/// Builds the model for the microcontroller of the request and counts one run. Inputs without data
/// in `inputs` are random. If `folder` is not empty, keeps the program there as MODEL.elf.
Result<report::MicroBuild> benchMicro(const Model &model, const CompileRequest &request,
                                      const NamedTensors &inputs, const std::string &folder);

} // namespace convoy::timing
