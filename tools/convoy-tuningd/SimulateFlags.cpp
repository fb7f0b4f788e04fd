// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads --faults.

#include "SimulateFlags.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace convoy::tuningd {

using service::FaultPlan;

namespace {

struct FaultKey {
  llvm::StringRef name;
  double FaultPlan::*field;
  double most;
};

constexpr FaultKey kFaults[] = {
    {"worker", &FaultPlan::workerDeathSeconds, 1e9}, {"device", &FaultPlan::deviceLossSeconds, 1e9},
    {"hung", &FaultPlan::hungTrialShare, 0.5},       {"lease", &FaultPlan::leaseSeconds, 1e6},
    {"return", &FaultPlan::returnSeconds, 1e6},      {"limit", &FaultPlan::trialLimitSeconds, 1e6},
};

} // namespace

llvm::Expected<FaultPlan> parseFaults(llvm::StringRef text) {
  FaultPlan plan;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    bool isKnown = false;
    for (const FaultKey &key : kFaults) {
      double number = 0;
      if (name == key.name && !value.getAsDouble(number) && number >= 0 && number <= key.most) {
        plan.*key.field = number;
        isKnown = true;
      }
    }
    if (!isKnown) {
      return llvm::createStringError("--faults: expected worker=SECONDS, device=SECONDS, "
                                     "hung=SHARE (at most 0.5), lease=SECONDS, return=SECONDS or "
                                     "limit=SECONDS, got '" +
                                     part + "'");
    }
  }
  return plan;
}

} // namespace convoy::tuningd
