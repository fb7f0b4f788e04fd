// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the arguments of the function that are stored as images instead of cubes. CONV then
// processes a kernel row as one step with many channels.

#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Compile/Passes.h"

using namespace mlir;

namespace convoy::nvdla {
#define GEN_PASS_DEF_CHOOSEIMAGESPASS
#include "Accelerators/NVDLA/Compile/Passes.h.inc"

namespace {

/// Samples of the largest pixel format.
constexpr int64_t kMostChannels = 4;

/// Returns the convolution that reads the argument, if CONV can read the argument as an image.
ConvOp imageReader(BlockArgument argument) {
  auto conv = argument.hasOneUse() ? dyn_cast<ConvOp>(*argument.getUsers().begin()) : ConvOp();
  bool isPlain = conv && conv.getGroups() == 1 && conv.getDilations()[0] == 1 &&
                 conv.getDilations()[1] == 1 &&
                 cubeOf(argument.getType())->channels <= kMostChannels;
  return isPlain ? conv : ConvOp();
}

struct ChooseImages : impl::ChooseImagesPassBase<ChooseImages> {
  using ChooseImagesPassBase::ChooseImagesPassBase;

  void runOnOperation() override {
    std::optional<NvdlaOptions> options = requireOptions(getOperation(), config);
    if (!options) {
      return signalPassFailure();
    }
    for (BlockArgument argument : getOperation().getArguments()) {
      if (ConvOp conv = imageReader(argument)) {
        conv.setImage(true);
        ConvShape shape = shapeOf(conv, *options->config);
        conv.setImage(
            planBuffer(shape, splitGroups(shape, *options).front(), *options).has_value());
      }
    }
  }
};

} // namespace
} // namespace convoy::nvdla
