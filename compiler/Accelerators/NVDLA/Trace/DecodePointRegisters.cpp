// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the registers of SDP and CDP, the units with look-up tables.

#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "Accelerators/NVDLA/Trace/DecodeRegisters.h"

namespace convoy::nvdla {
namespace {

/// Decodes the table registers that both units have in common.
void decodeLut(const RegisterView &unit, LutTables &lut) {
  lut.isLeLinear = unit.bit("S_LUT_CFG", 0);
  lut.underflowTakesLo = unit.bit("S_LUT_CFG", 4);
  lut.overflowTakesLo = unit.bit("S_LUT_CFG", 5);
  lut.hybridTakesLo = unit.bit("S_LUT_CFG", 6);
  lut.leIndexOffset = int8_t(unit.bits("S_LUT_INFO", 0, 8));
  lut.leIndexSelect = int8_t(unit.bits("S_LUT_INFO", 8, 8));
  lut.loIndexSelect = int8_t(unit.bits("S_LUT_INFO", 16, 8));
  auto slope = [&](llvm::StringRef table, unsigned lsb, unsigned shiftLsb) {
    return LutTables::Slope{
        int16_t(unit.bits(("S_LUT_" + table + "_SLOPE_SCALE").str(), lsb, 16)),
        int8_t(unit.signedBits(("S_LUT_" + table + "_SLOPE_SHIFT").str(), shiftLsb, 5))};
  };
  lut.leUnderflow = slope("LE", 0, 0);
  lut.leOverflow = slope("LE", 16, 5);
  lut.loUnderflow = slope("LO", 0, 0);
  lut.loOverflow = slope("LO", 16, 5);
}

/// Names of a stage: BS and BRDMA, BN and NRDMA, EW and ERDMA.
struct StageNames {
  llvm::StringLiteral stage, rdma;

  std::string reg(llvm::StringRef rest) const { return ("D_DP_" + stage + rest).str(); }
};

void decodeOperands(const RegisterView &rdma, const StageNames &names, SdpStage &stage) {
  std::string config = ("D_" + names.rdma + "_CFG").str();
  std::string prefix = ("D_" + names.stage).str();
  SdpOperands &operands = stage.operands;
  operands.use = SdpOperands::Use(std::min<uint32_t>(rdma.bits(config, 1, 2), 2));
  operands.isTwoBytes = rdma.bit(config, 3);
  operands.isPerElement = rdma.bit(config, 4);
  operands.source = {rdma.address(prefix + "_BASE_ADDR_LOW", prefix + "_BASE_ADDR_HIGH"),
                     Port(rdma.bits(config, 5, 1)), rdma.word(prefix + "_LINE_STRIDE"),
                     rdma.word(prefix + "_SURFACE_STRIDE")};
}

/// Decodes the registers that X and Y have in common.
SdpStage decodeStage(const RegisterView &sdp, const RegisterView &rdma, const StageNames &names) {
  SdpStage stage;
  std::string config = names.reg("_CFG");
  stage.isBypassed = sdp.bit(config, 0);
  stage.isAluBypassed = sdp.bit(config, 1);
  stage.alu = AluOp(sdp.bits(config, 2, 2));
  stage.isMulBypassed = sdp.bit(config, 4);
  stage.isPrelu = sdp.bit(config, 5);
  stage.isAluFromMemory =
      !stage.isBypassed && !stage.isAluBypassed && sdp.bit(names.reg("_ALU_CFG"), 0);
  stage.isMulFromMemory =
      !stage.isBypassed && !stage.isMulBypassed && sdp.bit(names.reg("_MUL_CFG"), 0);
  stage.aluOperand = int32_t(sdp.word(names.reg("_ALU_SRC_VALUE")));
  stage.mulOperand = int32_t(sdp.word(names.reg("_MUL_SRC_VALUE")));
  decodeOperands(rdma, names, stage);
  return stage;
}

SdpStage decodeX(const RegisterView &sdp, const RegisterView &rdma, const StageNames &names) {
  SdpStage stage = decodeStage(sdp, rdma, names);
  stage.isReluBypassed = sdp.bit(names.reg("_CFG"), 6);
  stage.aluShift = sdp.bits(names.reg("_ALU_CFG"), 8, 6);
  stage.mulShift = sdp.bits(names.reg("_MUL_CFG"), 8, 8);
  return stage;
}

Converter decodeOperandConverter(const RegisterView &sdp, llvm::StringRef prefix) {
  return {!sdp.bit((prefix + "_CFG").str(), 1),
          int32_t(sdp.word((prefix + "_CVT_OFFSET_VALUE").str())),
          sdp.signedBits((prefix + "_CVT_SCALE_VALUE").str(), 0, 16),
          sdp.bits((prefix + "_CVT_TRUNCATE_VALUE").str(), 0, 6)};
}

SdpStage decodeY(const RegisterView &sdp, const RegisterView &rdma) {
  SdpStage stage = decodeStage(sdp, rdma, {"EW", "ERDMA"});
  stage.isLutBypassed = sdp.bit("D_DP_EW_CFG", 6);
  stage.mulShift = sdp.bits("D_DP_EW_TRUNCATE_VALUE", 0, 10);
  stage.aluConverter = decodeOperandConverter(sdp, "D_DP_EW_ALU");
  stage.mulConverter = decodeOperandConverter(sdp, "D_DP_EW_MUL");
  return stage;
}

} // namespace

bool readsOperands(const SdpJob &job) {
  for (const SdpStage *stage : {&job.x1, &job.x2, &job.y}) {
    if (stage->isAluFromMemory || stage->isMulFromMemory) {
      return true;
    }
  }
  return false;
}

SdpJob decodeSdp(const RegisterView &sdp, const RegisterView &rdma, const LutTables &tables) {
  SdpJob job;
  job.size = {sdp.size("D_DATA_CUBE_WIDTH"), sdp.size("D_DATA_CUBE_HEIGHT"),
              sdp.size("D_DATA_CUBE_CHANNEL")};
  job.inPrecision = Precision(rdma.bits("D_FEATURE_MODE_CFG", 2, 2));
  job.precision = Precision(sdp.bits("D_DATA_FORMAT", 0, 2));
  job.outPrecision = Precision(sdp.bits("D_DATA_FORMAT", 2, 2));
  job.isFromConv = sdp.bit("D_FEATURE_MODE_CFG", 0);
  job.isToPdp = sdp.bit("D_FEATURE_MODE_CFG", 1);
  job.batch = sdp.bits("D_FEATURE_MODE_CFG", 8, 5) + 1;
  job.source = {rdma.address("D_SRC_BASE_ADDR_LOW", "D_SRC_BASE_ADDR_HIGH"),
                Port(rdma.bits("D_SRC_DMA_CFG", 0, 1)), rdma.word("D_SRC_LINE_STRIDE"),
                rdma.word("D_SRC_SURFACE_STRIDE")};
  job.target = {sdp.address("D_DST_BASE_ADDR_LOW", "D_DST_BASE_ADDR_HIGH"),
                Port(sdp.bits("D_DST_DMA_CFG", 0, 1)), sdp.word("D_DST_LINE_STRIDE"),
                sdp.word("D_DST_SURFACE_STRIDE")};
  job.x1 = decodeX(sdp, rdma, {"BS", "BRDMA"});
  job.x2 = decodeX(sdp, rdma, {"BN", "NRDMA"});
  job.y = decodeY(sdp, rdma);
  job.lut = tables;
  decodeLut(sdp, job.lut);
  job.lut.leStart = int32_t(sdp.word("S_LUT_LE_START"));
  job.lut.leEnd = int32_t(sdp.word("S_LUT_LE_END"));
  job.lut.loStart = int32_t(sdp.word("S_LUT_LO_START"));
  job.lut.loEnd = int32_t(sdp.word("S_LUT_LO_END"));
  job.outConverter = {true, int32_t(sdp.word("D_CVT_OFFSET")), sdp.signedBits("D_CVT_SCALE", 0, 16),
                      sdp.bits("D_CVT_SHIFT", 0, 6)};
  return job;
}

CdpJob decodeCdp(const RegisterView &cdp, const RegisterView &rdma, const LutTables &tables) {
  CdpJob job;
  job.precision = Precision(cdp.bits("D_DATA_FORMAT", 0, 2));
  job.size = {rdma.size("D_DATA_CUBE_WIDTH"), rdma.size("D_DATA_CUBE_HEIGHT"),
              rdma.size("D_DATA_CUBE_CHANNEL")};
  job.source = {rdma.address("D_SRC_BASE_ADDR_LOW", "D_SRC_BASE_ADDR_HIGH"),
                Port(rdma.bits("D_SRC_DMA_CFG", 0, 1)), rdma.word("D_SRC_LINE_STRIDE"),
                rdma.word("D_SRC_SURFACE_STRIDE")};
  job.target = {cdp.address("D_DST_BASE_ADDR_LOW", "D_DST_BASE_ADDR_HIGH"),
                Port(cdp.bits("D_DST_DMA_CFG", 0, 1)), cdp.word("D_DST_LINE_STRIDE"),
                cdp.word("D_DST_SURFACE_STRIDE")};
  job.inConverter = {true, cdp.signedBits("D_DATIN_OFFSET", 0, 16),
                     cdp.signedBits("D_DATIN_SCALE", 0, 16), cdp.bits("D_DATIN_SHIFTER", 0, 5)};
  job.outConverter = {true, int32_t(cdp.word("D_DATOUT_OFFSET")),
                      cdp.signedBits("D_DATOUT_SCALE", 0, 16), cdp.bits("D_DATOUT_SHIFTER", 0, 6)};
  job.window = 2 * cdp.bits("D_LRN_CFG", 0, 2) + 3;
  job.isSquareSumBypassed = cdp.bit("D_FUNC_BYPASS", 0);
  job.isMulBypassed = cdp.bit("D_FUNC_BYPASS", 1);
  job.lut = tables;
  decodeLut(cdp, job.lut);
  // CDP takes its shifts modulo 64, with bit 5 as the sign.
  job.lut.leIndexSelect = int8_t(signExtend(uint8_t(job.lut.leIndexSelect), 6));
  job.lut.loIndexSelect = int8_t(signExtend(uint8_t(job.lut.loIndexSelect), 6));
  auto bound = [&](llvm::StringRef name) {
    return signExtend(cdp.address((name + "_LOW").str(), (name + "_HIGH").str()), 38);
  };
  job.lut.leStart = bound("S_LUT_LE_START");
  job.lut.leEnd = bound("S_LUT_LE_END");
  job.lut.loStart = bound("S_LUT_LO_START");
  job.lut.loEnd = bound("S_LUT_LO_END");
  return job;
}

} // namespace convoy::nvdla
