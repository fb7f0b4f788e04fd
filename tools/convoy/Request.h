// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the flags that all compiling verbs share to a model and a compile request.

#pragma once

#include "convoy/compiler.h"
#include "convoy/tuner.h"
#include "tools/convoy/Options.h"
#include "tools/convoy/output/Progress.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace convoy::tool {

/// A model and the request to compile it.
struct Request {
  Model model;
  CompileRequest compile;
  std::shared_ptr<StageObserver> injected; // injects faults; null: none
};

/// Reads the model and all shared flags. Returns nothing if the model cannot be read. Adds
/// all problems; the caller must check them before it uses the request.
std::optional<Request> readRequest(const BuildFlags &flags, Emit emit, Problems &problems);

/// Opens --data with the flags about images. Returns null after an error.
std::shared_ptr<const io::Dataset> openData(const io::DatasetFlags &data, const BuildFlags &build,
                                            const Request &request, Problems &problems);

/// Adds an error for each given flag that changes only the CPU's code, for a verb about a
/// device. `reason` ends the sentence "it changes the CPU's code, ...".
void refuseCpuFlags(const BuildFlags &flags, llvm::StringRef verb, llvm::StringRef reason,
                    Problems &problems);

/// Adds a warning unless the text is empty.
void addWarning(Problems &problems, const std::string &text);

/// Returns the value of --jobs; for 0, the number of cores that the process may use.
int64_t jobsOrCores(int64_t jobs);

/// Returns the records of --records, a file or a service; null without the flag.
RecordsOpener recordsOf(const BuildFlags &flags);

/// Returns a callback that shows each step of a compile.
std::function<void(const CompileStep &)> showSteps(Progress &progress);

} // namespace convoy::tool
