// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engines of NVDLA as functions from a job to memory: bit-exact for integers, no timing.
// A job that the hardware could not mean (no pixels, a kernel past its limits) is an error.

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

/// `fromConv` is what CONV gave when the job takes its input from there. Returns what goes to PDP,
/// empty when the job writes to memory.
llvm::Expected<Stream> runSdp(const SdpJob &job, const Machine &machine, const Stream *fromConv,
                              LutCounters *counters = nullptr);
llvm::Error runPdp(const PdpJob &job, const Machine &machine, const Stream *fromSdp);
llvm::Error runCdp(const CdpJob &job, const Machine &machine, LutCounters *counters = nullptr);
llvm::Error runRubik(const RubikJob &job, const Machine &machine);
llvm::Error runBdma(const BdmaJob &job, const Machine &machine);

/// CONV, SDP and PDP of one fused job in turn.
llvm::Error runFused(const FusedJob &job, const Machine &machine);

} // namespace convoy::nvdla
