// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists warnings as JSON.

#include "report/Warnings.h"

namespace convoy::report {

llvm::json::Array warningsToJson(const Problems &problems) {
  llvm::json::Array texts;
  for (const Problem &problem : problems.all()) {
    if (!problem.isError()) {
      texts.push_back(llvm::json::fixUTF8(problem.text));
    }
  }
  return texts;
}

} // namespace convoy::report
