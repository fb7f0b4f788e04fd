// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes register values to jobs. Loadable/DecodeDescriptors.h decodes the same jobs from
// descriptors. In traces, the registers of disabled stages hold random values and are not read.

#pragma once

#include "Accelerators/NVDLA/Simulator/Jobs.h"
#include "Accelerators/NVDLA/Trace/Registers.h"

namespace convoy::nvdla {

ConvJob decodeConv(const RegisterView &cdma, const RegisterView &csc, const RegisterView &cacc);
SdpJob decodeSdp(const RegisterView &sdp, const RegisterView &rdma, const LutTables &tables);
PdpJob decodePdp(const RegisterView &pdp, const RegisterView &rdma);
CdpJob decodeCdp(const RegisterView &cdp, const RegisterView &rdma, const LutTables &tables);
RubikJob decodeRubik(const RegisterView &rubik);
BdmaJob decodeBdma(const RegisterView &bdma);

/// Returns whether an active stage reads operands from memory, so that SDP waits for SDP_RDMA.
bool readsOperands(const SdpJob &job);

} // namespace convoy::nvdla
