// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits descriptors with addresses, one group of operations at a time, and links their dependences.
// Memory 1 holds constants and memory 2 holds activations; each input and output has a memory of
// its own.

#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/LinkOps.h"
#include "Accelerators/NVDLA/Compile/PackWeights.h"
#include "Accelerators/NVDLA/Compile/PlaceCubes.h"
#include "Accelerators/NVDLA/Dialect/Nvdla.h"
#include "Accelerators/NVDLA/Tables/LutTables.h"
#include "Graph/Constant.h"
#include "Graph/NodeName.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace convoy::nvdla {
namespace {

constexpr uint32_t kWeightAlignment = 256; // address alignment of weights
constexpr uint32_t kWeightBytes = 128;     // the size of weights is a multiple of this
constexpr uint32_t kOperandAlignment = 32; // address alignment of SDP operands
constexpr int16_t kConstants = 1;          // memory ids; 0 is the builder's dummy
constexpr int16_t kActivations = 2;
constexpr uint8_t kFeature = 36, kFeatureX8 = 37; // pixel formats of feature cubes

/// Returns R8, R16_F, X8B8G8R8 or A16B16G16R16_F: the formats whose samples are in channel order.
uint8_t pixelFormatOf(int64_t samples, Precision precision) {
  bool isHalf = precision == Precision::Fp16;
  return samples == 1 ? (isHalf ? 5 : 0) : (isHalf ? 8 : 16);
}

/// A range of channels (in whole atoms) and rows of a cube.
struct CubePart {
  int64_t firstChannel = 0, channels = 0, firstRow = 0, rows = 0;
};

std::string nameOf(Location loc) {
  std::string name = graph::nodeText(loc);
  return name.empty() ? "layer" : name;
}

LutDescriptor describeLut(const LutTables &lut) {
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

class Emitter {
public:
  Emitter(func::FuncOp function, const NvdlaOptions &options)
      : block(function.getBody().front()), options(options), config(*options.config),
        places(block, config) {}

  FailureOr<EmittedLoadable> run() {
    for (Operation &op : block.without_terminator()) {
      LogicalResult emitted =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case([&](SdpOp sdp) { return emitSdp(sdp); })
              .Case([&](PdpOp pdp) { return emitPdp(pdp); })
              .Case([&](CdpOp cdp) { return emitCdp(cdp); })
              .Case([&](TableCdpOp cdp) { return emitTableCdp(cdp); })
              .Default([](Operation *) { return success(); }); // CONV is emitted with its SDP
      if (failed(emitted)) {
        return failure();
      }
    }
    if (task.ops.size() > INT16_MAX) {
      return block.getParentOp()->emitError("region needs ")
             << task.ops.size() << " hardware operations; a loadable supports at most 32767";
    }
    linkOps(task, result.groups, config);
    finish();
    return std::move(result);
  }

private:
  Precision precisionOfOp(Operation *op) const { return precisionOf(op->getResult(0).getType()); }

  CubeDescriptor cubeOfPart(Value value, const CubePart &part) const {
    const CubePlace &place = places[value];
    const CubeBuffer &buffer = places.buffer(place.buffer);
    int64_t lanes = lanesOf(config, precisionOf(value.getType()));
    CubeDescriptor cube;
    cube.type = CubeDescriptor::Dram;
    cube.address = buffer.kind == CubeBuffer::Kind::Activation ? kActivations
                   : buffer.kind == CubeBuffer::Kind::Input
                       ? int16_t(kActivations + 1 + buffer.index)
                       : int16_t(kActivations + 1 + block.getNumArguments() + buffer.index);
    cube.offset =
        uint32_t(buffer.offset + place.offset + part.firstChannel / lanes * place.surfaceStride +
                 part.firstRow * place.lineStride);
    cube.width = uint16_t(place.size.width);
    cube.height = uint16_t(part.rows);
    cube.channel = uint16_t(part.channels);
    cube.lineStride = uint32_t(place.lineStride);
    cube.surfaceStride = uint32_t(place.surfaceStride);
    cube.size = uint32_t(llvm::divideCeil(uint64_t(part.channels), uint64_t(lanes)) *
                         uint64_t(part.rows) * place.size.width * config.atomBytes);
    return cube;
  }

  CubePart wholeOf(Value value) const {
    const CubeSize &size = places[value].size;
    return {0, size.channels, 0, size.height};
  }

  /// Returns the descriptor of a cube that one engine passes directly to another.
  static CubeDescriptor streamOf(int64_t width, int64_t height, int64_t channels) {
    CubeDescriptor cube;
    cube.width = uint16_t(width);
    cube.height = uint16_t(height);
    cube.channel = uint16_t(channels);
    return cube;
  }

  size_t addOp(EngineDescriptor descriptor) {
    HardwareOp op;
    op.descriptor = std::move(descriptor);
    task.ops.push_back(std::move(op));
    return task.ops.size() - 1;
  }

  void addGroup(std::vector<size_t> ops) {
    result.groups.push_back({std::move(ops), result.layers.size() - 1});
  }

  CubeDescriptor constantCube(std::vector<uint8_t> bytes, uint32_t alignment) {
    CubeDescriptor cube;
    cube.type = CubeDescriptor::Dram;
    cube.address = kConstants;
    cube.size = uint32_t(bytes.size());
    cube.offset = constants.add(std::move(bytes), alignment);
    return cube;
  }

  CubeDescriptor weightCube(std::vector<uint8_t> packed, const ConvShape &shape,
                            const ConvPart &part) {
    packed.resize(llvm::alignTo(packed.size(), kWeightBytes));
    CubeDescriptor cube = constantCube(std::move(packed), kWeightAlignment);
    CubeSize kernel = shape.isWinograd
                          ? kernelOf(shape, part)
                          : CubeSize{uint32_t(shape.kernelWidth), uint32_t(shape.kernelHeight),
                                     uint32_t(part.channels)};
    cube.width = uint16_t(kernel.width);
    cube.height = uint16_t(kernel.height);
    cube.channel = uint16_t(kernel.channels);
    return cube;
  }

  ConvDescriptor convDescriptor(const ConvShape &shape, const ConvPart &part, const RowBand &band,
                                const BufferPlan &plan) const {
    ConvDescriptor d;
    d.inPrecision = d.outPrecision = uint8_t(shape.precision);
    d.entriesPerSlice = uint16_t(plan.entriesPerRow);
    d.dataBanks = uint8_t(plan.dataBanks);
    d.weightBanks = uint8_t(plan.weightBanks);
    bool hasBands = plan.bands.size() > 1;
    d.weightReuse = plan.weightsStay && hasBands && band.firstRow > 0;
    d.skipWeightRelease =
        plan.weightsStay && hasBands && band.firstRow + band.rows < shape.outHeight;
    d.release = uint16_t(band.inputRows);
    d.inputWidth = uint16_t(shape.usedWidth());
    d.inputHeight = uint16_t(band.inputRows);
    d.inputChannel = uint16_t(part.channels);
    CubeSize kernel = kernelOf(shape, part);
    d.kernelWidth = uint16_t(kernel.width);
    d.kernelHeight = uint16_t(kernel.height);
    d.kernelChannel = uint16_t(kernel.channels);
    if (shape.isWinograd) { // CSC counts padding too
      d.mode = 1;
      d.inputWidth = uint16_t(shape.reach());
      d.inputHeight = uint16_t(band.padTop + band.inputRows + band.padBottom);
      d.release = d.inputHeight;
      d.inputChannel = uint16_t(kernel.channels);
    }
    if (shape.samples != 0) {
      d.dataFormat = pixelFormatOf(shape.samples, shape.precision);
      d.pixelOverride = 1; // signed, like features
      d.postExtension = uint8_t(shape.mergedRows / 2);
    }
    d.outWidth = uint16_t(shape.writtenWidth());
    d.outHeight = uint16_t(band.rows);
    d.bytesPerKernel = uint32_t(weightBytes(shape, part) / part.kernels);
    d.strideX = uint8_t(shape.strideX);
    d.strideY = uint8_t(shape.strideY);
    d.dilationX = uint8_t(shape.dilationX);
    d.dilationY = uint8_t(shape.dilationY);
    d.padLeft = uint8_t(shape.padLeft);
    d.padRight = uint8_t(shape.padRight());
    d.padTop = uint8_t(band.padTop);
    d.padBottom = uint8_t(band.padBottom);
    d.target = streamOf(d.outWidth, band.rows, part.kernels);
    return d;
  }

  LogicalResult emitConv(ConvOp conv, SdpOp sdp) {
    ConvShape shape = shapeOf(conv, config);
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
        d.source = cubeOfPart(conv.getInput(),
                              {part.firstChannel, part.channels, band.firstInput, band.inputRows});
        d.source.width = uint16_t(shape.usedWidth());
        emitFused(d, sdp, {part.firstKernel, part.kernels, band.firstRow, band.rows});
      }
    }
    return success();
  }

  /// Emits one convolution per atom. Its input cube has two surfaces, one of each operand, and the
  /// surface stride is the distance between the operands.
  LogicalResult emitBlend(BlendOp blend, SdpOp sdp) {
    ConvShape shape;
    shape.precision = precisionOf(blend.getLhs().getType());
    const CubePlace &place = places[blend.getLhs()];
    int64_t lanes = lanesOf(config, shape.precision);
    int64_t factors[] = {static_cast<int64_t>(blend.getLhsFactor()),
                         static_cast<int64_t>(blend.getRhsFactor())};
    shape.outWidth = place.size.width;
    shape.outHeight = place.size.height;
    for (int64_t first = 0; first < place.size.channels; first += lanes) {
      int64_t count = std::min<int64_t>(lanes, place.size.channels - first);
      CubePart atom = {first, count, 0, place.size.height};
      CubeDescriptor low = cubeOfPart(blend.getLhs(), atom);
      CubeDescriptor high = cubeOfPart(blend.getRhs(), atom);
      bool isSwapped = low.offset > high.offset;
      if (isSwapped) {
        std::swap(low, high);
      }
      shape.kernels = count;
      shape.groupInputs = lanes + count;
      shape.input = {place.size.width, place.size.height, uint32_t(lanes + count)};
      shape.channels = identityMap(lanes + count);
      ConvPart part = {0, count, 0, lanes + count};
      std::optional<BufferPlan> plan = planBuffer(shape, part, options);
      if (!plan) {
        return blend.emitOpError("does not fit in the convolution buffer of ") << config.name;
      }
      auto factorAt = [&](int64_t k, int64_t c, int64_t, int64_t) -> uint16_t {
        bool isSecond = c >= lanes;
        return c % lanes == k ? uint8_t(factors[isSecond != isSwapped]) : 0;
      };
      CubeDescriptor weights = weightCube(packWeights(shape, part, config, factorAt), shape, part);
      for (const RowBand &band : plan->bands) {
        ConvDescriptor d = convDescriptor(shape, part, band, *plan);
        d.weights = weights;
        d.source = low;
        d.source.offset += uint32_t(band.firstInput * low.lineStride);
        d.source.channel = uint16_t(part.channels);
        d.source.height = uint16_t(band.inputRows);
        d.source.surfaceStride = high.offset - low.offset;
        emitFused(d, sdp, {first, count, band.firstRow, band.rows});
      }
    }
    return success();
  }

  /// Reuses the weights of the previous job if they are the same and all of them are in the buffer.
  void keepWeights(ConvDescriptor &d) {
    uint64_t bankBytes = uint64_t(config.cbufEntriesPerBank) * config.cbufEntryBytes;
    if (!lastConv || options.isSeparate || d.weights.size > d.weightBanks * bankBytes) {
      return;
    }
    auto &before = std::get<ConvDescriptor>(task.ops[*lastConv].descriptor);
    bool isSame = before.weights.offset == d.weights.offset &&
                  before.weights.size == d.weights.size && before.weightBanks == d.weightBanks &&
                  before.dataBanks == d.dataBanks && before.target.channel == d.target.channel;
    if (isSame) {
      before.skipWeightRelease = d.weightReuse = 1;
    }
  }

  void emitFused(const ConvDescriptor &conv, SdpOp sdp, const CubePart &part) {
    ConvDescriptor d = conv;
    SdpDescriptor post = sdpDescriptor(sdp, part);
    post.source = d.target;
    post.convMode = d.mode;
    post.target.width = d.outWidth;
    if (!sdp.getToPdp()) {
      d.target.lineStride = post.target.lineStride;
      d.target.surfaceStride = post.target.surfaceStride;
    }
    keepWeights(d);
    size_t first = addOp(d);
    lastConv = first;
    std::vector<size_t> ops = {first, addOp(post)};
    if (sdp.getToPdp()) {
      ops.push_back(addOp(pdpDescriptor(cast<PdpOp>(*sdp->getUsers().begin()))));
    }
    addGroup(std::move(ops));
  }

  /// Fills in a stage and returns the cube of its operands.
  CubeDescriptor setStage(std::optional<StageAttr> attr, Value data, const CubePart &part,
                          SdpStageDescriptor &stage) {
    if (!attr) {
      return {};
    }
    stage.enable = 1;
    bool hasAlu = attr->getAlu() != Alu::None;
    stage.alu = uint8_t(hasAlu ? attr->getAlu() : Alu::Sum);
    stage.type =
        (attr->getMul() ? SdpStageDescriptor::Mul : 0) | (hasAlu ? SdpStageDescriptor::Alu : 0);
    stage.mode = uint8_t(attr->getFrom());
    stage.activation =
        attr->getRelu() ? SdpStageDescriptor::Relu : SdpStageDescriptor::NoActivation;
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
      return cubeOfPart(data, part);
    }
    if (attr->getFrom() == OperandSource::Register) {
      return {};
    }
    return kernelOperands(*graph::constantValue(data), part);
  }

  /// Returns the operands of a part's kernels, padded to whole atoms.
  CubeDescriptor kernelOperands(const Tensor &operands, const CubePart &part) {
    int64_t perKernel = operands.bytes() / operands.dim(0);
    const auto *from = operands.data<uint8_t>() + part.firstChannel * perKernel;
    std::vector<uint8_t> bytes(from, from + part.channels * perKernel);
    bytes.resize(llvm::alignTo(bytes.size(), config.atomBytes * perKernel));
    CubeDescriptor cube = constantCube(std::move(bytes), kOperandAlignment);
    cube.width = cube.height = 1;
    cube.channel = uint16_t(part.channels);
    cube.lineStride = cube.surfaceStride = uint32_t(config.atomBytes * perKernel);
    return cube;
  }

  SdpDescriptor sdpDescriptor(SdpOp sdp, const CubePart &part) {
    SdpDescriptor d;
    d.inPrecision = d.outPrecision = uint8_t(precisionOfOp(sdp));
    d.x1Data = setStage(sdp.getX1(), sdp.getX1Data(), part, d.x1);
    d.x2Data = setStage(sdp.getX2(), sdp.getX2Data(), part, d.x2);
    if (sdp.getTable() || sdp.getCurve()) {
      d.y.enable = 1;
      d.y.activation = SdpStageDescriptor::Lut;
      d.y.precision = d.outPrecision;
      d.lut = lutOf(sdp);
    }
    d.outConverter.enable = 1;
    d.outConverter.offset = int32_t(static_cast<int64_t>(sdp.getOffset()));
    d.outConverter.scale = int16_t(static_cast<int64_t>(sdp.getScale()));
    d.outConverter.truncate = uint8_t(sdp.getShift());
    d.target = sdp.getToPdp() ? streamOf(cubeOf(sdp.getType())->width, part.rows, part.channels)
                              : cubeOfPart(sdp, part);
    return d;
  }

  /// Returns the table of a layer, which all its jobs share.
  int16_t lutOf(SdpOp sdp) {
    auto [known, isNew] = luts.try_emplace(sdp, int16_t(task.luts.size()));
    if (isNew && sdp.getTable()) {
      Tensor table = *graph::constantValue(sdp.getTable());
      task.luts.push_back(describeLut(placeLookup({table.data<int16_t>(), size_t(table.size())})));
    } else if (isNew) {
      bool isTanh = sdp.getCurve() == CurveKind::Tanh;
      task.luts.push_back(describeLut(halfCurve(isTanh ? Curve::Tanh : Curve::Sigmoid)));
    }
    return known->second;
  }

  LogicalResult emitSdp(SdpOp sdp) {
    result.layers.push_back(nameOf(sdp.getLoc()));
    if (auto conv = sdp.getSource().getDefiningOp<ConvOp>()) {
      return emitConv(conv, sdp);
    }
    if (auto blend = sdp.getSource().getDefiningOp<BlendOp>()) {
      return emitBlend(blend, sdp);
    }
    CubePart whole = wholeOf(sdp.getSource());
    SdpDescriptor d = sdpDescriptor(sdp, whole);
    d.source = cubeOfPart(sdp.getSource(), whole);
    std::vector<size_t> ops = {addOp(d)};
    if (sdp.getToPdp()) {
      ops.push_back(addOp(pdpDescriptor(cast<PdpOp>(*sdp->getUsers().begin()))));
    }
    addGroup(std::move(ops));
    return success();
  }

  PdpDescriptor pdpDescriptor(PdpOp pdp) {
    PdpDescriptor d;
    ArrayRef<int64_t> pads = pdp.getPads();
    CubeSize in = *cubeOf(pdp.getInput().getType());
    d.precision = uint8_t(precisionOfOp(pdp));
    d.method = uint8_t(pdp.getMethod());
    d.kernelHeightMinusOne = uint8_t(pdp.getKernel()[0] - 1);
    d.kernelWidthMinusOne = uint8_t(pdp.getKernel()[1] - 1);
    d.strideY = uint8_t(pdp.getStrides()[0]);
    d.strideX = uint8_t(pdp.getStrides()[1]);
    d.padTop = uint8_t(pads[0]);
    d.padLeft = uint8_t(pads[1]);
    d.target = cubeOfPart(pdp, wholeOf(pdp));
    auto behind = [](int64_t outputs, int64_t stride, int64_t kernel, int64_t pad, int64_t size) {
      return uint8_t(std::max<int64_t>((outputs - 1) * stride + kernel - pad - size, 0));
    };
    d.padBottom = behind(d.target.height, d.strideY, pdp.getKernel()[0], pads[0], in.height);
    d.padRight = behind(d.target.width, d.strideX, pdp.getKernel()[1], pads[1], in.width);
    for (auto [i, value] : llvm::enumerate(d.padValues)) {
      value = int32_t(static_cast<int64_t>(pdp.getPadValue()) * int64_t(i + 1));
    }
    auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
    bool isFlying = sdp && sdp.getToPdp();
    d.source = isFlying ? streamOf(in.width, in.height, d.target.channel)
                        : cubeOfPart(pdp.getInput(), wholeOf(pdp.getInput()));
    d.partialIn[0] = d.source.width;
    d.partialOut[0] = d.target.width;
    return d;
  }

  LogicalResult emitPdp(PdpOp pdp) {
    auto sdp = pdp.getInput().getDefiningOp<SdpOp>();
    if (sdp && sdp.getToPdp()) {
      return success(); // emitted with its SDP
    }
    result.layers.push_back(nameOf(pdp.getLoc()));
    addGroup({addOp(pdpDescriptor(pdp))});
    return success();
  }

  LogicalResult emitCdp(CdpOp cdp) {
    result.layers.push_back(nameOf(cdp.getLoc()));
    Normalization lrn{uint32_t(cdp.getSize()), cdp.getAlpha().convertToDouble(),
                      cdp.getBeta().convertToDouble(), cdp.getBias().convertToDouble()};
    // Upper end of the table, where the factor has fallen to about 1/20; larger sums are
    // approximated.
    constexpr double kReach = 64;
    CdpDescriptor d;
    d.window = uint8_t(lrn.window);
    d.inConverter.scale = d.outConverter.scale = 1;
    addCdp(cdp, d, halfNormalization(lrn, kReach * lrn.bias * lrn.window / lrn.alpha));
    return success();
  }

  LogicalResult emitTableCdp(TableCdpOp cdp) {
    result.layers.push_back(nameOf(cdp.getLoc()));
    auto converter = [](int64_t scale, int64_t shift, int64_t offset) {
      return ConverterDescriptor{int16_t(scale), uint8_t(shift), 1, int32_t(offset)};
    };
    CdpDescriptor d;
    d.window = uint8_t(cdp.getSize());
    d.inConverter = converter(1, 0, static_cast<int64_t>(cdp.getInOffset()));
    d.outConverter =
        converter(static_cast<int64_t>(cdp.getScale()), static_cast<int64_t>(cdp.getShift()),
                  -static_cast<int64_t>(cdp.getBias()));
    Tensor near = *graph::constantValue(cdp.getNear());
    Tensor far = *graph::constantValue(cdp.getFar());
    addCdp(cdp, d,
           placeTables({{near.data<int16_t>(), size_t(near.size())},
                        {far.data<int16_t>(), size_t(far.size())},
                        static_cast<int64_t>(cdp.getNearShift()),
                        static_cast<int64_t>(cdp.getFarStart()),
                        static_cast<int64_t>(cdp.getFarShift())}));
    return success();
  }

  void addCdp(Operation *cdp, CdpDescriptor d, const LutTables &lut) {
    d.inPrecision = d.outPrecision = uint8_t(precisionOfOp(cdp));
    d.lut = int16_t(task.luts.size());
    task.luts.push_back(describeLut(lut));
    d.source = cubeOfPart(cdp->getOperand(0), wholeOf(cdp->getOperand(0)));
    d.target = cubeOfPart(cdp->getResult(0), wholeOf(cdp->getResult(0)));
    addGroup({addOp(d)});
  }

  LoadableTensor tensorOf(Value value, const std::string &name) const {
    const CubePlace &place = places[value];
    bool isByte = precisionOf(value.getType()) == Precision::Int8;
    LoadableTensor tensor;
    tensor.name = name;
    tensor.size = uint64_t(places.buffer(place.buffer).bytes);
    tensor.dataFormat = 3; // NVDLA's feature format
    tensor.dataType = isByte ? 4 : 2;
    tensor.dataCategory = 2;
    tensor.pixelFormat = config.atomBytes == 8 ? kFeatureX8 : kFeature;
    if (int64_t samples = pixelSamples(value)) {
      tensor.dataFormat = 2; // image format
      tensor.dataCategory = 0;
      tensor.pixelFormat = pixelFormatOf(samples, precisionOf(value.getType()));
    }
    tensor.n = 1;
    tensor.c = int32_t(place.size.channels);
    tensor.h = int32_t(place.size.height);
    tensor.w = int32_t(place.size.width);
    tensor.strides = {uint32_t(isByte ? 1 : 2), uint32_t(place.lineStride),
                      uint32_t(place.surfaceStride)};
    return tensor;
  }

  void finish() {
    LoadableBuilder builder;
    int16_t constant =
        builder.addMemory(LoadableMemory::Alloc, std::max<size_t>(constants.bytes().size(), 1));
    builder.fill(constant, 0, "constants", constants.bytes());
    builder.addMemory(LoadableMemory::Alloc, std::max<int64_t>(places.activationBytes(), 1));
    auto bind = [&](Value value, uint16_t flag, size_t index, const char *kind) {
      uint64_t bytes = uint64_t(places.buffer(places[value].buffer).bytes);
      int16_t memory = builder.addMemory(LoadableMemory::Alloc | flag, bytes);
      builder.bind(memory, uint16_t(index), tensorOf(value, kind + std::to_string(index)));
    };
    for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
      bind(argument, LoadableMemory::Input, i, "input");
    }
    for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
      bind(value, LoadableMemory::Output, i, "output");
    }
    builder.addTask(task);
    result.loadable = builder.take();
  }

  mlir::Block &block;
  const NvdlaOptions &options;
  const HardwareConfig &config;
  PlacedCubes places;
  ConstantRegion constants;
  DlaTask task;
  llvm::DenseMap<Operation *, int16_t> luts;
  std::optional<size_t> lastConv;
  EmittedLoadable result;
};

} // namespace

FailureOr<EmittedLoadable> emitLoadable(func::FuncOp function, const NvdlaOptions &options) {
  return Emitter(function, options).run();
}

} // namespace convoy::nvdla
