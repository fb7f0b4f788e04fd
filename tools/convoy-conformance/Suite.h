// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the tests in a folder of ONNX backend tests.

#pragma once

#include "check/rules/OutputError.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace convoy::conformance {

/// The files of one run of a model. Without input files, the input is arange(n) / n, as ONNX's
/// `light` models expect.
struct DataSet {
  std::vector<std::string> inputs, outputs;
};

struct TestCase {
  std::string group; // the folder that contains the test: "node", "simple", ...
  std::string name;
  std::string model;
  std::vector<DataSet> dataSets;
  /// Replaces the tolerance of ONNX's own runner.
  std::optional<check::Tolerance> tolerance;
};

/// Finds the tests in `folder`, or in its subfolders, sorted by group and name. A folder
/// without tests is an error.
llvm::Expected<std::vector<TestCase>> findTests(llvm::StringRef folder);

} // namespace convoy::conformance
