// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts convoy-measure, the process that programs are measured in, and finds the
// peer that it loads.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace convoy::timing {

class MeasureProgram {
public:
  MeasureProgram() = default;
  /// `program` is convoy-measure; files are exchanged in `folder`.
  MeasureProgram(std::string program, std::string folder)
      : program(std::move(program)), folder(std::move(folder)) {}

  /// Measures what a specification says; tools/convoy-measure/Spec.h has its form.
  llvm::Expected<llvm::json::Object> measure(llvm::json::Object specification) const;

private:
  std::string program, folder;
};

/// convoy-measure, in the folder of the running program.
llvm::Expected<std::string> findMeasureProgram();

/// Numbers of a result; empty when there are none.
std::vector<double> numbers(const llvm::json::Object &object, llvm::StringRef key);

/// Where scripts/install-deps.sh --bench puts peers: build/peers, seen from a build
/// folder beside it.
std::string peersFolder();

/// ONNX Runtime's library below a folder of npm packages.
llvm::Expected<std::string> findOnnxRuntime(llvm::StringRef peers);

} // namespace convoy::timing
