// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts convoy-measure, the program that loads compiled models and times them, and finds the
// library of ONNX Runtime that convoy-measure loads for comparison.

#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <functional>
#include <string>
#include <vector>

namespace convoy::timing {

class MeasureProgram {
public:
  MeasureProgram() = default;
  /// `program` is convoy-measure; files are exchanged in `folder`.
  MeasureProgram(std::string program, std::string folder)
      : program(std::move(program)), folder(std::move(folder)) {}

  /// Polled while the program runs; the program is ended as soon as it returns true. May be empty.
  std::function<bool()> isInterrupted;

  /// Runs the program once with a specification and returns its result.
  /// tools/convoy-measure/Spec.h describes the format.
  llvm::Expected<llvm::json::Object> measure(llvm::json::Object specification) const;

private:
  /// Runs the program and returns its exit code.
  int execute(llvm::ArrayRef<llvm::StringRef> arguments, llvm::StringRef errors,
              std::string &message) const;

  std::string program, folder;
};

/// Returns the path of convoy-measure in the folder of the running program.
llvm::Expected<std::string> findMeasureProgram();

/// Returns an array of numbers of a result, or an empty vector if the key is missing.
std::vector<double> numbers(const llvm::json::Object &object, llvm::StringRef key);

/// Returns the folder into which scripts/install-deps.sh --bench installs peers: build/peers, next
/// to the build folder.
std::string peersFolder();

/// Finds ONNX Runtime's library below a folder of npm packages.
llvm::Expected<std::string> findOnnxRuntime(llvm::StringRef peers);

} // namespace convoy::timing
