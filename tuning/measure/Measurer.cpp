// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of policies.

#include "Measurer.h"
#include "llvm/Support/ErrorHandling.h"

namespace convoy::tuning {

char WaitCanceled::ID = 0;

llvm::StringRef name(Policy policy) {
  switch (policy) {
  case Policy::ColdWeights:
    return "cold-weights";
  case Policy::Warm:
    return "warm";
  case Policy::Instructions:
    return "instructions";
  }
  llvm_unreachable("not a policy");
}

std::optional<Policy> policyFromName(llvm::StringRef text) {
  for (Policy policy : {Policy::ColdWeights, Policy::Warm, Policy::Instructions}) {
    if (name(policy) == text) {
      return policy;
    }
  }
  return std::nullopt;
}

Policy policyOf(const targets::Target &target) {
  return target.toolchain ? Policy::Instructions : Policy::ColdWeights;
}

} // namespace convoy::tuning
