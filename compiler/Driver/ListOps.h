// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the ONNX ops that the importer supports, and where they run, for `convoy ops`.

#pragma once

#include <string>
#include <vector>

namespace convoy::driver {

struct OpSummary {
  std::string domain; // "" is ai.onnx
  std::string name;
  std::string opsets; // "1, 6, 13", and the opset that removed the op
  std::string host;   // "yes", "partly" or "no"
  std::string limits;
};

/// Returns the newest ONNX opset whose ops the importer knows.
int newestOpset();

/// Returns all ops, sorted by domain and name.
std::vector<OpSummary> listOps();

} // namespace convoy::driver
