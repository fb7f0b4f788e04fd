// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of all values of a function of nvdla ops. A value is stored in the memory of an input
// or output, or in the common memory of activations, which values share by live range.

#pragma once

#include "Accelerators/NVDLA/Compile/Cubes.h"
#include "Memory/Planner/Planner.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace convoy::nvdla {

/// The place of a cube. `buffer` is an index into PlacedCubes.
struct CubePlace {
  size_t buffer = 0;
  int64_t offset = 0;
  int64_t lineStride = 0, surfaceStride = 0;
  CubeSize size; // with the number of memory channels
};

struct CubeBuffer {
  enum class Kind { Activation, Input, Output } kind = Kind::Activation;
  /// Number of the input or output.
  size_t index = 0;
  int64_t bytes = 0;
  /// Offset in the memory of activations.
  int64_t offset = 0;
};

class PlacedCubes {
public:
  PlacedCubes(mlir::Block &block, const HardwareConfig &config);

  const CubePlace &operator[](mlir::Value value) const { return places.find(value)->second; }
  const CubeBuffer &buffer(size_t index) const { return buffers[index]; }
  llvm::ArrayRef<CubeBuffer> all() const { return buffers; }
  int64_t activationBytes() const { return bytes; }

private:
  CubeSize physicalSize(mlir::Value value) const;
  void own(mlir::Value value, CubeBuffer::Kind kind, size_t index);
  void ownPlanes(mlir::Value value);
  void place(mlir::Value value);
  void placeJoined(mlir::Value join);
  void placeView(mlir::Value view);
  void planActivations(mlir::Block &block);

  const HardwareConfig &config;
  llvm::DenseMap<mlir::Value, CubePlace> places;
  std::vector<CubeBuffer> buffers;
  int64_t bytes = 0;
  /// Bytes; feature surfaces need 32 in all configurations, planes need 64.
  int64_t alignment = 32;
};

} // namespace convoy::nvdla
