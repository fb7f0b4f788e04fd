// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the candidates of a kernel from the table of templates. The configuration of a candidate
// may also come from a tuning record.

#include "Layout/Candidates.h"
#include "Kernels/Loops/TransposedCopy.h"

using namespace mlir;

namespace convoy::layout {

/// Cycles per element of a strided copy.
static constexpr double kReorderCycles = 1.5;
/// Cycles of any reorder: the start of a kernel, its first cache misses and the address arithmetic
/// before its loops, together about 50 ns. A reorder of ten numbers takes this time.
static constexpr double kReorderStartCycles = 150;
/// The cost models count an operation on a long vector as one cycle. It takes about eight, so a
/// reorder costs an eighth relative to it.
static constexpr double kLongVectorCycles = 8;

std::vector<Candidate> candidatesOf(graph::KernelOp kernel, const kernels::Machine &machine,
                                    bool isStrictMath) {
  kernels::KernelFacts facts(kernel, isStrictMath);
  std::vector<Candidate> loops = kernels::fallbackTemplate().candidates(facts, machine);
  std::vector<Candidate> candidates = {loops.front()};
  for (const kernels::KernelTemplate *known : kernels::templates()) {
    llvm::append_range(candidates, known->candidates(facts, machine));
  }
  llvm::append_range(candidates, llvm::drop_begin(loops));
  return candidates;
}

llvm::Expected<Candidate> candidateFor(graph::KernelOp kernel, Attribute config, Attribute input) {
  const kernels::KernelTemplate *own = kernels::templateOf(config);
  Candidate candidate;
  // A record may name a configuration that rounds differently; its task key contains the math mode.
  kernels::KernelFacts facts(kernel, /*isStrictMath=*/false);
  std::string reason =
      own ? own->fit(facts, config, input, candidate) : "the configuration is not of a template";
  if (!reason.empty()) {
    return llvm::createStringError("the kernel cannot run as " +
                                   (config ? kernels::layoutText(config) : "generic loops") + ": " +
                                   reason);
  }
  return candidate;
}

void applyCandidate(graph::KernelOp kernel, const Candidate &candidate) {
  Block &body = kernel.getBody().front();
  for (auto [argument, layout] : llvm::zip(body.getArguments(), candidate.operands)) {
    argument.setType(graph::withLayout(argument.getType(), layout));
  }
  if (candidate.config) {
    kernel.setConfigAttr(candidate.config);
  }
  Operation *yield = body.getTerminator();
  for (auto [result, value] : llvm::zip(kernel.getResults(), yield->getOperands())) {
    Type type = graph::withLayout(result.getType(), candidate.result);
    result.setType(type);
    value.setType(type);
  }
}

double reorderCycles(RankedTensorType type, Attribute from, Attribute to,
                     const kernels::Machine &machine) {
  if (graph::isSameInMemory(type.getShape(), from, to)) {
    return 0;
  }
  double cycles = kReorderCycles;
  auto in = [&](Attribute layout) {
    return cast<RankedTensorType>(graph::withLayout(type, layout));
  };
  if (kernels::reorderedCopy(in(from), in(to), machine)) {
    cycles = kernels::kTransposedCopyCycles;
  }
  double all = kReorderStartCycles + cycles * static_cast<double>(type.getNumElements());
  return machine.hasLongVectors() ? all / kLongVectorCycles : all;
}

} // namespace convoy::layout
