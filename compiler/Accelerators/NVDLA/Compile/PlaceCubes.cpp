// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns a buffer and an offset to each value. Joins are placed first, from last to first, because
// the place of a join determines where its inputs are written. All other values have their own
// buffers. A view shares the buffer of its input. A cube that a Winograd job writes or reads as an
// operand is padded to whole tiles, as is a cube whose rows RUBIK turns.

#include "Accelerators/NVDLA/Compile/PlaceCubes.h"
#include "Accelerators/NVDLA/Compile/ConvParts.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Graph/Graph.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

/// Returns whether a value is stored in memory. CONV passes sums to SDP, and SDP passes marked
/// results to PDP, without memory.
static bool isInMemory(Value value) {
  Operation *op = value.getDefiningOp();
  auto sdp = dyn_cast_or_null<SdpOp>(op);
  return !op ||
         isa<PdpOp, CdpOp, TableCdpOp, ContractOp, SplitOp, MergeOp, TurnOp, JoinOp, ViewOp>(op) ||
         (sdp && !sdp.getToPdp());
}

static bool isTiled(Operation *op) {
  auto sdp = dyn_cast_or_null<SdpOp>(op);
  auto conv = sdp ? sdp.getSource().getDefiningOp<ConvOp>() : ConvOp();
  return conv && conv.getWinograd();
}

/// Returns whether a turn reads or writes rows of the cube as planes, and the rows need an even
/// number of atoms.
static bool hasEvenRows(Value value) {
  auto isOwn = [&](Operation *op) {
    auto turn = dyn_cast_or_null<TurnOp>(op);
    return turn && value == (turn.getToLast() ? turn.getInput() : turn.getResult());
  };
  return isOwn(value.getDefiningOp()) || llvm::any_of(value.getUsers(), isOwn);
}

/// Returns whether a cube is written in tiles, a stage reads it in tiles, or this holds for an
/// input of the join that defines it.
static bool needsTiles(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto join = dyn_cast_or_null<JoinOp>(op)) {
    if (llvm::any_of(join.getInputs(), needsTiles)) {
      return true;
    }
  }
  return isTiled(op) || llvm::any_of(value.getUsers(), isTiled) || hasEvenRows(value);
}

PlacedCubes::PlacedCubes(mlir::Block &block, const HardwareConfig &config) : config(config) {
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    own(argument, CubeBuffer::Kind::Input, i);
  }
  for (auto [i, result] : llvm::enumerate(block.getTerminator()->getOperands())) {
    own(result, CubeBuffer::Kind::Output, i);
  }
  for (Operation &op : llvm::reverse(block)) {
    if (isa<JoinOp>(op)) {
      place(op.getResult(0));
      placeJoined(op.getResult(0));
    }
  }
  for (Operation &op : block) {
    if (isa<SplitOp>(op)) {
      ownPlanes(op.getResult(0));
    } else if (isa<SdpOp, PdpOp, CdpOp, TableCdpOp, ContractOp, MergeOp, TurnOp>(op) &&
               isInMemory(op.getResult(0))) {
      place(op.getResult(0));
    } else if (isa<ViewOp>(op)) {
      placeView(op.getResult(0));
    }
  }
  planActivations(block);
}

CubeSize PlacedCubes::physicalSize(Value value) const {
  CubeSize size = *cubeOf(value.getType());
  int64_t lanes = lanesOf(config, precisionOf(value.getType()));
  size.channels = uint32_t(physicalChannels(channelMapOf(value, lanes)));
  return size;
}

void PlacedCubes::own(Value value, CubeBuffer::Kind kind, size_t index) {
  CubePlace place;
  place.buffer = buffers.size();
  place.size = physicalSize(value);
  bool hasTiles = kind == CubeBuffer::Kind::Activation && needsTiles(value);
  auto tiled = [&](int64_t size) { return hasTiles ? inTiles(size) : size; };
  place.lineStride = tiled(place.size.width) * config.atomBytes;
  place.surfaceStride = place.lineStride * tiled(place.size.height);
  int64_t lanes = lanesOf(config, precisionOf(value.getType()));
  int64_t surfaces = int64_t(llvm::divideCeil(place.size.channels, uint64_t(lanes)));
  CubeBuffer buffer;
  buffer.kind = kind;
  buffer.index = index;
  buffer.bytes = surfaces * place.surfaceStride;
  if (int64_t samples = pixelSamples(value)) {
    place.size.channels = uint32_t(samples);
    place.lineStride = imageLineBytes(value);
    place.surfaceStride = buffer.bytes = place.lineStride * place.size.height;
  }
  buffers.push_back(buffer);
  places[value] = place;
}

void PlacedCubes::ownPlanes(Value value) {
  CubeBuffer buffer;
  buffer.bytes = cast<RankedTensorType>(value.getType()).getNumElements() *
                 bytesPerElement(precisionOf(value.getType()));
  places[value].buffer = buffers.size();
  buffers.push_back(buffer);
  alignment = 64;
}

void PlacedCubes::place(Value value) {
  if (!places.count(value)) {
    own(value, CubeBuffer::Kind::Activation, 0);
  }
}

void PlacedCubes::placeJoined(Value join) {
  int64_t lanes = lanesOf(config, precisionOf(join.getType()));
  int64_t surface = 0;
  for (Value input : cast<JoinOp>(join.getDefiningOp()).getInputs()) {
    CubePlace place = places[join];
    place.offset += surface * place.surfaceStride;
    place.size = physicalSize(input);
    surface += int64_t(llvm::divideCeil(place.size.channels, uint64_t(lanes)));
    places[input] = place;
  }
}

void PlacedCubes::placeView(Value value) {
  auto view = cast<ViewOp>(value.getDefiningOp());
  CubePlace place = places[view.getInput()];
  int64_t lanes = lanesOf(config, precisionOf(value.getType()));
  ArrayRef<int64_t> offsets = view.getOffsets();
  int64_t channel = channelMapOf(view.getInput(), lanes)[offsets[0]];
  place.offset += channel / lanes * place.surfaceStride + offsets[1] * place.lineStride +
                  offsets[2] * config.atomBytes;
  place.size = physicalSize(value);
  places[value] = place;
}

void PlacedCubes::planActivations(mlir::Block &block) {
  std::vector<memory::Block> blocks(buffers.size(), {0, INT64_MAX, -1});
  int64_t step = 0;
  for (Operation &op : block) {
    auto touch = [&](Value value) {
      auto found = places.find(value);
      if (found != places.end()) {
        memory::Block &lifetime = blocks[found->second.buffer];
        lifetime.first = std::min(lifetime.first, step);
        lifetime.last = std::max(lifetime.last, step);
      }
    };
    if (isa<JoinOp, ViewOp, graph::ConstantOp>(op)) {
      continue; // no step: constants may stand between a CONV and its SDP
    }
    llvm::for_each(op.getOperands(), touch);
    llvm::for_each(op.getResults(), touch);
    // CONV reads while its SDP writes, and SDP reads while its PDP writes, so they share one step.
    auto sdp = dyn_cast<SdpOp>(op);
    bool sharesStep = isa<ConvOp>(op) || (sdp && sdp.getToPdp());
    step += sharesStep ? 0 : 1;
  }
  std::vector<memory::Block> planned;
  std::vector<size_t> owners;
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    if (buffer.kind == CubeBuffer::Kind::Activation && blocks[i].last >= 0) {
      blocks[i].bytes = buffer.bytes;
      planned.push_back(blocks[i]);
      owners.push_back(i);
    }
  }
  bytes = memory::planMemory(planned, alignment);
  for (auto [i, block] : llvm::zip(owners, planned)) {
    buffers[i].offset = block.offset;
  }
}

} // namespace convoy::nvdla
