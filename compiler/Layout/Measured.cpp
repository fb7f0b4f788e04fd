// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Layout/Measured.h"
#include "Layout/Spaces.h"

using namespace mlir;

namespace convoy::layout {
namespace {

/// Reorders and kernels that were not measured are reckoned in cycles of about so many.
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
    return kernel.emitOpError() << "has an entry of " << kMeasuredAttr
                                << " without a positive float 'ns'";
  }
  llvm::Expected<Candidate> candidate =
      candidateFor(kernel, fields.get("config"), fields.get("input"));
  if (!candidate) {
    return kernel.emitOpError() << "has an entry of " << kMeasuredAttr << " that does not fit it: "
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
  // The estimate of what is measured tells how far estimates are off; without one, the
  // best of both are taken for the same.
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
  // Records hold the best between two layouts: an estimate has nothing to add there.
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
