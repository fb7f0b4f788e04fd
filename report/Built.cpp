// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the summary of a compile to JSON.

#include "report/Built.h"

namespace convoy::report {

llvm::json::Object builtToJson(const CompileSummary &summary) {
  llvm::json::Array configs;
  for (const KernelSummary &layer : summary.layers) {
    configs.push_back(layer.config);
  }
  return llvm::json::Object{{"target", summary.target},   {"hash", summary.hash},
                            {"threads", summary.threads}, {"tuned", summary.tuned.tuned},
                            {"kernels", summary.kernels}, {"configs", std::move(configs)}};
}

} // namespace convoy::report
