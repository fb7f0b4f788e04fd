// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of the units that process each point of a cube once: SDP, PDP and CDP.

#pragma once

#include "Accelerators/NVDLA/Compile/TaskWriter.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"

namespace convoy::nvdla {

class PointDescriptors {
public:
  explicit PointDescriptors(TaskWriter &writer) : writer(writer), config(writer.config) {}

  /// Returns the descriptor without its source.
  SdpDescriptor sdp(SdpOp op, const CubePart &part);
  PdpDescriptor pdp(PdpOp op);
  CdpDescriptor cdp(CdpOp op);
  CdpDescriptor tableCdp(TableCdpOp op);

private:
  CubeDescriptor setStage(std::optional<StageAttr> attr, mlir::Value data, const CubePart &part,
                          SdpStageDescriptor &stage);
  CubeDescriptor kernelOperands(const Tensor &operands, const CubePart &part);
  int16_t lutOf(SdpOp sdp);
  void setCubes(mlir::Operation *op, CdpDescriptor &d);
  int16_t addLut(const LutDescriptor &lut);

  TaskWriter &writer;
  const HardwareConfig &config;
  llvm::DenseMap<mlir::Operation *, int16_t> luts;
};

} // namespace convoy::nvdla
