// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jobs from register values: the first of two decoders. Registers of stages that are off hold
// random values in traces and are not looked at.

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

/// True when an active stage reads operands, so that SDP waits for SDP_RDMA.
bool readsOperands(const SdpJob &job);

} // namespace convoy::nvdla
