// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The task of a loadable under construction: places of cubes, constants, operations and groups.
// Memory 1 holds constants and memory 2 holds activations; each input and output has a memory of
// its own.

#pragma once

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/PackWeights.h"
#include "Accelerators/NVDLA/Compile/PlaceCubes.h"

namespace convoy::nvdla {

/// A range of channels (in whole atoms) and rows of a cube.
struct CubePart {
  int64_t firstChannel = 0, channels = 0, firstRow = 0, rows = 0;
};

/// Returns the number of the pixel format of an image, R8, R16_F, X8B8G8R8 or A16B16G16R16_F: the
/// formats whose samples are in channel order.
uint8_t pixelFormatOf(int64_t samples, Precision precision);

/// Returns the descriptor of a cube that one engine passes directly to another.
CubeDescriptor streamOf(int64_t width, int64_t height, int64_t channels);

class TaskWriter {
public:
  TaskWriter(mlir::Block &block, const HardwareConfig &config)
      : config(config), places(block, config), inputs(block.getNumArguments()) {}

  CubeDescriptor cubeOfPart(mlir::Value value, const CubePart &part) const;
  CubePart wholeOf(mlir::Value value) const;

  /// Returns the descriptor of planes from element `offset` on, without sizes and strides.
  CubeDescriptor planesAt(mlir::Value planes, int64_t offset) const;

  /// Stores the bytes with the constants.
  CubeDescriptor constantCube(std::vector<uint8_t> bytes, uint32_t alignment);

  /// Starts the layer of the ops at `loc`, to which the next groups belong.
  void beginLayer(mlir::Location loc);
  size_t addOp(const EngineDescriptor &descriptor);
  void addGroup(std::vector<size_t> ops);

  const HardwareConfig &config;
  const PlacedCubes places;
  ConstantRegion constants;
  DlaTask task;
  std::vector<std::string> layers;
  std::vector<EmittedGroup> groups;

private:
  size_t inputs;
};

} // namespace convoy::nvdla
