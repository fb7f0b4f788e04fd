// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One way to run a task, as text that can be stored, compared and pasted into a test.

#pragma once

#include <string>
#include <tuple>

namespace convoy::tuning {

/// How a planar tensor's layout is written.
inline constexpr char kPlanarLayout[] = "planar";

struct Configuration {
  /// The mnemonic of the configuration attribute, as "conv_direct"; "loops" when the
  /// generic loops run the kernel.
  std::string templateId;
  /// Rises when equal settings give other code: what was measured before is stale.
  int templateVersion = 0;
  /// The attribute as MLIR prints it, "#kernel.conv_direct<block = 16, ...>"; empty for
  /// the generic loops.
  std::string text;
  /// Of the main operand and of the result, "planar" or "#graph.blocked<c = 16>". Those
  /// of weights and of the epilogue's operands follow from the rest.
  std::string inputLayout = kPlanarLayout;
  std::string outputLayout = kPlanarLayout;

  auto fields() const {
    return std::tie(templateId, templateVersion, text, inputLayout, outputLayout);
  }
  friend bool operator==(const Configuration &a, const Configuration &b) {
    return a.fields() == b.fields();
  }
  /// The order that ties are broken by.
  friend bool operator<(const Configuration &a, const Configuration &b) {
    return a.fields() < b.fields();
  }
};

} // namespace convoy::tuning
