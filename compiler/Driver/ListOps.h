// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the ONNX ops that the importer supports, and describes one op, for `convoy ops`.

#pragma once

#include "llvm/ADT/StringRef.h"
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

/// Whether a kind of target runs an op.
struct OpOnTarget {
  std::string target;  // "reference", "host", "C", "microcontrollers" or the name of a device
  std::string runs;    // "yes", "partly", "no"; "depends" if only the whole model decides
  std::string remarks; // element types, the reason, the remedy
};

/// All that is known about one op.
struct OpDescription {
  OpSummary op;
  bool isSupported = true;
  std::vector<OpOnTarget> targets; // empty if the op is not supported
  /// For an unsupported op: the supported op that computes the nearest function, or "", and the
  /// remedy.
  std::string nearest, remedy;
};

/// Returns the newest ONNX opset whose ops the importer knows.
int newestOpset();

/// Returns all ops, sorted by domain and name.
std::vector<OpSummary> listOps();

/// Returns the descriptions of "Conv" in all domains or of "ai.onnx.Conv", whatever the case of
/// letters; also those of ops that exporters write and that are not supported. Returns an empty
/// list if the name is unknown.
std::vector<OpDescription> describeOps(llvm::StringRef name);

/// Returns the full names of supported ops that an unknown name may mean, the likeliest first.
std::vector<std::string> similarOps(llvm::StringRef name);

} // namespace convoy::driver
