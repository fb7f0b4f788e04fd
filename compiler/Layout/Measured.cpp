// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the measurements attached to a kernel and merges them with the estimated candidates.
// ChooseLayouts.cpp then chooses among both.

#include "Layout/Measured.h"
#include "Layout/Spaces.h"

using namespace mlir;

namespace convoy::layout {
namespace {

/// Approximate clock rate. It converts measured times to the cycles in which estimates are given.
constexpr double kCyclesPerNs = 3;

bool isSame(const Candidate &a, const Candidate &b) {
  return a.config == b.config && a.operands == b.operands && a.result == b.result;
}

double leastCycles(ArrayRef<Candidate> candidates) {
  double least = std::numeric_limits<double>::infinity();
  for (const Candidate &candidate : candidates) {
    least = std::min(least, candidate.cycles);
  }
  return least;
}

FailureOr<Candidate> readEntry(graph::KernelOp kernel, Attribute entry) {
  auto fields = dyn_cast<DictionaryAttr>(entry);
  auto ns = fields ? fields.getAs<FloatAttr>("ns") : FloatAttr();
  if (!ns || !(ns.getValueAsDouble() > 0)) {
    return kernel.emitOpError()
           << "has an invalid entry in " << kMeasuredAttr
           << "; each entry needs a positive float 'ns', the nanoseconds of one run";
  }
  llvm::Expected<Candidate> candidate =
      candidateFor(kernel, fields.get("config"), fields.get("input"));
  if (!candidate) {
    return kernel.emitOpError() << "has an entry in " << kMeasuredAttr << " that does not fit it: "
                                << llvm::toString(candidate.takeError());
  }
  candidate->cycles = ns.getValueAsDouble() * kCyclesPerNs;
  return *candidate;
}

} // namespace

LogicalResult takeMeasured(graph::KernelOp kernel, std::vector<Candidate> &candidates) {
  auto entries = dyn_cast_or_null<ArrayAttr>(kernel->removeAttr(kMeasuredAttr));
  if (!entries || entries.empty()) {
    return success();
  }
  std::vector<Candidate> measured;
  for (Attribute entry : entries) {
    FailureOr<Candidate> candidate = readEntry(kernel, entry);
    if (failed(candidate)) {
      return failure();
    }
    measured.push_back(std::move(*candidate));
  }
  // The ratio of a measurement to the estimate of the same candidate corrects all other estimates.
  // If no measured candidate has an estimate, the best of both are assumed to be equal.
  double factor = leastCycles(measured) / std::max(leastCycles(candidates), 1.0);
  for (const Candidate &known : measured) {
    auto estimate = llvm::find_if(candidates, [&](const Candidate &c) { return isSame(c, known); });
    if (estimate != candidates.end() && estimate->cycles > 0) {
      factor = known.cycles / estimate->cycles;
      break;
    }
  }
  for (Candidate &candidate : candidates) {
    candidate.cycles *= factor;
  }
  // A measurement replaces all estimates between the same two layouts, because records hold the
  // best configuration for them.
  unsigned main = mainOperand(kernel);
  llvm::erase_if(candidates, [&](const Candidate &estimate) {
    return llvm::any_of(measured, [&](const Candidate &known) {
      return known.operands[main] == estimate.operands[main] && known.result == estimate.result;
    });
  });
  llvm::append_range(candidates, measured);
  return success();
}

} // namespace convoy::layout
