// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fills in the descriptors of SDP, PDP and CDP, and adds their tables to the task.

#include "Accelerators/NVDLA/Compile/PointDescriptors.h"
#include "Accelerators/NVDLA/Tables/LutTables.h"
#include "Graph/Constant.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {

static constexpr uint32_t kOperandAlignment = 32; // address alignment of SDP operands

static Precision precisionOfOp(Operation *op) { return precisionOf(op->getResult(0).getType()); }

static LutDescriptor describeLut(const LutTables &lut) {
  auto slope = [](const LutTables::Slope &s) { return SlopeDescriptor{s.scale, s.shift}; };
  LutDescriptor d;
  d.le = lut.le;
  d.lo = lut.lo;
  d.leOffset = lut.isLeLinear ? lut.leIndexSelect : lut.leIndexOffset;
  d.loOffset = lut.loIndexSelect;
  d.leStart = uint64_t(lut.leStart);
  d.leEnd = uint64_t(lut.leEnd);
  d.loStart = uint64_t(lut.loStart);
  d.loEnd = uint64_t(lut.loEnd);
  d.leUnderflow = slope(lut.leUnderflow);
  d.leOverflow = slope(lut.leOverflow);
  d.loUnderflow = slope(lut.loUnderflow);
  d.loOverflow = slope(lut.loOverflow);
  d.hybridPriority = lut.hybridTakesLo;
  d.underflowPriority = lut.underflowTakesLo;
  d.overflowPriority = lut.overflowTakesLo;
  d.method = lut.isLeLinear;
  return d;
}

/// Fills in a stage and returns the cube of its operands.
CubeDescriptor PointDescriptors::setStage(std::optional<StageAttr> attr, Value data,
                                          const CubePart &part, SdpStageDescriptor &stage) {
  if (!attr) {
    return {};
  }
  stage.enable = 1;
  bool hasAlu = attr->getAlu() != Alu::None;
  stage.alu = uint8_t(hasAlu ? attr->getAlu() : Alu::Sum);
  stage.type =
      (attr->getMul() ? SdpStageDescriptor::Mul : 0) | (hasAlu ? SdpStageDescriptor::Alu : 0);
  stage.mode = uint8_t(attr->getFrom());
  stage.activation = attr->getRelu() ? SdpStageDescriptor::Relu : SdpStageDescriptor::NoActivation;
  stage.shift = uint8_t(attr->getShift());
  stage.truncate = uint8_t(attr->getTruncate());
  stage.aluOperand = int32_t(attr->getAluOperand());
  stage.mulOperand = int32_t(attr->getMulOperand());
  if (data) { // operands have two bytes, except int8 cubes
    bool isHalf = isa<FloatType>(cast<RankedTensorType>(data.getType()).getElementType());
    stage.precision = uint8_t(isHalf                                      ? Precision::Fp16
                              : attr->getFrom() == OperandSource::Element ? Precision::Int8
                                                                          : Precision::Int16);
  }
  if (attr->getFrom() == OperandSource::Element) {
    return writer.cubeOfPart(data, part);
  }
  if (attr->getFrom() == OperandSource::Register) {
    return {};
  }
  return kernelOperands(*graph::constantValue(data), part);
}

/// Returns the operands of a part's kernels, padded to whole atoms.
CubeDescriptor PointDescriptors::kernelOperands(const Tensor &operands, const CubePart &part) {
  int64_t perKernel = operands.bytes() / operands.dim(0);
  const auto *from = operands.data<uint8_t>() + part.firstChannel * perKernel;
  std::vector<uint8_t> bytes(from, from + part.channels * perKernel);
  bytes.resize(llvm::alignTo(bytes.size(), config.atomBytes * perKernel));
  CubeDescriptor cube = writer.constantCube(std::move(bytes), kOperandAlignment);
  cube.width = cube.height = 1;
  cube.channel = uint16_t(part.channels);
  cube.lineStride = cube.surfaceStride = uint32_t(config.atomBytes * perKernel);
  return cube;
}

SdpDescriptor PointDescriptors::sdp(SdpOp op, const CubePart &part) {
  SdpDescriptor d;
  d.inPrecision = d.outPrecision = uint8_t(precisionOfOp(op));
  d.x1Data = setStage(op.getX1(), op.getX1Data(), part, d.x1);
  d.x2Data = setStage(op.getX2(), op.getX2Data(), part, d.x2);
  if (op.getTable() || op.getCurve()) {
    d.y.enable = 1;
    d.y.activation = SdpStageDescriptor::Lut;
    d.y.precision = d.outPrecision;
    d.lut = lutOf(op);
  }
  d.outConverter.enable = 1;
  d.outConverter.offset = int32_t(static_cast<int64_t>(op.getOffset()));
  d.outConverter.scale = int16_t(static_cast<int64_t>(op.getScale()));
  d.outConverter.truncate = uint8_t(op.getShift());
  d.target = op.getToPdp() ? streamOf(cubeOf(op.getType())->width, part.rows, part.channels)
                           : writer.cubeOfPart(op, part);
  return d;
}

/// Returns the table of a layer, which all its jobs share.
int16_t PointDescriptors::lutOf(SdpOp sdp) {
  auto [known, isNew] = luts.try_emplace(sdp, int16_t(writer.task.luts.size()));
  if (isNew && sdp.getTable()) {
    Tensor table = *graph::constantValue(sdp.getTable());
    writer.task.luts.push_back(
        describeLut(placeLookup({table.data<int16_t>(), size_t(table.size())})));
  } else if (isNew) {
    bool isTanh = sdp.getCurve() == CurveKind::Tanh;
    writer.task.luts.push_back(describeLut(halfCurve(isTanh ? Curve::Tanh : Curve::Sigmoid)));
  }
  return known->second;
}

PdpDescriptor PointDescriptors::pdp(PdpOp op) {
  PdpDescriptor d;
  ArrayRef<int64_t> pads = op.getPads();
  CubeSize in = *cubeOf(op.getInput().getType());
  d.precision = uint8_t(precisionOfOp(op));
  d.method = uint8_t(op.getMethod());
  d.kernelHeightMinusOne = uint8_t(op.getKernel()[0] - 1);
  d.kernelWidthMinusOne = uint8_t(op.getKernel()[1] - 1);
  d.strideY = uint8_t(op.getStrides()[0]);
  d.strideX = uint8_t(op.getStrides()[1]);
  d.padTop = uint8_t(pads[0]);
  d.padLeft = uint8_t(pads[1]);
  d.target = writer.cubeOfPart(op, writer.wholeOf(op));
  auto behind = [](int64_t outputs, int64_t stride, int64_t kernel, int64_t pad, int64_t size) {
    return uint8_t(std::max<int64_t>((outputs - 1) * stride + kernel - pad - size, 0));
  };
  d.padBottom = behind(d.target.height, d.strideY, op.getKernel()[0], pads[0], in.height);
  d.padRight = behind(d.target.width, d.strideX, op.getKernel()[1], pads[1], in.width);
  for (auto [i, value] : llvm::enumerate(d.padValues)) {
    value = int32_t(static_cast<int64_t>(op.getPadValue()) * int64_t(i + 1));
  }
  auto sdp = op.getInput().getDefiningOp<SdpOp>();
  bool isFlying = sdp && sdp.getToPdp();
  d.source = isFlying ? streamOf(in.width, in.height, d.target.channel)
                      : writer.cubeOfPart(op.getInput(), writer.wholeOf(op.getInput()));
  d.partialIn[0] = d.source.width;
  d.partialOut[0] = d.target.width;
  return d;
}

CdpDescriptor PointDescriptors::cdp(CdpOp op) {
  Normalization lrn{uint32_t(op.getSize()), op.getAlpha().convertToDouble(),
                    op.getBeta().convertToDouble(), op.getBias().convertToDouble()};
  // Upper end of the table, where the factor has fallen to about 1/20; larger sums are
  // approximated.
  constexpr double kReach = 64;
  CdpDescriptor d;
  d.window = uint8_t(lrn.window);
  d.inConverter.scale = d.outConverter.scale = 1;
  d.lut = addLut(describeLut(halfNormalization(lrn, kReach * lrn.bias * lrn.window / lrn.alpha)));
  setCubes(op, d);
  return d;
}

CdpDescriptor PointDescriptors::tableCdp(TableCdpOp op) {
  auto converter = [](int64_t scale, int64_t shift, int64_t offset) {
    return ConverterDescriptor{int16_t(scale), uint8_t(shift), 1, int32_t(offset)};
  };
  CdpDescriptor d;
  d.window = uint8_t(op.getSize());
  d.inConverter = converter(1, 0, static_cast<int64_t>(op.getInOffset()));
  d.outConverter =
      converter(static_cast<int64_t>(op.getScale()), static_cast<int64_t>(op.getShift()),
                -static_cast<int64_t>(op.getBias()));
  Tensor near = *graph::constantValue(op.getNear());
  Tensor far = *graph::constantValue(op.getFar());
  d.lut = addLut(describeLut(placeTables({{near.data<int16_t>(), size_t(near.size())},
                                          {far.data<int16_t>(), size_t(far.size())},
                                          static_cast<int64_t>(op.getNearShift()),
                                          static_cast<int64_t>(op.getFarStart()),
                                          static_cast<int64_t>(op.getFarShift())})));
  setCubes(op, d);
  return d;
}

void PointDescriptors::setCubes(Operation *op, CdpDescriptor &d) {
  d.inPrecision = d.outPrecision = uint8_t(precisionOfOp(op));
  d.source = writer.cubeOfPart(op->getOperand(0), writer.wholeOf(op->getOperand(0)));
  d.target = writer.cubeOfPart(op->getResult(0), writer.wholeOf(op->getResult(0)));
}

int16_t PointDescriptors::addLut(const LutDescriptor &lut) {
  writer.task.luts.push_back(lut);
  return int16_t(writer.task.luts.size() - 1);
}

} // namespace convoy::nvdla
