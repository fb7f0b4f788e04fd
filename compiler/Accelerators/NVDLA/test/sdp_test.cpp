// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests SDP's arithmetic that no published trace covers: table lookups, rounding of the output
// converter, operands of two bytes and in pairs. Numbers in brackets refer to the facts in
// docs/targets/nvdla.md.

#include "Accelerators/NVDLA/Simulator/Engines.h"
#include "Accelerators/NVDLA/Simulator/Lut.h"
#include "Accelerators/NVDLA/Simulator/SdpArithmetic.h"
#include <gtest/gtest.h>

using namespace convoy::nvdla;

namespace {

SdpStage activeStage() {
  SdpStage stage;
  stage.isBypassed = false;
  return stage;
}

TEST(SdpX, ShiftsTheAluOperandAndSaturatesIt) { // [3.1.2]
  SdpStage stage = activeStage();
  stage.isAluBypassed = false;
  stage.aluShift = 4;
  EXPECT_EQ(applyX(stage, 100, 3, 0), 148);
  EXPECT_EQ(applyX(stage, 100, 0x10003, 0), 148); // only the low 16 bits count [3.1.1]
  stage.aluShift = 20;
  stage.alu = AluOp::Max;
  EXPECT_EQ(applyX(stage, 5, 0x7fff, 0), INT32_MAX);
  stage.alu = AluOp::Min;
  EXPECT_EQ(applyX(stage, 5, -0x8000, 0), INT32_MIN);
}

TEST(SdpX, ShiftsWithoutAProduct) { // [3.1.5]
  SdpStage stage = activeStage();
  stage.mulShift = 1;
  EXPECT_EQ(applyX(stage, 5, 0, 0), 3);
  EXPECT_EQ(applyX(stage, -5, 0, 0), -3);
  stage.mulShift = 65; // only six bits count
  EXPECT_EQ(applyX(stage, 5, 0, 0), 3);
  stage.isBypassed = true;
  EXPECT_EQ(applyX(stage, 5, 0, 0), 5);
}

TEST(SdpX, PreluSkipsProductAndShiftAndWraps) { // [3.1.4]
  SdpStage stage = activeStage();
  stage.isMulBypassed = false;
  stage.isPrelu = true;
  stage.mulShift = 1;
  EXPECT_EQ(applyX(stage, 9, 0, 100), 9);
  EXPECT_EQ(applyX(stage, -9, 0, 3), -14); // -13.5
  stage.isAluBypassed = false;
  EXPECT_EQ(applyX(stage, INT32_MAX, 1, 100), INT32_MIN);
}

TEST(SdpY, MultipliesBeforeItAdds) { // [3.2]
  SdpStage stage = activeStage();
  stage.isMulBypassed = stage.isAluBypassed = false;
  stage.mulShift = 1;
  EXPECT_EQ(applyY(stage, 10, 7, 3), 22);
  stage.isMulBypassed = true; // without a product there is no shift
  EXPECT_EQ(applyY(stage, 5, 7, 3), 12);
  stage.alu = AluOp::Equal;
  EXPECT_EQ(applyY(stage, 5, 5, 0), 0);
  EXPECT_EQ(applyY(stage, 5, 6, 0), 1);
}

LutTables emptyTables() {
  LutTables lut;
  // Moves LO far away, so that LE decides.
  lut.loStart = INT32_MAX;
  return lut;
}

TEST(SdpLut, InterpolatesExponentialSteps) { // [3.3.1] [3.3.4]
  LutTables lut = emptyTables();
  lut.le[0] = 5;
  lut.le[3] = 100;
  lut.le[4] = 201;
  EXPECT_EQ(lookUpSdp(lut, 12), 151); // 150.5
  EXPECT_EQ(lookUpSdp(lut, 1), 5);
  lut.le[3] = -100;
  lut.le[4] = -201;
  EXPECT_EQ(lookUpSdp(lut, 12), -151);
}

TEST(SdpLut, RoundsTheSumOnceWhereCdpRoundsTheDifference) { // [3.3.4] [2.6c]
  LutTables lut = emptyTables();
  lut.le[3] = -3;
  lut.le[4] = 0;
  EXPECT_EQ(lookUpSdp(lut, 12), -2);
  EXPECT_EQ(lookUpCdp(lut, 12), -1);
}

TEST(SdpLut, InterpolatesLinearSteps) { // [3.3.2]
  LutTables lut = emptyTables();
  lut.leStart = INT32_MAX;
  lut.loStart = 10;
  lut.loIndexSelect = 2;
  lut.lo[1] = 7;
  lut.lo[2] = 10;
  EXPECT_EQ(lookUpSdp(lut, 15), 8); // 7.75
  lut.loIndexSelect = -1;
  EXPECT_EQ(lookUpSdp(lut, 11), 10); // entry 2, no fraction
  lut.isLeLinear = true;
  lut.leStart = 0;
  lut.leIndexSelect = 3;
  lut.loStart = INT32_MAX;
  lut.le[63] = 20;
  lut.le[64] = 28;
  EXPECT_EQ(lookUpSdp(lut, 63 * 8 + 4), 24);
}

TEST(SdpLut, GoesOnAlongTheSlopes) { // [3.3.5]
  LutTables lut = emptyTables();
  lut.isLeLinear = true;
  lut.leStart = 0;
  lut.leIndexSelect = 0;
  lut.leEnd = 70; // the register's value, not 64
  lut.le[0] = 10;
  lut.le[64] = 20;
  lut.leUnderflow = {3, 1};
  lut.leOverflow = {5, -1};
  EXPECT_EQ(lookUpSdp(lut, -1), 8); // 10 - 1.5
  EXPECT_EQ(lookUpSdp(lut, 0), 10); // the start itself underflows
  lut.overflowTakesLo = lut.hybridTakesLo = false;
  EXPECT_EQ(lookUpSdp(lut, 80), 120); // 20 + 10 * 5 * 2
}

TEST(SdpLut, ExponentialUnderflowBeginsAtTwoToTheOffset) { // [3.3.5] [2.6a]
  LutTables lut = emptyTables();
  lut.leIndexOffset = 2;
  lut.le[0] = 50;
  lut.leUnderflow = {10, 0};
  EXPECT_EQ(lookUpSdp(lut, 3), 40); // 3 - 4
  EXPECT_EQ(lookUpCdp(lut, 3), 40);
  lut.leIndexOffset = 0; // SDP: no power; CDP: 2^0
  EXPECT_EQ(lookUpSdp(lut, -3), 20);
  EXPECT_EQ(lookUpCdp(lut, -3), 10);
}

TEST(SdpLut, ChoosesByThreePriorities) { // [3.3.3]
  LutTables lut;
  using S = LutState;
  for (bool isLo : {false, true}) {
    lut.underflowTakesLo = isLo;
    lut.overflowTakesLo = !isLo;
    lut.hybridTakesLo = isLo;
    EXPECT_EQ(takesLo(lut, S::Underflow, S::Underflow), isLo);
    EXPECT_EQ(takesLo(lut, S::Overflow, S::Overflow), !isLo);
    EXPECT_EQ(takesLo(lut, S::Hit, S::Hit), isLo);
    EXPECT_EQ(takesLo(lut, S::Underflow, S::Overflow), isLo);
    EXPECT_FALSE(takesLo(lut, S::Hit, S::Overflow));
    EXPECT_TRUE(takesLo(lut, S::Underflow, S::Hit));
  }
}

TEST(SdpLut, CountsOutcomes) { // [3.3.6] [2.11]
  LutTables lut;
  lut.isLeLinear = true;
  lut.loIndexSelect = 0;
  LutCounters sdp, cdp;
  for (int32_t x : {-1, 1, 100, 1000}) {
    lookUpSdp(lut, x, &sdp);
    lookUpCdp(lut, x, &cdp);
  }
  EXPECT_EQ(sdp.underflow, 1U);
  EXPECT_EQ(sdp.overflow, 1U);
  EXPECT_EQ(sdp.leHit, 1U);
  EXPECT_EQ(sdp.loHit, 2U);
  EXPECT_EQ(sdp.hybrid, 2U);
  EXPECT_EQ(cdp.loHit, 1U);
  EXPECT_EQ(cdp.leHit, 0U);
  EXPECT_EQ(cdp.hybrid, 1U);
}

TEST(SdpConverter, RoundsHalvesAwayFromZero) { // [3.4]
  Converter converter = {true, 2, 3, 1};
  EXPECT_EQ(convertOutput(converter, 7, Precision::Int8), 8);   // 7.5
  EXPECT_EQ(convertOutput(converter, -3, Precision::Int8), -8); // -7.5
  bool isSaturated = false;
  EXPECT_EQ(convertOutput(converter, 300, Precision::Int8, &isSaturated), 127);
  EXPECT_TRUE(isSaturated);
  EXPECT_EQ(convertOutput(converter, 300, Precision::Int16), 447);
  converter.shift = 63;
  EXPECT_EQ(convertOutput(converter, INT32_MAX, Precision::Int8), 0);
}

/// Runs SDP from memory to memory on nv_small, with X1 reading operands.
class SdpOperandsTest : public testing::Test {
protected:
  void put(uint64_t address, std::initializer_list<int> values, unsigned bytes) {
    for (int value : values) {
      uint8_t data[2] = {uint8_t(value), uint8_t(unsigned(value) >> 8)};
      memory.load(Port::Dram, address, llvm::ArrayRef(data, bytes));
      address += bytes;
    }
  }
  int8_t at(uint64_t address) const { return int8_t(memory.copy(Port::Dram, address, 1)[0]); }
  void run() {
    llvm::Expected<Stream> out = runSdp(job, {*findHardwareConfig("nv_small"), memory}, nullptr);
    ASSERT_TRUE(bool(out)) << llvm::toString(out.takeError());
  }
  void SetUp() override {
    job.source = {0x100, Port::Dram, 0x40, 0x80};
    job.target = {0x1000, Port::Dram, 0x40, 0x80};
    job.outConverter = {true, 0, 1, 0};
    job.x1.isBypassed = job.x1.isAluBypassed = false;
    job.x1.isAluFromMemory = true;
    job.x1.operands.use = SdpOperands::Use::Alu;
    job.x1.operands.source = {0x800, Port::Dram, 0x40, 0x80};
  }

  Memory memory;
  SdpJob job;
};

TEST_F(SdpOperandsTest, PairsOfTwoBytesHaveTheAluFirst) { // [3.6.2] [3.6.5]
  job.size = {1, 1, 2};
  job.x1.isMulBypassed = false;
  job.x1.isMulFromMemory = true;
  job.x1.mulShift = 3;
  job.x1.operands.use = SdpOperands::Use::Both;
  job.x1.operands.isTwoBytes = true;
  put(0x100, {10, 20}, 1);
  put(0x800, {300, 2, -400, -1}, 2);
  run();
  EXPECT_EQ(at(0x1000), 78); // (10 + 300) * 2 / 8 = 77.5
  EXPECT_EQ(at(0x1001), 48); // (20 - 400) * -1 / 8 = 47.5
}

TEST_F(SdpOperandsTest, PairsOfOneByteServeOneOfTheTwo) { // [3.6.5]
  job.size = {1, 1, 2};
  job.x1.operands.use = SdpOperands::Use::Both;
  put(0x100, {10, 20}, 1);
  put(0x800, {1, 99, -2, 99}, 1);
  run();
  EXPECT_EQ(at(0x1000), 11);
  EXPECT_EQ(at(0x1001), 18);
}

TEST_F(SdpOperandsTest, PerKernelIgnoresStrides) { // [3.6.4]
  job.size = {2, 1, 12};
  put(0x800, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 1);
  run();
  EXPECT_EQ(at(0x1000 + 8 + 7), 8);         // second pixel, channel 7
  EXPECT_EQ(at(0x1000 + 0x80 + 8 + 3), 12); // channel 11
}

TEST_F(SdpOperandsTest, PerElementOfTwoBytesStepsByWideAtoms) { // [3.6.3]
  job.size = {2, 2, 9};
  job.x1.operands.isTwoBytes = job.x1.operands.isPerElement = true;
  put(0x800 + 16, {101}, 2);               // x = 1
  put(0x800 + 0x40 + 2, {102}, 2);         // y = 1, channel 1
  put(0x800 + 0x80 + 0x40 + 16, {103}, 2); // channel 8 of the last pixel
  run();
  EXPECT_EQ(at(0x1000 + 8), 101);
  EXPECT_EQ(at(0x1000 + 0x40 + 1), 102);
  EXPECT_EQ(at(0x1000 + 0x80 + 0x40 + 8), 103);
}

TEST_F(SdpOperandsTest, YConvertsWhatItReads) { // [3.2.1]
  job.size = {1, 1, 1};
  job.y = job.x1;
  job.x1 = SdpStage();
  job.y.aluConverter = {true, 2, 3, 1};
  put(0x100, {10}, 1);
  put(0x800, {7}, 1);
  run();
  EXPECT_EQ(at(0x1000), 18); // 10 + round(7.5)
}

TEST_F(SdpOperandsTest, EqualityIsNotConverted) { // [3.2.3]
  job.size = {1, 1, 2};
  job.y = job.x1;
  job.x1 = SdpStage();
  job.y.alu = AluOp::Equal;
  job.outConverter = {true, 0, 50, 0};
  put(0x100, {10, 20}, 1);
  put(0x800, {10, 10}, 1);
  run();
  EXPECT_EQ(at(0x1000), 0);
  EXPECT_EQ(at(0x1001), 1);
}

} // namespace
