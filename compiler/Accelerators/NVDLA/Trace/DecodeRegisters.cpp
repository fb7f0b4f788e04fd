// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the registers of CONV, PDP, RUBIK and BDMA. Address and stride registers hold bytes.

#include "Accelerators/NVDLA/Trace/DecodeRegisters.h"

namespace convoy::nvdla {
namespace {

Port port(const RegisterView &unit, llvm::StringRef name, unsigned lsb = 0) {
  return Port(unit.bits(name, lsb, 1));
}

void decodeInput(const RegisterView &cdma, ConvJob &job) {
  job.inPrecision = Precision(cdma.bits("D_MISC_CFG", 8, 2));
  job.precision = Precision(cdma.bits("D_MISC_CFG", 12, 2));
  job.isImage = cdma.bit("D_DATAIN_FORMAT", 0);
  job.pixelFormat = cdma.bits("D_DATAIN_FORMAT", 8, 6);
  job.isPixelSigned = cdma.bit("D_DATAIN_FORMAT", 20);
  job.pixelXOffset = cdma.bits("D_PIXEL_OFFSET", 0, 5);
  job.input = {cdma.size("D_DATAIN_SIZE_0"), cdma.size("D_DATAIN_SIZE_0", 16),
               cdma.size("D_DATAIN_SIZE_1")};
  job.source = {cdma.address("D_DAIN_ADDR_LOW_0", "D_DAIN_ADDR_HIGH_0"),
                port(cdma, "D_DAIN_RAM_TYPE"), cdma.word("D_LINE_STRIDE"),
                cdma.word("D_SURF_STRIDE")};
  job.hasMeans = cdma.bit("D_MEAN_FORMAT", 0);
  job.means = {
      int16_t(cdma.bits("D_MEAN_GLOBAL_0", 0, 16)), int16_t(cdma.bits("D_MEAN_GLOBAL_0", 16, 16)),
      int16_t(cdma.bits("D_MEAN_GLOBAL_1", 0, 16)), int16_t(cdma.bits("D_MEAN_GLOBAL_1", 16, 16))};
  job.converter = {cdma.bit("D_CVT_CFG", 0), cdma.signedBits("D_CVT_OFFSET", 0, 16),
                   cdma.signedBits("D_CVT_SCALE", 0, 16), cdma.bits("D_CVT_CFG", 4, 6)};
  job.batch = cdma.bits("D_BATCH_NUMBER", 0, 5) + 1;
}

} // namespace

ConvJob decodeConv(const RegisterView &cdma, const RegisterView &csc, const RegisterView &cacc) {
  ConvJob job;
  decodeInput(cdma, job);
  job.isWinograd = csc.bit("D_MISC_CFG", 0);
  job.praTruncate = csc.bits("D_PRA_CFG", 0, 2);
  job.weightAddress = cdma.address("D_WEIGHT_ADDR_LOW", "D_WEIGHT_ADDR_HIGH");
  job.weightPort = port(cdma, "D_WEIGHT_RAM_TYPE");
  job.isWeightCompressed = cdma.bit("D_WEIGHT_FORMAT", 0);
  job.kernel = {csc.bits("D_WEIGHT_SIZE_EXT_0", 0, 5) + 1,
                csc.bits("D_WEIGHT_SIZE_EXT_0", 16, 5) + 1, csc.size("D_WEIGHT_SIZE_EXT_1")};
  job.kernels = csc.size("D_WEIGHT_SIZE_EXT_1", 16);
  job.outWidth = csc.size("D_DATAOUT_SIZE_0");
  job.outHeight = csc.size("D_DATAOUT_SIZE_0", 16);
  job.strideX = csc.bits("D_CONV_STRIDE_EXT", 0, 3) + 1;
  job.strideY = csc.bits("D_CONV_STRIDE_EXT", 16, 3) + 1;
  job.dilationX = csc.bits("D_DILATION_EXT", 0, 5) + 1;
  job.dilationY = csc.bits("D_DILATION_EXT", 16, 5) + 1;
  job.padLeft = csc.bits("D_ZERO_PADDING", 0, 5);
  job.padTop = csc.bits("D_ZERO_PADDING", 16, 5);
  job.padValue = csc.signedBits("D_ZERO_PADDING_VALUE", 0, 16);
  job.postExtension = uint32_t(1) << csc.bits("D_POST_Y_EXTENSION", 0, 2);
  job.clipTruncate = cacc.bits("D_CLIP_CFG", 0, 5);
  return job;
}

PdpJob decodePdp(const RegisterView &pdp, const RegisterView &rdma) {
  PdpJob job;
  job.method = PdpJob::Method(pdp.bits("D_OPERATION_MODE_CFG", 0, 2));
  job.precision = Precision(pdp.bits("D_DATA_FORMAT", 0, 2));
  job.isFromSdp = !pdp.bit("D_OPERATION_MODE_CFG", 4);
  job.input = {pdp.size("D_DATA_CUBE_IN_WIDTH"), pdp.size("D_DATA_CUBE_IN_HEIGHT"),
               pdp.size("D_DATA_CUBE_IN_CHANNEL")};
  job.outWidth = pdp.size("D_DATA_CUBE_OUT_WIDTH");
  job.outHeight = pdp.size("D_DATA_CUBE_OUT_HEIGHT");
  job.source = {rdma.address("D_SRC_BASE_ADDR_LOW", "D_SRC_BASE_ADDR_HIGH"),
                port(rdma, "D_SRC_RAM_CFG"), rdma.word("D_SRC_LINE_STRIDE"),
                rdma.word("D_SRC_SURFACE_STRIDE")};
  job.target = {pdp.address("D_DST_BASE_ADDR_LOW", "D_DST_BASE_ADDR_HIGH"),
                port(pdp, "D_DST_RAM_CFG"), pdp.word("D_DST_LINE_STRIDE"),
                pdp.word("D_DST_SURFACE_STRIDE")};
  job.kernelWidth = pdp.bits("D_POOLING_KERNEL_CFG", 0, 4) + 1;
  job.kernelHeight = pdp.bits("D_POOLING_KERNEL_CFG", 8, 4) + 1;
  job.strideX = pdp.bits("D_POOLING_KERNEL_CFG", 16, 4) + 1;
  job.strideY = pdp.bits("D_POOLING_KERNEL_CFG", 20, 4) + 1;
  job.padLeft = pdp.bits("D_POOLING_PADDING_CFG", 0, 3);
  job.padTop = pdp.bits("D_POOLING_PADDING_CFG", 4, 3);
  for (size_t i = 0; i < job.padValues.size(); ++i) {
    std::string name = "D_POOLING_PADDING_VALUE_" + std::to_string(i + 1) + "_CFG";
    job.padValues[i] = pdp.signedBits(name, 0, 19);
  }
  job.recipWidth = pdp.bits("D_RECIP_KERNEL_WIDTH", 0, 17);
  job.recipHeight = pdp.bits("D_RECIP_KERNEL_HEIGHT", 0, 17);
  return job;
}

RubikJob decodeRubik(const RegisterView &rubik) {
  RubikJob job;
  job.mode = RubikJob::Mode(rubik.bits("D_MISC_CFG", 0, 2));
  job.precision = Precision(rubik.bits("D_MISC_CFG", 8, 2));
  job.input = {rubik.size("D_DATAIN_SIZE_0"), rubik.size("D_DATAIN_SIZE_0", 16),
               rubik.size("D_DATAIN_SIZE_1")};
  job.outChannels = rubik.size("D_DATAOUT_SIZE_1");
  job.source = {rubik.address("D_DAIN_ADDR_LOW", "D_DAIN_ADDR_HIGH"),
                port(rubik, "D_DAIN_RAM_TYPE"), rubik.word("D_DAIN_LINE_STRIDE"),
                rubik.word("D_DAIN_SURF_STRIDE")};
  job.target = {rubik.address("D_DAOUT_ADDR_LOW", "D_DAOUT_ADDR_HIGH"),
                port(rubik, "D_DAOUT_RAM_TYPE"), rubik.word("D_DAOUT_LINE_STRIDE"),
                rubik.word("D_DAOUT_SURF_STRIDE")};
  job.sourcePlaneStride = rubik.word("D_DAIN_PLANAR_STRIDE");
  job.targetPlaneStride = rubik.word("D_DAOUT_PLANAR_STRIDE");
  job.strideX = rubik.bits("D_DECONV_STRIDE", 0, 5) + 1;
  job.strideY = rubik.bits("D_DECONV_STRIDE", 16, 5) + 1;
  return job;
}

BdmaJob decodeBdma(const RegisterView &bdma) {
  BdmaJob job;
  job.source = bdma.address("CFG_SRC_ADDR_LOW", "CFG_SRC_ADDR_HIGH");
  job.target = bdma.address("CFG_DST_ADDR_LOW", "CFG_DST_ADDR_HIGH");
  job.sourcePort = port(bdma, "CFG_CMD");
  job.targetPort = port(bdma, "CFG_CMD", 1);
  job.lineBytes = uint64_t(bdma.size("CFG_LINE")) * 32; // the register counts units of 32 bytes
  job.lines = bdma.bits("CFG_LINE_REPEAT", 0, 24) + 1;
  job.surfaces = bdma.bits("CFG_SURF_REPEAT", 0, 24) + 1;
  job.sourceLineStride = bdma.word("CFG_SRC_LINE");
  job.targetLineStride = bdma.word("CFG_DST_LINE");
  job.sourceSurfaceStride = bdma.word("CFG_SRC_SURF");
  job.targetSurfaceStride = bdma.word("CFG_DST_SURF");
  return job;
}

} // namespace convoy::nvdla
