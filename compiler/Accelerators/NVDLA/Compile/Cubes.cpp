// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cube sizes and channel maps of values.

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

std::optional<CubeSize> cubeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  bool isCube = tensor && (tensor.getRank() == 4 || tensor.getRank() == 2) &&
                tensor.getDimSize(0) == 1 && tensor.getNumElements() > 0;
  if (!isCube) {
    return std::nullopt;
  }
  ArrayRef<int64_t> shape = tensor.getShape();
  auto dim = [&](size_t i) { return i < shape.size() ? uint32_t(shape[i]) : 1; };
  return CubeSize{dim(3), dim(2), dim(1)};
}

int64_t pixelSamples(Value value) {
  bool isReadOnce = isa<BlockArgument>(value) && value.hasOneUse();
  auto conv = isReadOnce ? dyn_cast<ConvOp>(*value.getUsers().begin()) : ConvOp();
  if (!conv || !conv.getImage()) {
    return 0;
  }
  return cubeOf(value.getType())->channels == 1 ? 1 : 4;
}

int64_t imageLineBytes(Value value) {
  constexpr uint64_t kAlignment = 32; // alignment of image rows in bytes
  CubeSize size = *cubeOf(value.getType());
  return int64_t(llvm::alignTo(uint64_t(size.width) * uint64_t(pixelSamples(value)) *
                                   bytesPerElement(precisionOf(value.getType())),
                               kAlignment));
}

ChannelMap identityMap(int64_t channels) {
  ChannelMap map(channels);
  for (int64_t c = 0; c < channels; ++c) {
    map[c] = c;
  }
  return map;
}

static ChannelMap joinedMap(JoinOp join, int64_t lanes) {
  ChannelMap map;
  int64_t base = 0;
  for (Value input : join.getInputs()) {
    ChannelMap part = channelMapOf(input, lanes);
    for (int64_t position : part) {
      map.push_back(base + position);
    }
    base += int64_t(llvm::alignTo(physicalChannels(part), lanes));
  }
  return map;
}

/// Returns the channel map of a view. Offsets count tensor channels; the map starts at 0 again.
static ChannelMap viewedMap(ViewOp view, int64_t lanes) {
  ChannelMap input = channelMapOf(view.getInput(), lanes);
  int64_t first = view.getOffsets()[0];
  int64_t count = cubeOf(view.getType())->channels;
  ChannelMap map(input.begin() + first, input.begin() + first + count);
  int64_t base = map.front();
  for (int64_t &position : map) {
    position -= base;
  }
  return map;
}

ChannelMap channelMapOf(Value value, int64_t lanes) {
  auto own = [&] { return identityMap(cubeOf(value.getType())->channels); };
  Operation *op = value.getDefiningOp();
  if (!op) {
    return own();
  }
  return llvm::TypeSwitch<Operation *, ChannelMap>(op)
      .Case([&](JoinOp join) { return joinedMap(join, lanes); })
      .Case([&](ViewOp view) { return viewedMap(view, lanes); })
      .Case([&](SdpOp sdp) { return channelMapOf(sdp.getSource(), lanes); })
      .Case([&](PdpOp pdp) { return channelMapOf(pdp.getInput(), lanes); })
      .Default([&](Operation *) { return own(); });
}

bool hasGaps(Value value, const HardwareConfig &config) {
  ChannelMap map = channelMapOf(value, lanesOf(config, precisionOf(value.getType())));
  return physicalChannels(map) != static_cast<int64_t>(map.size());
}

bool isWrittenHere(Value value) {
  return isa_and_nonnull<SdpOp, PdpOp, CdpOp, TableCdpOp, ContractOp, MergeOp, TurnOp, JoinOp>(
      value.getDefiningOp());
}

bool isJoined(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) { return isa<JoinOp>(user); });
}

} // namespace convoy::nvdla
