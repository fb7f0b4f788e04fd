// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ONNX ops that import knows, and where they run.

#pragma once

#include <string>
#include <vector>

namespace convoy::driver {

struct OpSummary {
  std::string domain; // "" is ai.onnx
  std::string name;
  std::string opsets; // "1, 6, 13", and when it was removed
  std::string host;   // "yes", "partly" or "no"
  std::string limits;
};

/// Returns the newest ONNX opset whose ops the importer knows.
int newestOpset();

/// Sorted by domain and name.
std::vector<OpSummary> listOps();

} // namespace convoy::driver
