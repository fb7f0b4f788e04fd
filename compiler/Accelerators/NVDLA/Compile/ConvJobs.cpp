// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the descriptors of CONV and packs its weights.

#include "Accelerators/NVDLA/Compile/ConvJobs.h"
#include "Graph/Constant.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

constexpr uint32_t kWeightAlignment = 256; // address alignment of weights
constexpr uint32_t kWeightBytes = 128;     // the size of weights is a multiple of this

/// Sets how the band uses the convolution buffer.
void setBuffer(ConvDescriptor &d, const ConvShape &shape, const RowBand &band,
               const BufferPlan &plan) {
  d.entriesPerSlice = uint16_t(plan.entriesPerRow);
  d.dataBanks = uint8_t(plan.dataBanks);
  d.weightBanks = uint8_t(plan.weightBanks);
  bool hasBands = plan.bands.size() > 1;
  d.weightReuse = plan.weightsStay && hasBands && band.firstRow > 0;
  d.skipWeightRelease = plan.weightsStay && hasBands && band.firstRow + band.rows < shape.outHeight;
  d.release = uint16_t(band.inputRows);
}

/// Sets strides, dilations and padding.
void setWindow(ConvDescriptor &d, const ConvShape &shape, const RowBand &band) {
  d.strideX = uint8_t(shape.strideX);
  d.strideY = uint8_t(shape.strideY);
  d.dilationX = uint8_t(shape.dilationX);
  d.dilationY = uint8_t(shape.dilationY);
  d.padLeft = uint8_t(shape.padLeft);
  d.padRight = uint8_t(shape.padRight());
  d.padTop = uint8_t(band.padTop);
  d.padBottom = uint8_t(band.padBottom);
}

/// Sets the fields of the modes that do not read a cube directly: Winograd and images.
void setMode(ConvDescriptor &d, const ConvShape &shape, const ConvPart &part, const RowBand &band) {
  if (shape.isWinograd) { // CSC counts padding too
    d.mode = 1;
    d.inputWidth = uint16_t(shape.reach());
    d.inputHeight = uint16_t(band.padTop + band.inputRows + band.padBottom);
    d.release = d.inputHeight;
    d.inputChannel = uint16_t(kernelOf(shape, part).channels);
  }
  if (shape.samples != 0) {
    d.dataFormat = pixelFormatOf(shape.samples, shape.precision);
    d.pixelOverride = 1; // signed, like features
    d.postExtension = uint8_t(shape.mergedRows / 2);
  }
}

ConvDescriptor convDescriptor(const ConvShape &shape, const ConvPart &part, const RowBand &band,
                              const BufferPlan &plan) {
  ConvDescriptor d;
  d.inPrecision = d.outPrecision = uint8_t(shape.precision);
  setBuffer(d, shape, band, plan);
  d.inputWidth = uint16_t(shape.usedWidth());
  d.inputHeight = uint16_t(band.inputRows);
  d.inputChannel = uint16_t(part.channels);
  CubeSize kernel = kernelOf(shape, part);
  d.kernelWidth = uint16_t(kernel.width);
  d.kernelHeight = uint16_t(kernel.height);
  d.kernelChannel = uint16_t(kernel.channels);
  setMode(d, shape, part, band);
  d.outWidth = uint16_t(shape.writtenWidth());
  d.outHeight = uint16_t(band.rows);
  d.bytesPerKernel = uint32_t(weightBytes(shape, part) / part.kernels);
  setWindow(d, shape, band);
  d.target = streamOf(d.outWidth, band.rows, part.kernels);
  return d;
}

} // namespace

CubeDescriptor ConvJobs::weightCube(std::vector<uint8_t> packed, const ConvShape &shape,
                                    const ConvPart &part) {
  packed.resize(llvm::alignTo(packed.size(), kWeightBytes));
  CubeDescriptor cube = writer.constantCube(std::move(packed), kWeightAlignment);
  CubeSize kernel = shape.isWinograd
                        ? kernelOf(shape, part)
                        : CubeSize{uint32_t(shape.kernelWidth), uint32_t(shape.kernelHeight),
                                   uint32_t(part.channels)};
  cube.width = uint16_t(kernel.width);
  cube.height = uint16_t(kernel.height);
  cube.channel = uint16_t(kernel.channels);
  return cube;
}

LogicalResult ConvJobs::emitConv(ConvOp conv, SdpOp sdp) {
  ConvShape shape = nvdla::shapeOf(conv, config);
  Tensor weight = *graph::constantValue(conv.getWeight());
  for (const ConvPart &part : splitGroups(shape, options)) {
    std::optional<BufferPlan> plan = planBuffer(shape, part, options);
    if (!plan) {
      return conv.emitOpError("does not fit in the convolution buffer of ") << config.name;
    }
    CubeDescriptor weights = weightCube(packWeights(shape, part, config, weight), shape, part);
    for (const RowBand &band : plan->bands) {
      ConvDescriptor d = convDescriptor(shape, part, band, *plan);
      d.padValue = int16_t(static_cast<int64_t>(conv.getPadValue()));
      d.weights = weights;
      d.source = writer.cubeOfPart(
          conv.getInput(), {part.firstChannel, part.channels, band.firstInput, band.inputRows});
      d.source.width = uint16_t(shape.usedWidth());
      emitFused(d, sdp, {part.firstKernel, part.kernels, band.firstRow, band.rows});
    }
  }
  return success();
}

/// Reuses the weights of the previous job if they are the same and all of them are in the buffer.
void ConvJobs::keepWeights(ConvDescriptor &d) {
  uint64_t bankBytes = uint64_t(config.cbufEntriesPerBank) * config.cbufEntryBytes;
  if (!lastConv || options.isSeparate || d.weights.size > d.weightBanks * bankBytes) {
    return;
  }
  auto &before = std::get<ConvDescriptor>(writer.task.ops[*lastConv].descriptor);
  bool isSame = before.weights.offset == d.weights.offset &&
                before.weights.size == d.weights.size && before.weightBanks == d.weightBanks &&
                before.dataBanks == d.dataBanks && before.target.channel == d.target.channel;
  if (isSame) {
    before.skipWeightRelease = d.weightReuse = 1;
  }
}

void ConvJobs::emitFused(const ConvDescriptor &conv, SdpOp sdp, const CubePart &part) {
  ConvDescriptor d = conv;
  SdpDescriptor post = points.sdp(sdp, part);
  post.source = d.target;
  post.convMode = d.mode;
  post.target.width = d.outWidth;
  if (!sdp.getToPdp()) {
    d.target.lineStride = post.target.lineStride;
    d.target.surfaceStride = post.target.surfaceStride;
  }
  keepWeights(d);
  size_t first = writer.addOp(d);
  lastConv = first;
  std::vector<size_t> ops = {first, writer.addOp(post)};
  if (sdp.getToPdp()) {
    ops.push_back(writer.addOp(points.pdp(cast<PdpOp>(*sdp->getUsers().begin()))));
  }
  writer.addGroup(std::move(ops));
}

} // namespace convoy::nvdla
