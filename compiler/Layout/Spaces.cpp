// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the search space of each template for each supported channel block. The tuner searches
// the result; the layout pass does not use it.

#include "Layout/Spaces.h"
#include "Graph/OpFacts.h"

using namespace mlir;

namespace convoy::layout {
namespace {

using kernels::KernelFacts;
using kernels::KernelTemplate;
using kernels::Machine;
using kernels::Settings;

/// Penalty factor for a block size other than the target's native one, because neighboring kernels
/// use the native size.
constexpr double kOtherBlock = 1.05;

/// The target, modeled as if its vectors had as many lanes as a block.
struct BlockMachine {
  Machine machine;
  double scale = 1; // multiplies estimated cycles
};

BlockMachine withLanes(const Machine &machine, int64_t lanes) {
  BlockMachine result{machine, lanes == machine.lanes() ? 1 : kOtherBlock};
  result.machine.vectorBytes = lanes * 4;
  int64_t parts = lanes / machine.lanes();
  if (parts > 1) {
    // A block of several registers divides the registers and the throughput of the target.
    result.machine.vectorRegisters = machine.vectorRegisters / parts;
    // Dot products are instructions of a fixed width.
    result.machine.dot = kernels::DotForm::None;
    result.machine.hasTiles = false;
    int64_t ports = machine.multiplyAddsPerCycle();
    result.machine.fmaPorts = machine.fmaPorts > 0 ? std::max<int64_t>(ports / parts, 1) : 0;
    result.scale *= static_cast<double>(parts) * result.machine.multiplyAddsPerCycle() /
                    static_cast<double>(ports);
  }
  return result;
}

/// Returns the supported block sizes, the target's native one first.
SmallVector<int64_t> blocksOf(const Machine &machine) {
  constexpr int64_t kLeastBlock = 4;
  SmallVector<int64_t> blocks = {machine.lanes()};
  if (machine.lanes() / 2 >= kLeastBlock) {
    blocks.push_back(machine.lanes() / 2);
  }
  Machine wider = machine;
  wider.vectorBytes *= 2;
  // Skip the doubled size if it crosses the long-vector threshold, because templates use different
  // rules above it.
  if (wider.hasLongVectors() == machine.hasLongVectors()) {
    blocks.push_back(wider.lanes());
  }
  return blocks;
}

/// Adds a space whose estimates are multiplied by `scale`.
void add(LayoutSpace own, double scale, std::vector<LayoutSpace> &spaces) {
  if (scale != 1) {
    own.space.cycles = [cycles = own.space.cycles, scale](const Settings &s) {
      return cycles(s) * scale;
    };
  }
  spaces.push_back(std::move(own));
}

/// Adds the spaces that do not depend on a block size. The generic loops are first.
void addPlanar(const KernelFacts &facts, const Machine &machine, std::vector<LayoutSpace> &spaces) {
  spaces.push_back(kernels::fallbackTemplate().spaces(facts, machine).front());
  for (const KernelTemplate *known : kernels::templates()) {
    if (!known->usesBlocks()) {
      llvm::append_range(spaces, known->spaces(facts, machine));
    }
  }
}

/// Adds the spaces for one block size, the generic loops last.
void addBlocked(const KernelFacts &facts, const BlockMachine &own,
                std::vector<LayoutSpace> &spaces) {
  for (const KernelTemplate *known : kernels::templates()) {
    if (known->usesBlocks()) {
      for (LayoutSpace &space : known->spaces(facts, own.machine)) {
        add(std::move(space), own.scale, spaces);
      }
    }
  }
  std::vector<LayoutSpace> loops = kernels::fallbackTemplate().spaces(facts, own.machine);
  for (LayoutSpace &space : llvm::drop_begin(loops)) { // the first one is planar
    add(std::move(space), own.scale, spaces);
  }
}

/// Removes the generic loops of a kernel with several loops if a template supports the kernel: they
/// compute the inner ops again for each element, so measuring them takes too long.
void dropLoops(graph::KernelOp kernel, std::vector<LayoutSpace> &spaces) {
  auto isLoops = [](const LayoutSpace &own) {
    return own.space.templateId == kernels::fallbackTemplate().id();
  };
  if (graph::loopCount(kernel.getBody().front()) > 1 && !llvm::all_of(spaces, isLoops)) {
    llvm::erase_if(spaces, isLoops);
  }
}

} // namespace

std::vector<LayoutSpace> spacesOf(graph::KernelOp kernel, const Machine &machine,
                                  bool isStrictMath) {
  KernelFacts facts(kernel, isStrictMath);
  std::vector<LayoutSpace> spaces;
  addPlanar(facts, machine, spaces);
  for (int64_t block : blocksOf(machine)) {
    addBlocked(facts, withLanes(machine, block), spaces);
  }
  dropLoops(kernel, spaces);
  return spaces;
}

std::vector<TemplateVersion> templateVersions() {
  const KernelTemplate &fallback = kernels::fallbackTemplate();
  std::vector<TemplateVersion> versions = {{fallback.id(), fallback.version()}};
  for (const KernelTemplate *known : kernels::templates()) {
    versions.push_back({known->id(), known->version()});
  }
  return versions;
}

unsigned mainOperand(graph::KernelOp kernel) {
  return KernelFacts(kernel, /*isStrictMath=*/false).mainOperand();
}

} // namespace convoy::layout
