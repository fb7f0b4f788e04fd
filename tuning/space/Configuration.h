// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way to run a task, as text that can be stored, compared and pasted into a test.

#pragma once

#include <string>
#include <tuple>

namespace convoy::tuning {

/// The text of the planar layout.
inline constexpr char kPlanarLayout[] = "planar";

struct Configuration {
  /// The mnemonic of the configuration attribute, for example "conv_direct", or "loops" for
  /// the generic loops.
  std::string templateId;
  /// The version of the template. A template increments it when the same settings generate
  /// different code; this makes older measurements stale.
  int templateVersion = 0;
  /// The attribute as MLIR prints it, "#kernel.conv_direct<block = 16, ...>". Empty for the
  /// generic loops.
  std::string text;
  /// The layouts of the main operand and of the result: "planar" or "#graph.blocked<c = 16>".
  /// They determine the layouts of the weights and of the operands of the epilogue.
  std::string inputLayout = kPlanarLayout;
  std::string outputLayout = kPlanarLayout;

  auto fields() const {
    return std::tie(templateId, templateVersion, text, inputLayout, outputLayout);
  }
  friend bool operator==(const Configuration &a, const Configuration &b) {
    return a.fields() == b.fields();
  }
  /// The order that breaks ties.
  friend bool operator<(const Configuration &a, const Configuration &b) {
    return a.fields() < b.fields();
  }
};

} // namespace convoy::tuning
