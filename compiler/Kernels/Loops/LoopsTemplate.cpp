// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic loops as a template: the fallback that supports every kernel whose ops have an
// emitter. The template has no configuration. Lanes run along a row (planar) or along channels
// (blocked).

#include "Graph/OpFacts.h"
#include "Kernels/KernelFunction.h"
#include "Kernels/Loops/LoopCandidates.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// Returns the number of rows of the kernel's single result if the range runs over rows, fastest,
/// for each channel block, as KernelEmitter does for blocked results. Returns 0 otherwise.
int64_t blockedRows(Block &body) {
  Operation *yield = body.getTerminator();
  Value value = yield->getNumOperands() == 1 ? yield->getOperand(0) : Value();
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || type.getRank() != 4 || graph::channelBlock(type) == 0) {
    return 0;
  }
  Operation *root = value.getDefiningOp();
  const EmitterRow *row = root ? emitterTable().find(root) : nullptr;
  return row && row->whole ? 0 : type.getDimSize(2);
}

/// Returns an op inside the kernel that the generic loops cannot emit, or null. Only the kernels of
/// other templates contain such ops.
Operation *unsupportedOp(Block &body) {
  for (Operation &op : body.without_terminator()) {
    if (graph::classify(&op) == graph::OpClass::Control) {
      return &op;
    }
  }
  return nullptr;
}

class LoopsTemplate : public KernelTemplate {
public:
  StringRef id() const override { return "loops"; }
  int version() const override { return 1; }
  bool usesBlocks() const override { return true; }

  std::string whyNot(const KernelFacts &facts, const Machine &machine) const override { return ""; }

  /// Returns the planar candidate first. It exists for every kernel.
  std::vector<Candidate> candidates(const KernelFacts &facts,
                                    const Machine &machine) const override {
    std::vector<Candidate> result = {planarLoops(facts.kernel, facts.conv, machine)};
    if (auto loops = blocked(facts, machine)) {
      result.push_back(*loops);
    }
    bool takesImages = !facts.conv && machine.dot != DotForm::None;
    auto image = takesImages ? interleavedLoops(facts.kernel, machine) : std::nullopt;
    if (image) {
      result.push_back(*image);
    }
    // Only byte ops read and write one block of all channels.
    if (auto view = machine.hasByteOps ? viewedTranspose(facts.kernel) : std::nullopt) {
      result.push_back(*view);
    }
    return result;
  }

  /// Returns the planar and the blocked choice.
  std::vector<Choice> choose(const KernelFacts &facts, const Machine &machine) const override {
    std::vector<Choice> choices = {
        {Attribute(), Attribute(), planarLoops(facts.kernel, facts.conv, machine).cycles}};
    if (auto loops = blocked(facts, machine)) {
      choices.push_back({Attribute(), loops->result, loops->cycles});
    }
    return choices;
  }

  std::string fit(const KernelFacts &facts, Attribute config, Attribute input,
                  Candidate &candidate) const override {
    if (Operation *op = unsupportedOp(facts.body())) {
      return "the generic loops do not support " + op->getName().getStringRef().str();
    }
    if (!input) {
      candidate = planarLoops(facts.kernel, facts.conv, Machine());
      return "";
    }
    auto blocked = dyn_cast<graph::BlockedAttr>(input);
    std::optional<Candidate> loops =
        blocked && !facts.conv ? blockedLoops(facts.kernel, blocked.getC(), /*takesIntegers=*/true)
                               : std::nullopt;
    if (!loops) {
      return "the generic loops do not support the input layout " + layoutText(input);
    }
    candidate = *loops;
    return "";
  }

  LogicalResult lower(task::KernelOp kernel, Attribute config,
                      const Machine &machine) const override {
    if (Operation *op = unsupportedOp(kernel.getBody().front())) {
      return op->emitOpError("is inside a kernel of the generic loops, which do not support it; "
                             "expected the configuration of a template");
    }
    KernelFunction function(kernel);
    KernelEmitter emitter(function.b, machine.vectorBytes);
    emitter.interleavesImages = !machine.hasByteOps;
    function.bindOperands(emitter);
    // The emitter binds results by position, because a kernel may return the same value twice.
    emitter.emitKernel(function.body(), function.resultMemory(), function.begin(), function.end());
    int64_t rows = blockedRows(function.body());
    if (rows > 0 && emitter.range % rows == 0) {
      function.setRows(emitter.range / rows, task::evenChunks(rows, 1));
    }
    function.finish(emitter.range);
    return success();
  }

private:
  /// Returns the candidate in blocks of the machine's lanes, if there is one. Convolutions have
  /// none, because templates are faster in this layout.
  static std::optional<Candidate> blocked(const KernelFacts &facts, const Machine &machine) {
    bool takesIntegers = machine.dot != DotForm::None;
    return facts.conv ? std::nullopt : blockedLoops(facts.kernel, machine.lanes(), takesIntegers);
  }
};

} // namespace

const KernelTemplate &fallbackTemplate() { return onlyObject<LoopsTemplate>(); }

} // namespace convoy::kernels
