// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BDMA: copies lines of surfaces between memories.

#include "Accelerators/NVDLA/Simulator/Engines.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"

namespace convoy::nvdla {

llvm::Error runBdma(const BdmaJob &job, const Machine &machine) {
  constexpr uint64_t kMaxBytes = uint64_t(1) << 32;
  if (job.lineBytes > kMaxBytes || job.lines > kMaxBytes || job.surfaces > kMaxBytes ||
      Wide(job.lineBytes) * job.lines * job.surfaces > kMaxBytes) {
    return llvm::createStringError("BDMA copies more than 4 GiB; at most 4 GiB are supported");
  }
  if (job.lineBytes == 0) {
    return llvm::Error::success();
  }
  for (uint64_t surface = 0; surface < job.surfaces; ++surface) {
    for (uint64_t line = 0; line < job.lines; ++line) {
      uint64_t from = job.source + surface * job.sourceSurfaceStride + line * job.sourceLineStride;
      uint64_t to = job.target + surface * job.targetSurfaceStride + line * job.targetLineStride;
      machine.memory.write(job.targetPort, to,
                           machine.memory.copy(job.sourcePort, from, job.lineBytes));
    }
  }
  return machine.memory.takeFault();
}

} // namespace convoy::nvdla
