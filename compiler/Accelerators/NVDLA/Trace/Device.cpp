// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Determines the units of a job. A convolution needs CDMA, CSC, CMAC and CACC and the SDP that
// takes the result. Read units take part if there is data to read.

#include "Accelerators/NVDLA/Trace/Device.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {

static constexpr llvm::StringRef kConvUnits[] = {"CDMA", "CSC", "CMAC_A", "CMAC_B", "CACC"};

UnitRegisters &Device::unit(llvm::StringRef name) {
  return units.try_emplace(name.str(), name).first->second;
}

RegisterView Device::view(llvm::StringRef name) {
  UnitRegisters &registers = unit(name);
  return RegisterView(registers, registers.consumer);
}

bool Device::isReady(llvm::StringRef name) {
  UnitRegisters &registers = unit(name);
  return registers.isEnabled[registers.consumer];
}

void Device::finish(llvm::ArrayRef<llvm::StringRef> names) {
  for (llvm::StringRef name : names) {
    UnitRegisters &registers = unit(name);
    registers.isEnabled[registers.consumer] = false;
    registers.consumer ^= 1;
    ++completed[name.str()];
  }
}

unsigned Device::completions(llvm::StringRef name) const {
  auto found = completed.find(name.str());
  return found == completed.end() ? 0 : found->second;
}

/// Writes to the table entry of the current address and increments the address up to the last
/// entry.
void Device::writeLut(llvm::StringRef name, LutTables &tables, uint32_t value) {
  UnitRegisters &registers = unit(name);
  uint32_t access = registers.read("S_LUT_ACCESS_CFG", 0);
  bool isLo = access >> 16 & 1, isWrite = access >> 17 & 1;
  uint32_t last = isLo ? 256 : 64, entry = std::min(access & 0x3ff, last);
  if (!isWrite) {
    return;
  }
  (isLo ? tables.lo[entry] : tables.le[entry]) = int16_t(value);
  registers.write("S_LUT_ACCESS_CFG", (access & ~0x3ffU) | std::min(entry + 1, last));
}

llvm::Error Device::write(llvm::StringRef unitName, llvm::StringRef name, uint32_t value) {
  UnitRegisters &registers = unit(unitName);
  if (name == "S_LUT_ACCESS_DATA" && (unitName == "SDP" || unitName == "CDP")) {
    writeLut(unitName, unitName == "SDP" ? sdpTables : cdpTables, value);
    return llvm::Error::success();
  }
  registers.write(name, value);
  if (name == "D_OP_ENABLE") {
    registers.isEnabled[registers.producer()] = value & 1;
    return launch();
  }
  if (unitName == "BDMA" && name == "CFG_OP" && value & 1) {
    // The copy runs when it is queued, because nothing can observe the memory before the launch.
    return runBdma(decodeBdma(view("BDMA")), machine);
  }
  if (unitName == "BDMA" && name.starts_with("CFG_LAUNCH") && value & 1) {
    ++completed["BDMA"];
  }
  return llvm::Error::success();
}

llvm::Expected<bool> Device::launchSdp() {
  if (!isReady("SDP")) {
    return false;
  }
  FusedJob job;
  job.sdp = decodeSdp(view("SDP"), view("SDP_RDMA"), sdpTables);
  std::vector<llvm::StringRef> names = {"SDP"};
  if (!job.sdp->isFromConv || readsOperands(*job.sdp)) {
    names.push_back("SDP_RDMA");
  }
  if (job.sdp->isFromConv) {
    names.insert(names.end(), std::begin(kConvUnits), std::end(kConvUnits));
  }
  if (job.sdp->isToPdp) {
    names.push_back("PDP");
  }
  if (!llvm::all_of(names, [&](llvm::StringRef name) { return isReady(name); })) {
    return false;
  }
  if (job.sdp->isFromConv) {
    job.conv = decodeConv(view("CDMA"), view("CSC"), view("CACC"));
    if (job.conv->isImage) {
      images.push_back(job.conv->source.address);
    }
  }
  if (job.sdp->isToPdp) {
    job.pdp = decodePdp(view("PDP"), view("PDP_RDMA"));
  }
  if (llvm::Error error = runFused(job, machine)) {
    return error;
  }
  finish(names);
  return true;
}

llvm::Expected<bool> Device::launchOthers() {
  if (isReady("CDP") && isReady("CDP_RDMA")) {
    if (llvm::Error error = runCdp(decodeCdp(view("CDP"), view("CDP_RDMA"), cdpTables), machine)) {
      return error;
    }
    finish({"CDP", "CDP_RDMA"});
    return true;
  }
  if (isReady("PDP") && isReady("PDP_RDMA")) {
    PdpJob job = decodePdp(view("PDP"), view("PDP_RDMA"));
    if (!job.isFromSdp) {
      if (llvm::Error error = runPdp(job, machine, nullptr)) {
        return error;
      }
      finish({"PDP", "PDP_RDMA"});
      return true;
    }
  }
  if (isReady("RBK")) {
    if (llvm::Error error = runRubik(decodeRubik(view("RBK")), machine)) {
      return error;
    }
    finish({"RBK"});
    return true;
  }
  return false;
}

llvm::Error Device::launch() {
  while (true) {
    llvm::Expected<bool> sdp = launchSdp();
    if (!sdp) {
      return sdp.takeError();
    }
    llvm::Expected<bool> others = launchOthers();
    if (!others) {
      return others.takeError();
    }
    if (!*sdp && !*others) {
      return llvm::Error::success();
    }
  }
}

} // namespace convoy::nvdla
