// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the configuration of winograd without measurements. Tries each tile and panel with the
// cost model and takes all other parameters from the model's rules. This finds the point with the
// lowest estimate without enumerating the space.

#include "Kernels/Winograd/Nodes.h"
#include "Kernels/Winograd/WinogradModel.h"

using namespace mlir;

namespace convoy::kernels {

static std::optional<Choice> choose(const WinogradModel &model, MLIRContext *context) {
  std::optional<Choice> best;
  for (int64_t tile : {2, 4}) {
    for (int64_t vectors : kPanelVectors) {
      if (!model.canCut(vectors)) {
        continue;
      }
      WinogradAttr config = model.configure(model.rule(tile, vectors), context);
      double cycles = model.cycles(config);
      if (!best || cycles < best->cycles) {
        best = Choice{config, {}, cycles};
      }
    }
  }
  return best;
}

bool canRunWinograd(const ConvProblem &p, int64_t tile) {
  return !p.isMatrix && p.groups == 1 && p.kernelRows == 3 && p.kernelColumns == 3 &&
         p.strideRows == 1 && p.strideColumns == 1 && p.dilationRows == 1 &&
         p.dilationColumns == 1 && !winogradPairs(tile).empty();
}

std::string whyNotWinograd(const ConvProblem &problem, bool isStrictMath) {
  if (!canRunWinograd(problem, /*tile=*/2)) {
    return "the kernel is not a 3 x 3 convolution with one group, stride 1 and dilation 1";
  }
  return isStrictMath ? "--math=strict excludes Winograd convolution" : "";
}

bool isForWinograd(const ConvProblem &problem, const Machine &machine) {
  return canRunWinograd(problem, 2) && problem.inputChannels >= machine.lanes() / 2;
}

std::optional<Choice> chooseWinograd(const ConvProblem &problem, const Machine &machine,
                                     MLIRContext *context) {
  return isForWinograd(problem, machine) ? choose(WinogradModel(problem, machine), context)
                                         : std::nullopt;
}

Attribute winogradWeights(WinogradAttr config) {
  return WinogradWeightsAttr::get(config.getContext(), config.getTile(),
                                  config.getVectors() * config.getBlock(), config.getPanels());
}

} // namespace convoy::kernels
