// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts the counts of generic loops to one line of text or a JSON object.

#include "report/GenericLoops.h"
#include "Support/PercentText.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::report {

std::string loopsText(const GenericLoops &loops) {
  return llvm::formatv(
             "{0} of {1} kernels and reorders are generic loops, {2} of the predicted time",
             loops.kernels, loops.allKernels, percentText(loops.share()))
      .str();
}

llvm::json::Object loopsToJson(const GenericLoops &loops) {
  return llvm::json::Object{{"kernels", loops.kernels},
                            {"all_kernels", loops.allKernels},
                            {"predicted_ns", loops.predictedNs},
                            {"all_predicted_ns", loops.allPredictedNs},
                            {"share", loops.share()}};
}

} // namespace convoy::report
