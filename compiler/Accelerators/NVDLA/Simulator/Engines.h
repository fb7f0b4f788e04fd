// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engines of NVDLA as functions from a job to memory: bit-exact for integers, without timing. A
// job that is invalid for the hardware, for example without pixels, is an error.

#pragma once

#include "Accelerators/NVDLA/Simulator/HardwareConfig.h"
#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "llvm/Support/Error.h"

namespace convoy::nvdla {

struct Machine {
  const HardwareConfig &config;
  Memory &memory;
};

llvm::Expected<Stream> runConv(const ConvJob &job, const Machine &machine);

/// Runs SDP. `fromConv` is the result of CONV if the job takes its input from it. Returns the
/// stream for PDP, empty if the job writes to memory.
llvm::Expected<Stream> runSdp(const SdpJob &job, const Machine &machine, const Stream *fromConv,
                              LutCounters *counters = nullptr);
llvm::Error runPdp(const PdpJob &job, const Machine &machine, const Stream *fromSdp);
llvm::Error runCdp(const CdpJob &job, const Machine &machine, LutCounters *counters = nullptr);
llvm::Error runRubik(const RubikJob &job, const Machine &machine);
llvm::Error runBdma(const BdmaJob &job, const Machine &machine);

/// Runs CONV, SDP and PDP of one fused job in order.
llvm::Error runFused(const FusedJob &job, const Machine &machine);

} // namespace convoy::nvdla
