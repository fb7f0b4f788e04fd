// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates records for tests.

#pragma once

#include "tuning/records/Record.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::tuning {

/// Returns a successful record of trial `number`.
inline Record sampleRecord(int number, double ns = 1000) {
  Record record;
  record.trial = std::string(16, '0') + llvm::utohexstr(number, /*LowerCase=*/true, /*Width=*/16);
  record.taskText = "conv 3x3";
  record.target = "machine";
  record.policy = "cold-weights";
  record.configuration = {"conv_direct", 2, "#kernel.conv_direct<" + std::to_string(number) + ">",
                          "planar", "#graph.blocked<c = 16>"};
  auto wallNs = static_cast<int64_t>(ns * 10);
  record.samples = {{10, wallNs, wallNs - 1, true},
                    {10, wallNs + 20, wallNs, true},
                    {10, wallNs - 20, wallNs - 30, true}};
  record.compiler = "convoy 0.1.0";
  record.artifact = sha256("code");
  record.unixUs = 1700000000000000 + number;
  return record;
}

} // namespace convoy::tuning
