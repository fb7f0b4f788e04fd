// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a whole network to code that a measurer runs, with random inputs. TunedNetwork and the
// builders of the tuning service use it.

#pragma once

#include "Targets/Target.h"
#include "convoy/model.h"
#include "convoy/request.h"
#include "tuning/measure/Measurer.h"

namespace convoy::tuning {

struct NetworkCode {
  RunnableCandidate candidate;
  /// The kernels with their configurations and layouts, in order. Equal texts mean equal code.
  std::vector<std::string> kernels;
  std::string header; // its path; empty if the target has none
};

/// Changes the request in the process that compiles, for example opens its records.
using PrepareCompile = llvm::function_ref<llvm::Error(CompileRequest &)>;

/// A model, or the ONNX file of an unknown origin that the child process reads.
struct NetworkSource {
  const Model *model = nullptr;
  std::string path; // if `model` is null
};

/// Compiles in a child process. `request.output` has the folder and the name; the target
/// determines the form. The inputs are written to `inputFolder`. The caller must have no threads.
/// The child process is killed after `timeoutSeconds`; 0: never.
llvm::Expected<NetworkCode> buildNetwork(const NetworkSource &source, CompileRequest request,
                                         const targets::Target &target, llvm::StringRef inputFolder,
                                         PrepareCompile prepare, double timeoutSeconds = 0);

} // namespace convoy::tuning
