// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of policies.

#include "Measurer.h"

namespace convoy::tuning {

char WaitCancelled::ID = 0;

llvm::StringRef name(Policy policy) {
  return policy == Policy::ColdWeights ? "cold-weights" : "warm";
}

std::optional<Policy> policyFromName(llvm::StringRef text) {
  for (Policy policy : {Policy::ColdWeights, Policy::Warm}) {
    if (name(policy) == text) {
      return policy;
    }
  }
  return std::nullopt;
}

} // namespace convoy::tuning
