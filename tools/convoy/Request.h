// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flags that all compiling verbs share, read into a model and a request.

#pragma once

#include "Options.h"
#include "Progress.h"
#include "convoy/compiler.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace convoy::tool {

/// A model with what to do with it.
struct Request {
  Model model;
  CompileRequest compile;
  std::shared_ptr<StageObserver> planted; // null: nothing
};

/// Reads the model and all shared flags; nothing when there is no model. Problems are added,
/// all that there are: whoever calls looks at them before the request is used.
std::optional<Request> readRequest(const BuildFlags &flags, Emit emit, Problems &problems);

/// Adds an error for each given flag that changes the CPU's code alone, for a verb that
/// looks at a device. `reason` ends the sentence "it changes the CPU's code, ...".
void refuseCpuFlags(const BuildFlags &flags, llvm::StringRef verb, llvm::StringRef reason,
                    Problems &problems);

/// Opens the file of --records for a request; the error names the flag.
llvm::Expected<std::shared_ptr<const layout::Measurements>>
openRecords(const BuildFlags &flags, const CompileRequest &request);

/// Shows each step of a compile.
std::function<void(const CompileStep &)> showSteps(Progress &progress);

} // namespace convoy::tool
