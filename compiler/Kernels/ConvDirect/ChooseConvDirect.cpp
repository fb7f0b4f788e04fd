// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the configuration of conv_direct without measurements. Tries each register tile with the
// cost model and takes all other parameters from the model's rules. This finds the point with the
// lowest estimate without enumerating the space.

#include "Kernels/ConvDirect/ConvDirectModel.h"

using namespace mlir;

namespace convoy::kernels {

std::optional<Choice> ConvDirectModel::choose(MLIRContext *context) const {
  std::optional<Choice> best;
  for (int64_t vectors : kTileVectors) {
    int64_t pixels = mostPixels(vectors);
    auto rows = pixels < 1 || !canCut(vectors) ? std::nullopt : planRows(vectors, pixels);
    if (!rows) {
      continue;
    }
    double cycles = totalCycles(rows->cycles, vectors);
    if (!best || cycles < best->cycles) {
      best = {configure(rule(vectors, pixels, rows->columns), context), {}, cycles};
    }
  }
  return best;
}

int64_t depthBlockOf(const ConvProblem &problem, InputLayout input, int64_t block) {
  if (input != InputLayout::Planar) {
    return block;
  }
  bool isLong = block * 4 >= kLongVectorBytes;
  return isLong ? problem.inputChannels : std::min(problem.inputChannels, block);
}

bool canRunConvDirect(const ConvProblem &problem, InputLayout input, const Machine &machine) {
  int64_t block = machine.lanes();
  bool cutsGroups = problem.groups > 1 &&
                    (problem.inputChannels % block != 0 || problem.outputChannels % block != 0);
  // The code unrolls planar channels one by one. With many channels a reorder is cheaper, unless
  // vectors are long.
  bool isTooDeep =
      input == InputLayout::Planar && problem.inputChannels > block && !machine.hasLongVectors();
  return !cutsGroups && !isTooDeep && (input != InputLayout::Planar || problem.groups == 1);
}

std::string whyNotConvDirect(const ConvKernel &kernel, Block &body, ConvDirectAttr config,
                             InputLayout input) {
  const ConvProblem &p = kernel.problem;
  int64_t block = config.getBlock();
  int64_t blocks = (p.outputChannels + block - 1) / block;
  int64_t depthBlock = depthBlockOf(p, input, block);
  int64_t columns = config.getColumns();
  if (p.groups > 1 && (p.inputChannels % block != 0 || p.outputChannels % block != 0 ||
                       input == InputLayout::Planar)) {
    return "the channels of a group are not whole blocks";
  }
  if (config.getVectors() > blocks || (p.groups > 1 && blocks % config.getVectors() != 0)) {
    return "the kernel has " + std::to_string(blocks) +
           " blocks of output channels, which tiles of " + std::to_string(config.getVectors()) +
           " blocks do not fit";
  }
  if (config.getDepth() % depthBlock != 0) {
    return "depth is not a multiple of a block of " + std::to_string(depthBlock) +
           " input channels";
  }
  bool isJoined = columns % p.outputColumns == 0 &&
                  (columns == 0 || p.outputRows * p.outputColumns % columns == 0);
  bool canJoin = p.isPointwise() && isEpilogueFlat(kernel, body);
  if (p.isMatrix && columns != 0 && p.outputColumns % columns != 0) {
    return "a matrix of " + std::to_string(p.outputColumns) +
           " rows cannot be split into parts of columns = " + std::to_string(columns);
  }
  if (!p.isMatrix && columns != 0 && (!isJoined || !canJoin)) {
    return "rows of " + std::to_string(p.outputColumns) +
           " pixels cannot be joined to columns = " + std::to_string(columns);
  }
  return "";
}

std::optional<Choice> chooseConvDirect(const ConvProblem &problem, InputLayout input, bool isFlat,
                                       const Machine &machine, MLIRContext *context) {
  if (!canRunConvDirect(problem, input, machine)) {
    return std::nullopt;
  }
  return ConvDirectModel(problem, input, isFlat, machine).choose(context);
}

Attribute convDirectWeights(const ConvProblem &problem, ConvDirectAttr config, InputLayout input) {
  int64_t depthBlock = depthBlockOf(problem, input, config.getBlock());
  return ConvWeightsAttr::get(config.getContext(), config.getVectors() * config.getBlock(),
                              depthBlock, problem.isMatrix);
}

} // namespace convoy::kernels
