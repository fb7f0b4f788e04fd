// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes descriptors into jobs, as the firmware writes them to registers.

#include "Accelerators/NVDLA/Loadable/DecodeDescriptors.h"
#include "Accelerators/NVDLA/Simulator/FixedPoint.h"
#include "llvm/ADT/STLExtras.h"

namespace convoy::nvdla {
namespace {

/// Returns the offset past the last byte that a feature cube occupies.
uint64_t cubeEnd(CubeSize size, const CubeDescriptor &cube, Precision precision,
                 uint32_t atomBytes) {
  uint64_t lanes = atomBytes / bytesPerElement(precision);
  uint64_t surfaces = (size.channels + lanes - 1) / lanes;
  if (size.width == 0 || size.height == 0 || surfaces == 0) {
    return 0;
  }
  return (surfaces - 1) * cube.surfaceStride + uint64_t(size.height - 1) * cube.lineStride +
         uint64_t(size.width) * atomBytes;
}

/// Returns the surface of a cube; fails if `end` bytes from its start exceed its memory.
llvm::Expected<Surface> locate(const CubeDescriptor &cube, uint64_t end, Places places,
                               const char *what) {
  llvm::Expected<Place> place = places(cube.address);
  if (!place) {
    return llvm::createStringError("%s: %s", what, llvm::toString(place.takeError()).c_str());
  }
  if (cube.offset > place->bytes || end > place->bytes - cube.offset) {
    return llvm::createStringError("%s: needs %" PRIu64
                                   " bytes at offset %u of address %d, which has "
                                   "%" PRIu64,
                                   what, end, cube.offset, cube.address, place->bytes);
  }
  return Surface{place->address + cube.offset, place->port, cube.lineStride, cube.surfaceStride};
}

CubeSize sizeOf(const CubeDescriptor &cube) { return {cube.width, cube.height, cube.channel}; }

llvm::Expected<Surface> locateCube(const CubeDescriptor &cube, CubeSize size, Precision precision,
                                   Places places, uint32_t atomBytes, const char *what) {
  return locate(cube, cubeEnd(size, cube, precision, atomBytes), places, what);
}

/// Calls `set` with the surface, or forwards the error.
template <typename Set>
llvm::Error with(llvm::Expected<Surface> surface, Set set) {
  if (!surface) {
    return surface.takeError();
  }
  set(*surface);
  return llvm::Error::success();
}

llvm::Error checkPrecisions(std::initializer_list<uint8_t> precisions) {
  for (uint8_t precision : precisions) {
    if (precision > uint8_t(Precision::Fp16)) {
      return llvm::createStringError("expects precision 0 (int8), 1 (int16) or 2 (fp16), got %u",
                                     precision);
    }
  }
  return llvm::Error::success();
}

Converter toConverter(const ConverterDescriptor &descriptor) {
  return {descriptor.enable != 0, descriptor.offset, descriptor.scale, descriptor.truncate};
}

constexpr uint8_t kFirstFeatureFormat = 36;

llvm::Error decodeConvSurfaces(const ConvDescriptor &d, Places places, uint32_t atomBytes,
                               ConvJob &job) {
  uint64_t weightBytes = uint64_t(job.kernels) * job.kernel.width * job.kernel.height *
                         job.kernel.channels * bytesPerElement(job.precision);
  llvm::Expected<Surface> weights = locate(d.weights, weightBytes, places, "weights");
  if (!weights) {
    return weights.takeError();
  }
  job.weightAddress = weights->address;
  job.weightPort = weights->port;
  uint64_t end = cubeEnd(job.input, d.source, job.inPrecision, atomBytes);
  if (job.isImage) {
    // The widest pixel has four samples of two bytes.
    end = uint64_t(job.input.height - 1) * d.source.lineStride + job.input.width;
  }
  return with(locate(d.source, end, places, "input"), [&](Surface at) { job.source = at; });
}

/// Decodes a stage; `data` is the cube of its operands.
llvm::Expected<SdpStage> decodeStage(const SdpStageDescriptor &d, const CubeDescriptor &data,
                                     const SdpJob &job, Places places, uint32_t atomBytes) {
  using D = SdpStageDescriptor;
  SdpStage stage;
  stage.isBypassed = d.enable == 0;
  stage.isAluBypassed = !(d.type & D::Alu);
  stage.isMulBypassed = !(d.type & D::Mul);
  stage.alu = AluOp(d.alu & 3);
  stage.isPrelu = d.activation == D::Prelu;
  stage.isReluBypassed = d.activation != D::Relu;
  stage.isLutBypassed = d.activation != D::Lut;
  stage.aluOperand = d.aluOperand;
  stage.mulOperand = d.mulOperand;
  stage.aluShift = d.shift;
  stage.mulShift = d.truncate;
  stage.aluConverter = toConverter(d.aluConverter);
  stage.mulConverter = toConverter(d.mulConverter);
  if (stage.isBypassed || d.mode == D::PerLayer || d.type == D::None) {
    return stage;
  }
  stage.isAluFromMemory = !stage.isAluBypassed;
  stage.isMulFromMemory = !stage.isMulBypassed;
  bool isBoth = stage.isAluFromMemory && stage.isMulFromMemory;
  stage.operands.use = isBoth                  ? SdpOperands::Use::Both
                       : stage.isAluFromMemory ? SdpOperands::Use::Alu
                                               : SdpOperands::Use::Mul;
  stage.operands.isTwoBytes = d.precision != uint8_t(Precision::Int8);
  stage.operands.isPerElement = d.mode == D::PerElement;
  uint64_t lanes = atomBytes / bytesPerElement(job.precision);
  uint64_t atom = lanes * (isBoth ? 2 : 1) * (stage.operands.isTwoBytes ? 2 : 1);
  uint64_t surfaces = (job.size.channels + lanes - 1) / lanes;
  uint64_t end = surfaces * atom;
  if (stage.operands.isPerElement) {
    end = (surfaces - 1) * data.surfaceStride + uint64_t(job.size.height - 1) * data.lineStride +
          job.size.width * atom;
  }
  llvm::Expected<Surface> at = locate(data, end, places, "operands of a stage");
  if (!at) {
    return at.takeError();
  }
  stage.operands.source = *at;
  return stage;
}

llvm::Error decodeStages(const SdpDescriptor &d, Places places, uint32_t atomBytes, SdpJob &job) {
  struct Row {
    const SdpStageDescriptor &descriptor;
    const CubeDescriptor &data;
    SdpStage &stage;
  };
  for (const Row &row :
       {Row{d.x1, d.x1Data, job.x1}, {d.x2, d.x2Data, job.x2}, {d.y, d.yData, job.y}}) {
    llvm::Expected<SdpStage> stage = decodeStage(row.descriptor, row.data, job, places, atomBytes);
    if (!stage) {
      return stage.takeError();
    }
    row.stage = *stage;
  }
  // Only stage Y has operand converters and a table.
  for (SdpStage *stage : {&job.x1, &job.x2}) {
    stage->aluConverter = stage->mulConverter = Converter();
    stage->isLutBypassed = true;
  }
  return llvm::Error::success();
}

llvm::Expected<LutTables> findLut(const DlaTask &task, int16_t index, unsigned rangeBits,
                                  Precision precision) {
  if (index < 0 || size_t(index) >= task.luts.size()) {
    return llvm::createStringError("the index of the look-up table is %d; the task has %zu tables",
                                   index, task.luts.size());
  }
  return decodeLut(task.luts[index], rangeBits, precision);
}

} // namespace

LutTables decodeLut(const LutDescriptor &d, unsigned rangeBits, Precision precision) {
  LutTables lut;
  lut.le = d.le;
  lut.lo = d.lo;
  lut.isLeLinear = d.method == 1;
  // The descriptor uses one byte for the exponent offset and for the shift of linear intervals.
  lut.leIndexOffset = lut.leIndexSelect = d.leOffset;
  lut.loIndexSelect = d.loOffset;
  auto range = [&](uint64_t bits) { return signExtend(bits, rangeBits); };
  lut.leStart = range(d.leStart);
  lut.leEnd = range(d.leEnd);
  lut.loStart = range(d.loStart);
  lut.loEnd = range(d.loEnd);
  auto slope = [&](const SlopeDescriptor &s) {
    return LutTables::Slope{
        s.scale, int8_t(precision == Precision::Fp16 ? 0 : signExtend(uint8_t(s.shift), 5))};
  };
  lut.leUnderflow = slope(d.leUnderflow);
  lut.leOverflow = slope(d.leOverflow);
  lut.loUnderflow = slope(d.loUnderflow);
  lut.loOverflow = slope(d.loOverflow);
  lut.hybridTakesLo = d.hybridPriority == 1;
  lut.underflowTakesLo = d.underflowPriority == 1;
  lut.overflowTakesLo = d.overflowPriority == 1;
  return lut;
}

llvm::Expected<ConvJob> decodeConv(const ConvDescriptor &d, Places places, uint32_t atomBytes) {
  if (llvm::Error error = checkPrecisions({d.inPrecision, d.outPrecision})) {
    return error;
  }
  ConvJob job;
  job.isWinograd = d.mode == 1;
  job.praTruncate = d.praTruncate & 3;
  job.inPrecision = Precision(d.inPrecision);
  job.precision = Precision(d.outPrecision);
  job.isImage = d.dataFormat < kFirstFeatureFormat;
  job.pixelFormat = d.dataFormat;
  job.isPixelSigned = d.pixelOverride == 1;
  job.input = sizeOf(d.source);
  if (job.input.width == 0 || job.input.height == 0) {
    return llvm::createStringError("the input of the convolution has no pixels");
  }
  job.isWeightCompressed = d.weightFormat != 0;
  job.reusesWeights = d.weightReuse != 0;
  job.kernel = {d.kernelWidth, d.kernelHeight, d.kernelChannel};
  job.kernels = d.target.channel;
  job.outWidth = d.outWidth;
  job.outHeight = d.outHeight;
  job.strideX = d.strideX;
  job.strideY = d.strideY;
  job.dilationX = d.dilationX;
  job.dilationY = d.dilationY;
  job.padLeft = d.padLeft;
  job.padTop = d.padTop;
  job.padValue = d.padValue;
  job.postExtension = d.postExtension < 3 ? uint32_t(1) << d.postExtension : 0;
  job.hasMeans = d.meanFormat != 0;
  job.means = d.means;
  job.converter = toConverter(d.inConverter);
  job.converter.shift &= 63;
  job.clipTruncate = d.outConverter.truncate & 31;
  job.batch = d.batch;
  if (llvm::Error error = decodeConvSurfaces(d, places, atomBytes, job)) {
    return error;
  }
  return job;
}

llvm::Expected<SdpJob> decodeSdp(const SdpDescriptor &d, const DlaTask &task, Places places,
                                 uint32_t atomBytes) {
  if (llvm::Error error = checkPrecisions({d.inPrecision, d.outPrecision})) {
    return error;
  }
  SdpJob job;
  job.isFromConv = d.source.type == CubeDescriptor::Engine;
  job.isToPdp = d.target.type == CubeDescriptor::Engine;
  job.size = sizeOf(job.isFromConv ? d.source : d.target.width ? d.target : d.source);
  if (job.size.width == 0 || job.size.height == 0 || job.size.channels == 0) {
    return llvm::createStringError("the cube of SDP has no elements");
  }
  job.inPrecision = job.precision = Precision(d.inPrecision);
  job.outPrecision = Precision(d.outPrecision);
  job.batch = d.batch;
  job.outConverter = toConverter(d.outConverter);
  if (!job.isFromConv) {
    if (llvm::Error error =
            with(locateCube(d.source, job.size, job.inPrecision, places, atomBytes, "input"),
                 [&](Surface at) { job.source = at; })) {
      return error;
    }
  }
  if (!job.isToPdp) {
    if (llvm::Error error =
            with(locateCube(d.target, job.size, job.outPrecision, places, atomBytes, "output"),
                 [&](Surface at) { job.target = at; })) {
      return error;
    }
  }
  if (llvm::Error error = decodeStages(d, places, atomBytes, job)) {
    return error;
  }
  if (!job.y.isBypassed && !job.y.isLutBypassed) {
    llvm::Expected<LutTables> lut = findLut(task, d.lut, 32, job.precision);
    if (!lut) {
      return lut.takeError();
    }
    job.lut = *lut;
  }
  return job;
}

llvm::Expected<PdpJob> decodePdp(const PdpDescriptor &d, Places places, uint32_t atomBytes) {
  if (llvm::Error error = checkPrecisions({d.precision})) {
    return error;
  }
  PdpJob job;
  job.method = PdpJob::Method(d.method);
  if (d.method > uint8_t(PdpJob::Method::Min)) {
    return llvm::createStringError(
        "expects pooling method 0 (average), 1 (maximum) or 2 (minimum), got %u", d.method);
  }
  job.precision = Precision(d.precision);
  job.isFromSdp = d.source.type == CubeDescriptor::Engine;
  job.input = sizeOf(d.source);
  job.outWidth = d.target.width;
  job.outHeight = d.target.height;
  job.kernelWidth = d.kernelWidthMinusOne + 1;
  job.kernelHeight = d.kernelHeightMinusOne + 1;
  job.strideX = d.strideX;
  job.strideY = d.strideY;
  job.padLeft = d.padLeft;
  job.padTop = d.padTop;
  job.padValues = d.padValues;
  // The firmware's 17-bit reciprocals, truncated.
  job.recipWidth = (1U << 16) / job.kernelWidth;
  job.recipHeight = (1U << 16) / job.kernelHeight;
  if (!job.isFromSdp) {
    if (llvm::Error error =
            with(locateCube(d.source, job.input, job.precision, places, atomBytes, "input"),
                 [&](Surface at) { job.source = at; })) {
      return error;
    }
  }
  CubeSize out = {job.outWidth, job.outHeight, job.input.channels};
  if (llvm::Error error =
          with(locateCube(d.target, out, job.precision, places, atomBytes, "output"),
               [&](Surface at) { job.target = at; })) {
    return error;
  }
  return job;
}

llvm::Expected<CdpJob> decodeCdp(const CdpDescriptor &d, const DlaTask &task, Places places,
                                 uint32_t atomBytes) {
  if (llvm::Error error = checkPrecisions({d.inPrecision, d.outPrecision})) {
    return error;
  }
  CdpJob job;
  job.precision = Precision(d.inPrecision);
  job.size = sizeOf(d.source);
  job.inConverter = toConverter(d.inConverter);
  job.inConverter.shift &= 31;
  job.outConverter = toConverter(d.outConverter);
  job.outConverter.shift &= 63;
  job.window = d.window;
  job.isSquareSumBypassed = d.isSquareSumBypassed != 0;
  job.isMulBypassed = d.isMulBypassed != 0;
  unsigned rangeBits = job.precision == Precision::Fp16 ? 32 : 38;
  llvm::Expected<LutTables> lut = findLut(task, d.lut, rangeBits, job.precision);
  if (!lut) {
    return lut.takeError();
  }
  job.lut = *lut;
  if (job.precision != Precision::Fp16) {
    job.lut.leIndexSelect = int8_t(signExtend(uint8_t(job.lut.leIndexSelect), 6));
    job.lut.loIndexSelect = int8_t(signExtend(uint8_t(job.lut.loIndexSelect), 6));
  }
  if (llvm::Error error =
          with(locateCube(d.source, job.size, job.precision, places, atomBytes, "input"),
               [&](Surface at) { job.source = at; })) {
    return error;
  }
  if (llvm::Error error =
          with(locateCube(d.target, job.size, job.precision, places, atomBytes, "output"),
               [&](Surface at) { job.target = at; })) {
    return error;
  }
  return job;
}

llvm::Expected<RubikJob> decodeRubik(const RubikDescriptor &d, Places places, uint32_t atomBytes) {
  if (llvm::Error error = checkPrecisions({d.precision})) {
    return error;
  }
  if (d.mode > uint8_t(RubikJob::Mode::Merge)) {
    return llvm::createStringError(
        "expects RUBIK mode 0 (contract), 1 (split) or 2 (merge), got %u", d.mode);
  }
  RubikJob job;
  job.mode = RubikJob::Mode(d.mode);
  job.precision = Precision(d.precision);
  job.input = sizeOf(d.source);
  job.outChannels = d.target.channel;
  job.strideX = d.strideX;
  job.strideY = d.strideY;
  job.sourcePlaneStride = d.source.planeStride;
  job.targetPlaneStride = d.target.planeStride;
  auto planeEnd = [&](const CubeDescriptor &cube) {
    return uint64_t(std::max<uint32_t>(job.input.channels, 1) - 1) * cube.planeStride +
           uint64_t(std::max<uint32_t>(job.input.height, 1) - 1) * cube.lineStride +
           uint64_t(job.input.width) * bytesPerElement(job.precision);
  };
  bool isSourcePlanar = job.mode == RubikJob::Mode::Merge;
  bool isTargetPlanar = job.mode == RubikJob::Mode::Split;
  CubeSize out = job.mode == RubikJob::Mode::Contract ? sizeOf(d.target) : job.input;
  if (llvm::Error error =
          with(locate(d.source,
                      isSourcePlanar ? planeEnd(d.source)
                                     : cubeEnd(job.input, d.source, job.precision, atomBytes),
                      places, "input"),
               [&](Surface at) { job.source = at; })) {
    return error;
  }
  if (llvm::Error error =
          with(locate(d.target,
                      isTargetPlanar ? planeEnd(d.target)
                                     : cubeEnd(out, d.target, job.precision, atomBytes),
                      places, "output"),
               [&](Surface at) { job.target = at; })) {
    return error;
  }
  return job;
}

llvm::Expected<std::vector<BdmaJob>> decodeBdma(const BdmaDescriptor &d, Places places) {
  std::vector<BdmaJob> jobs;
  if (d.surfaceTransfers > d.transfers.size()) {
    return llvm::createStringError("expects at most 20 copies in one operation, got %u",
                                   d.surfaceTransfers);
  }
  for (const BdmaTransfer &transfer : llvm::ArrayRef(d.transfers).take_front(d.surfaceTransfers)) {
    BdmaJob job;
    job.lineBytes = transfer.lineBytes;
    job.lines = transfer.lines;
    job.surfaces = transfer.surfaces;
    job.sourceLineStride = transfer.sourceLine;
    job.targetLineStride = transfer.targetLine;
    job.sourceSurfaceStride = transfer.sourceSurface;
    job.targetSurfaceStride = transfer.targetSurface;
    auto end = [&](uint64_t line, uint64_t surface) {
      return Wide(job.surfaces ? job.surfaces - 1 : 0) * surface +
             Wide(job.lines ? job.lines - 1 : 0) * line + job.lineBytes;
    };
    llvm::Expected<Place> source = places(transfer.source);
    if (!source) {
      return source.takeError();
    }
    llvm::Expected<Place> target = places(transfer.target);
    if (!target) {
      return target.takeError();
    }
    if (end(job.sourceLineStride, job.sourceSurfaceStride) > Wide(source->bytes) ||
        end(job.targetLineStride, job.targetSurfaceStride) > Wide(target->bytes)) {
      return llvm::createStringError("a copy of %u lines of %u bytes exceeds its memory",
                                     transfer.lines, transfer.lineBytes);
    }
    job.source = source->address;
    job.sourcePort = source->port;
    job.target = target->address;
    job.targetPort = target->port;
    jobs.push_back(job);
  }
  return jobs;
}

} // namespace convoy::nvdla
