// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the operations of CONV with the SDP and the PDP that run at the same time.

#pragma once

#include "Accelerators/NVDLA/Compile/PointDescriptors.h"

namespace convoy::nvdla {

class ConvJobs {
public:
  ConvJobs(TaskWriter &writer, PointDescriptors &points, const NvdlaOptions &options)
      : writer(writer), points(points), options(options), config(writer.config) {}

  /// Emits one group for each part and band of the convolution. Emits an error if a part does not
  /// fit in the convolution buffer.
  mlir::LogicalResult emitConv(ConvOp conv, SdpOp sdp);

private:
  CubeDescriptor weightCube(std::vector<uint8_t> packed, const ConvShape &shape,
                            const ConvPart &part);
  void keepWeights(ConvDescriptor &d);
  void emitFused(const ConvDescriptor &conv, SdpOp sdp, const CubePart &part);

  TaskWriter &writer;
  PointDescriptors &points;
  const NvdlaOptions &options;
  const HardwareConfig &config;
  std::optional<size_t> lastConv;
};

} // namespace convoy::nvdla
