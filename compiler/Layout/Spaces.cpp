// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the search space of each template for each supported channel block. The tuner searches
// the result; the layout pass does not use it.

#include "Layout/Spaces.h"
#include "Kernels/ConvDirect/ConvDirect.h"
#include "Kernels/ConvDot/ConvDot.h"
#include "Kernels/ConvPixels/ConvPixels.h"
#include "Kernels/ConvTiles/ConvTiles.h"
#include "Kernels/Depthwise/Depthwise.h"
#include "Kernels/PoolPixels/PoolPixels.h"
#include "Kernels/Winograd/Winograd.h"
#include "Kernels/WinogradPixels/WinogradPixels.h"
#include "Layout/LoopCandidates.h"

using namespace mlir;

namespace convoy::layout {
namespace {

using kernels::ConvKernel;
using kernels::InputLayout;
using kernels::Machine;
using kernels::Settings;
using kernels::Space;

/// Version of the generic loops (Kernels/Loops). Increment it when the same kernel generates
/// different code; this invalidates older records.
constexpr int kLoopsVersion = 1;
/// Penalty factor for a block size other than the target's native one, because neighbouring kernels
/// use the native size.
constexpr double kOtherBlock = 1.05;

/// The target, modelled as if its vectors had as many lanes as a block.
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

class SpaceList {
public:
  SpaceList(graph::KernelOp kernel, bool isStrictMath)
      : kernel(kernel), conv(layerOf(kernel)), isStrictMath(isStrictMath) {}

  void addPlanar(const Machine &machine) {
    addPoint("loops", kLoopsVersion, {}, planarLoops(kernel, conv, machine));
    MLIRContext *context = kernel.getContext();
    Block &body = kernel.getBody().front();
    bool isOfFloats = conv && !conv->integers;
    if (isOfFloats && kernels::canRunConvPixels(conv->problem, machine)) {
      bool isFlat = kernels::isEpilogueFlat(*conv, body);
      add(kernels::convPixelsSpace(conv->problem, isFlat, machine, context), {}, 1);
    }
    auto tiles = isOfFloats && !isStrictMath
                     ? kernels::chooseWinogradPixels(conv->problem, machine, context)
                     : std::nullopt;
    if (tiles) {
      Candidate candidate;
      candidate.config = tiles->config;
      candidate.cycles = tiles->cycles;
      addPoint("winograd_pixels", kernels::kWinogradPixelsVersion, {}, candidate);
    }
    auto pool = kernels::matchPoolKernel(body);
    auto choice = pool ? kernels::choosePoolPixels(*pool, machine, context) : std::nullopt;
    if (choice) {
      Candidate candidate;
      candidate.config = choice->config;
      candidate.cycles = choice->cycles;
      addPoint("pool_pixels", kernels::kPoolPixelsVersion, {}, candidate);
    }
  }

  void addBlocked(const Machine &machine, double scale) {
    Attribute blocked = graph::BlockedAttr::get(kernel.getContext(), machine.lanes());
    if (!conv) {
      bool takesIntegers = machine.dot != kernels::DotForm::None;
      if (auto loops = blockedLoops(kernel, machine.lanes(), takesIntegers)) {
        loops->cycles *= scale;
        addPoint("loops", kLoopsVersion, blocked, *loops);
      }
      return;
    }
    if (conv->integers) {
      addIntegers(machine, scale);
      return;
    }
    const kernels::ConvProblem &p = conv->problem;
    MLIRContext *context = kernel.getContext();
    addDirect(machine, scale);
    if (kernels::canRunDepthwise(p)) {
      add(kernels::depthwiseSpace(p, machine, context), blocked, scale);
    }
    if (!isStrictMath && kernels::isForWinograd(p, machine)) {
      add(kernels::winogradSpace(p, machine, context), blocked, scale);
    }
  }

  std::vector<LayoutSpace> spaces;

private:
  void addIntegers(const Machine &machine, double scale) {
    MLIRContext *context = kernel.getContext();
    bool isFlat = kernels::isEpilogueFlat(*conv, kernel.getBody().front());
    if (auto choice = kernels::chooseConvDot(*conv, isFlat, machine, context)) {
      Candidate candidate;
      candidate.config = choice->config;
      candidate.cycles = choice->cycles * scale;
      addPoint("conv_dot", kernels::kConvDotVersion,
               kernels::convDotInput(conv->problem, choice->config), candidate);
    }
    if (auto choice = kernels::chooseConvTiles(*conv, machine, context)) {
      Candidate candidate;
      candidate.config = choice->config;
      candidate.cycles = choice->cycles * scale;
      addPoint("conv_tiles", kernels::kConvTilesVersion,
               graph::BlockedAttr::get(context, machine.lanes()), candidate);
    }
    if (machine.dot != kernels::DotForm::None && kernels::canRunDepthwise(conv->problem)) {
      Attribute blocked = graph::BlockedAttr::get(context, machine.lanes());
      add(kernels::depthwiseSpace(conv->problem, machine, context), blocked, scale);
    }
  }

  void addDirect(const Machine &machine, double scale) {
    bool isFlat = kernels::isEpilogueFlat(*conv, kernel.getBody().front());
    SmallVector<InputLayout> inputs = {InputLayout::Blocked, InputLayout::Planar};
    if (conv->problem.isMatrix) {
      inputs = {InputLayout::Matrix};
    }
    for (InputLayout input : inputs) {
      if (kernels::canRunConvDirect(conv->problem, input, machine)) {
        Attribute layout = input == InputLayout::Blocked
                               ? graph::BlockedAttr::get(kernel.getContext(), machine.lanes())
                               : Attribute();
        add(kernels::convDirectSpace(conv->problem, input, isFlat, machine, kernel.getContext()),
            layout, scale);
      }
    }
  }

  void add(Space space, Attribute input, double scale) {
    if (scale != 1) {
      space.cycles = [cycles = space.cycles, scale](const Settings &s) {
        return cycles(s) * scale;
      };
    }
    spaces.push_back({std::move(space), input});
  }

  /// Adds a space with a single configuration.
  void addPoint(StringRef id, int version, Attribute input, const Candidate &candidate) {
    Space space;
    space.templateId = id.str();
    space.version = version;
    space.configure = [config = candidate.config](const Settings &) { return config; };
    space.cycles = [cycles = candidate.cycles](const Settings &) { return cycles; };
    spaces.push_back({std::move(space), input});
  }

  graph::KernelOp kernel;
  std::optional<ConvKernel> conv;
  bool isStrictMath;
};

} // namespace

std::vector<LayoutSpace> spacesOf(graph::KernelOp kernel, const Machine &machine,
                                  bool isStrictMath) {
  SpaceList list(kernel, isStrictMath);
  list.addPlanar(machine);
  for (int64_t block : blocksOf(machine)) {
    BlockMachine own = withLanes(machine, block);
    list.addBlocked(own.machine, own.scale);
  }
  return std::move(list.spaces);
}

llvm::ArrayRef<TemplateVersion> templateVersions() {
  static constexpr TemplateVersion kTemplates[] = {
      {"loops", kLoopsVersion},
      {"conv_direct", kernels::kConvDirectVersion},
      {"conv_dot", kernels::kConvDotVersion},
      {"conv_tiles", kernels::kConvTilesVersion},
      {"depthwise", kernels::kDepthwiseVersion},
      {"conv_pixels", kernels::kConvPixelsVersion},
      {"pool_pixels", kernels::kPoolPixelsVersion},
      {"winograd", kernels::kWinogradVersion},
      {"winograd_pixels", kernels::kWinogradPixelsVersion},
  };
  return kTemplates;
}

unsigned mainOperand(graph::KernelOp kernel) {
  std::optional<ConvKernel> conv = layerOf(kernel);
  return conv ? conv->input : 0;
}

} // namespace convoy::layout
