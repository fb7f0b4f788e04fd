// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers convcore ops to layers, and refuses ops that the device does not support. Each reason
// states what the op has and what the device supports.

#include "Accelerators/Abstract/LowerLayer.h"

#include "ConvCore/ConvCore.h"
#include "Graph/Constant.h"
#include "abstract/isa.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::abstract {
namespace {

using accelerators::Refusal;

/// Maximum number of copies for one op, because each copy costs instructions.
constexpr int64_t kMostPieces = 16;
constexpr int64_t kMostSide = 8192;      // rows and columns, from registers.inc
constexpr int64_t kMostChannels = 32768; // from registers.inc

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

ElementType elementOf(Value value) { return fromMlir(typeOf(value).getElementType()); }

int32_t word(int64_t value) { return static_cast<int32_t>(value); }

/// Returns the device's number of a type, or nothing if the device does not support the type.
std::optional<int32_t> deviceType(ElementType type, const Parameters &parameters) {
  switch (type) {
  case ElementType::U8:
    return CONVOY_ABSTRACT_U8;
  case ElementType::I8:
    return CONVOY_ABSTRACT_S8;
  case ElementType::I16:
    return parameters.device.wide_data ? std::optional<int32_t>(CONVOY_ABSTRACT_S16) : std::nullopt;
  default:
    return std::nullopt;
  }
}

class OpLowering {
public:
  OpLowering(Operation *op, const Parameters &parameters) : op(op), parameters(parameters) {}

  LoweredOp run() {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](convcore::ConvOp conv) { lowerConv(conv); })
        .Case([&](convcore::PoolOp pool) { lowerPool(pool); })
        .Case([&](convcore::EltwiseOp eltwise) { lowerEltwise(eltwise); })
        .Case([&](convcore::LookupOp lookup) { lowerLookup(lookup); })
        .Case([&](convcore::RequantizeOp requantize) { lowerRequantize(requantize); })
        .Case([&](convcore::ConcatOp concat) { lowerConcat(concat); })
        .Case([&](convcore::SliceOp slice) { lowerSlice(slice); })
        .Case([&](convcore::CopyOp copy) {
          addCopy(0, 0, 0, typeOf(copy.getResult()).getNumElements());
        })
        .Case([&](convcore::ReshapeOp) {})
        .Default([&](Operation *other) {
          refuse("the device does not support " + other->getName().stripDialect());
        });
    for (size_t i = 0; i < result.parts.size() && !result.refusal; ++i) {
      checkLayer(result.parts[i].layer);
    }
    return std::move(result);
  }

private:
  void refuse(const llvm::Twine &reason, const llvm::Twine &remedy = "") {
    if (!result.refusal) {
      result.refusal = Refusal{reason.str(), remedy.str(), std::nullopt};
    }
  }

  static bool endsInPadding(const Layer &layer) {
    return int64_t{layer.out_h - 1} * layer.stride_h - layer.pad_top >= layer.in_h ||
           int64_t{layer.out_w - 1} * layer.stride_w - layer.pad_left >= layer.in_w;
  }

  /// Returns a non-zero zero point of the layer, or 0 if there is none.
  static int32_t zeroOf(const Layer &layer) {
    return layer.in_zero != 0    ? layer.in_zero
           : layer.in2_zero != 0 ? layer.in2_zero
                                 : layer.out_zero;
  }

  /// Checks the layer against the ranges of the registers and the size of the local memory.
  void checkLayer(const Layer &layer) {
    int64_t taps = int64_t{layer.kernel_h} * layer.kernel_w *
                   (layer.op == CONVOY_ABSTRACT_OP_conv ? layer.in_c / layer.groups : 1);
    int64_t most = layer.in_type == CONVOY_ABSTRACT_S16 ? CONVOY_ABSTRACT_MOST_WIDE_TAPS
                                                        : CONVOY_ABSTRACT_MOST_TAPS;
    uint64_t bytes = convoy_abstract_layer_bytes(&layer, parameters.options.tiling);
    if (taps > most) {
      refuse(llvm::formatv("a sum has {0} products; the device supports at most {1}", taps, most)
                 .str());
    } else if (endsInPadding(layer)) {
      refuse("its last window lies entirely in the padding behind the last row or column");
    } else if (int32_t zero = zeroOf(layer);
               zero != 0 && !parameters.device.activation_zero_points) {
      refuse(llvm::formatv("a tensor has zero point {0}; the device supports only 0", zero).str(),
             "set activation_zero_points=true");
    } else if (convoy_abstract_check_layer(&parameters.device, &layer) != CONVOY_ABSTRACT_OK) {
      refuse("a size exceeds the range of the device's registers");
    } else if (bytes > (parameters.device.memory_bytes & ~15u)) {
      refuse(llvm::formatv("the smallest tile needs {0} bytes of local memory; the device has {1}",
                           bytes, parameters.device.memory_bytes)
                 .str(),
             llvm::formatv("set memory_bytes to at least {0}", bytes).str());
    }
  }

  /// Returns a layer with the op's types and requantization and a 1x1 window.
  std::optional<Layer> start(uint32_t opcode, convcore::RequantAttr requant) {
    Layer layer = plainLayer(opcode);
    Value input = op->getOperand(0);
    Value output = op->getResult(0);
    std::optional<int32_t> inType = deviceType(elementOf(input), parameters);
    std::optional<int32_t> outType = deviceType(elementOf(output), parameters);
    if (!inType || !outType) {
      refuse(llvm::formatv("the device does not support {0} of type {1}",
                           outType ? "inputs" : "results",
                           name(elementOf(outType ? input : output)))
                 .str());
      return std::nullopt;
    }
    layer.in_type = *inType;
    layer.out_type = *outType;
    layer.scale = 1;
    layer.out_min = *outType == CONVOY_ABSTRACT_S8 ? -128 : *outType ? -32768 : 0;
    layer.out_max = *outType == CONVOY_ABSTRACT_S8 ? 127 : *outType ? 32767 : 255;
    if (requant) {
      layer.out_zero = word(requant.getZeroPoint());
      layer.out_min = word(requant.getLow());
      layer.out_max = word(requant.getHigh());
      layer.rounding = static_cast<int32_t>(requant.getRounding());
    }
    return layer;
  }

  /// Sets the multiplier and shift of a layer without a table.
  bool setScale(Layer &layer, convcore::RequantAttr requant, int64_t factor) {
    if (requant.getMultipliers().size() != 1) {
      refuse("the device supports only one multiplier for all channels of " +
             op->getName().stripDialect());
      return false;
    }
    int64_t scale = 0;
    if (llvm::MulOverflow(requant.getMultipliers()[0], factor, scale) || !llvm::isInt<32>(scale)) {
      refuse(llvm::formatv("the product of multipliers {0} and {1} has more than 32 bits",
                           requant.getMultipliers()[0], factor)
                 .str());
      return false;
    }
    layer.scale = word(scale);
    layer.shift = word(requant.getShifts()[0]);
    return true;
  }

  static void setWindow(Layer &layer, ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides,
                        ArrayRef<int64_t> dilations, ArrayRef<int64_t> pads) {
    layer.kernel_h = word(kernel[0]);
    layer.kernel_w = word(kernel[1]);
    layer.stride_h = word(strides[0]);
    layer.stride_w = word(strides[1]);
    layer.dilation_h = word(dilations[0]);
    layer.dilation_w = word(dilations[1]);
    layer.pad_top = word(pads[0]);
    layer.pad_left = word(pads[1]);
  }

  static void setShape(Layer &layer, ArrayRef<int64_t> in, ArrayRef<int64_t> out, int64_t batch) {
    layer.in_c = word(in[1] * batch);
    layer.in_h = word(in[2]);
    layer.in_w = word(in[3]);
    layer.out_c = word(out[1] * batch);
    layer.out_h = word(out[2]);
    layer.out_w = word(out[3]);
  }

  void lowerConv(convcore::ConvOp conv) {
    convcore::RequantAttr requant = conv.getRequantAttr();
    ArrayRef<int64_t> in = typeOf(conv.getInput()).getShape();
    ArrayRef<int64_t> out = typeOf(conv.getResult()).getShape();
    auto groups = static_cast<int64_t>(conv.getGroups());
    if (!requant) {
      return refuse("the device does not write 32-bit sums; the result needs a requantization");
    }
    if (groups > 1 && groups == in[1] && parameters.depthwise == Depthwise::None) {
      return refuse("the device does not support depthwise convolution",
                    "set depthwise=mapped or depthwise=native");
    }
    ElementType weightType = elementOf(conv.getWeight());
    if (!graph::constantValue(conv.getWeight()) ||
        (conv.getBias() && !graph::constantValue(conv.getBias())) ||
        (weightType != ElementType::U8 && weightType != ElementType::I8)) {
      return refuse("the device supports only constant weights of 8 bits and constant biases");
    }
    std::optional<Layer> layer = start(CONVOY_ABSTRACT_OP_conv, requant);
    if (!layer) {
      return;
    }
    setShape(*layer, in, out, 1);
    setWindow(*layer, typeOf(conv.getWeight()).getShape().drop_front(2), conv.getStrides(),
              conv.getDilations(), conv.getPads());
    layer->groups = word(groups);
    layer->in_zero = word(conv.getInputZeroPoint());
    layer->weight_type = weightType == ElementType::I8;
    layer->weight_zeros = conv.getWeightZeroPoint() != 0;
    for (int64_t n = 0; n < in[0]; ++n) {
      result.parts.push_back({*layer, 0, n * in[1] * in[2] * in[3], n * out[1] * out[2] * out[3]});
    }
  }

  void lowerPool(convcore::PoolOp pool) {
    bool isMax = pool.getKind() == convcore::PoolKind::Max;
    convcore::RequantAttr requant = pool.getRequantAttr();
    if (pool.getKind() == convcore::PoolKind::Min || (!isMax && !requant)) {
      return refuse(isMax ? ""
                          : "the device supports only max pooling and requantized average pooling");
    }
    std::optional<Layer> layer =
        start(isMax ? CONVOY_ABSTRACT_OP_maxpool : CONVOY_ABSTRACT_OP_avgpool, requant);
    if (!layer || (requant && !setScale(*layer, requant, 1))) {
      return;
    }
    ArrayRef<int64_t> in = typeOf(pool.getInput()).getShape();
    // Pooling treats the channels of all images alike, so the batch is folded into the channels.
    setShape(*layer, in, typeOf(pool.getResult()).getShape(), in[0]);
    setWindow(*layer, pool.getKernel(), pool.getStrides(), {1, 1}, pool.getPads());
    layer->in_zero = isMax ? 0 : word(pool.getInputZeroPoint());
    result.parts.push_back({*layer, 0, 0, 0});
  }

  /// Arranges elements as channels, rows and columns within the ranges of the registers.
  bool setElements(Layer &layer, int64_t elements) {
    auto largestDivisor = [](int64_t value, int64_t most) {
      int64_t divisor = std::min(value, most);
      while (divisor > 1 && value % divisor != 0) {
        --divisor;
      }
      return divisor;
    };
    int64_t columns = largestDivisor(elements, kMostSide);
    int64_t channels = largestDivisor(elements / std::max<int64_t>(columns, 1), kMostChannels);
    int64_t rows = elements == 0 ? 0 : elements / columns / channels;
    if (rows == 0 || rows > kMostSide) {
      refuse(llvm::formatv("{0} elements cannot be arranged in rows of at most {1}", elements,
                           kMostSide)
                 .str());
      return false;
    }
    layer.in_c = layer.out_c = word(channels);
    layer.in_h = layer.out_h = word(rows);
    layer.in_w = layer.out_w = word(columns);
    return true;
  }

  void lowerEltwise(convcore::EltwiseOp eltwise) {
    bool isMul = eltwise.getKind() == convcore::EltwiseKind::Mul;
    bool isSub = eltwise.getKind() == convcore::EltwiseKind::Sub;
    convcore::RequantAttr requant = eltwise.getRequantAttr();
    if (!requant || !(isMul || isSub || eltwise.getKind() == convcore::EltwiseKind::Add)) {
      return refuse("the device supports eltwise only as requantized add, sub and mul");
    }
    if (eltwise.getBias() != 0) {
      return refuse("the device supports eltwise only without a bias");
    }
    std::optional<int32_t> second = deviceType(elementOf(eltwise.getRhs()), parameters);
    if (typeOf(eltwise.getLhs()).getShape() != typeOf(eltwise.getRhs()).getShape() || !second) {
      return refuse("the device supports eltwise only of two tensors of the same shape");
    }
    std::optional<Layer> layer =
        start(isMul ? CONVOY_ABSTRACT_OP_mul : CONVOY_ABSTRACT_OP_add, requant);
    auto left = static_cast<int64_t>(eltwise.getLhsMultiplier());
    auto right = static_cast<int64_t>(eltwise.getRhsMultiplier()) * (isSub ? -1 : 1);
    if (!layer || (isMul && !llvm::isInt<32>(left * right))) {
      return refuse("the product of multipliers has more than 32 bits");
    }
    Layer other = *layer;
    if (!setScale(other, requant, isMul ? 1 : right) ||
        !setScale(*layer, requant, isMul ? left * right : left) ||
        !setElements(*layer, typeOf(eltwise.getResult()).getNumElements())) {
      return;
    }
    layer->scale2 = other.scale;
    layer->in2_type = *second;
    layer->in_zero = word(eltwise.getLhsZeroPoint());
    layer->in2_zero = word(eltwise.getRhsZeroPoint());
    result.parts.push_back({*layer, 0, 0, 0});
  }

  void lowerLookup(convcore::LookupOp lookup) {
    std::optional<Tensor> table = graph::constantValue(lookup.getTable());
    if (!table || storageBytes(table->type()) != 1) {
      return refuse("the device supports only constant lookup tables of 256 bytes");
    }
    std::optional<Layer> layer = start(CONVOY_ABSTRACT_OP_lookup, nullptr);
    if (layer && setElements(*layer, typeOf(lookup.getResult()).getNumElements())) {
      result.parts.push_back({*layer, 0, 0, 0});
    }
  }

  void lowerRequantize(convcore::RequantizeOp requantize) {
    std::optional<Layer> layer = start(CONVOY_ABSTRACT_OP_avgpool, requantize.getRequant());
    if (layer && setScale(*layer, requantize.getRequant(), 1) &&
        setElements(*layer, typeOf(requantize.getResult()).getNumElements())) {
      layer->in_zero = word(requantize.getInputZeroPoint());
      result.parts.push_back({*layer, 0, 0, 0});
    }
  }

  /// Copies contiguous elements as an average pool with a 1x1 window.
  void addCopy(size_t operand, int64_t from, int64_t to, int64_t elements) {
    std::optional<Layer> layer = start(CONVOY_ABSTRACT_OP_avgpool, nullptr);
    if (layer && elements > 0 && setElements(*layer, elements)) {
      result.parts.push_back({*layer, operand, from, to});
    }
  }

  static int64_t product(ArrayRef<int64_t> dims) {
    int64_t result = 1;
    for (int64_t dim : dims) {
      result *= dim;
    }
    return result;
  }

  void lowerConcat(convcore::ConcatOp concat) {
    ArrayRef<int64_t> out = typeOf(concat.getResult()).getShape();
    auto axis = static_cast<size_t>(concat.getAxis());
    int64_t pieces = product(out.take_front(axis));
    if (pieces > kMostPieces) {
      return refuse(llvm::formatv("a concatenation along dimension {0} has {1} pieces of each "
                                  "input; the device supports at most {2}",
                                  axis, pieces, kMostPieces)
                        .str());
    }
    int64_t outStep = product(out.drop_front(axis));
    int64_t start = 0;
    for (auto [index, input] : llvm::enumerate(concat.getInputs())) {
      int64_t step = product(typeOf(input).getShape().drop_front(axis));
      for (int64_t piece = 0; piece < pieces; ++piece) {
        addCopy(index, piece * step, piece * outStep + start, step);
      }
      start += step;
    }
  }

  void lowerSlice(convcore::SliceOp slice) {
    ArrayRef<int64_t> in = typeOf(slice.getInput()).getShape();
    ArrayRef<int64_t> sizes = slice.getSizes();
    // `axis` is the last dimension that is cut. Each index of the dimensions before it is one
    // piece.
    size_t axis = in.size();
    while (axis > 0 && sizes[axis - 1] == in[axis - 1]) {
      --axis;
    }
    axis = axis == 0 ? 0 : axis - 1;
    int64_t pieces = product(sizes.take_front(axis));
    bool isCutBefore = sizes.take_front(axis) != in.take_front(axis);
    if (pieces > kMostPieces || isCutBefore || in.empty()) {
      return refuse(
          llvm::formatv("the device supports slice only along one dimension, in at most {0} pieces",
                        kMostPieces)
              .str());
    }
    int64_t inner = product(in.drop_front(axis + 1));
    for (int64_t piece = 0; piece < pieces; ++piece) {
      addCopy(0, (piece * in[axis] + slice.getOffsets()[axis]) * inner, piece * sizes[axis] * inner,
              sizes[axis] * inner);
    }
  }

  Operation *op;
  const Parameters &parameters;
  LoweredOp result;
};

} // namespace

LoweredOp lowerOp(Operation *op, const Parameters &parameters) {
  return OpLowering(op, parameters).run();
}

std::vector<ChannelTable> tableOf(Operation *op) {
  auto conv = cast<convcore::ConvOp>(op);
  convcore::RequantAttr requant = conv.getRequantAttr();
  std::optional<Tensor> bias;
  if (conv.getBias()) {
    bias = graph::constantValue(conv.getBias());
  }
  int64_t channels = typeOf(conv.getResult()).getShape()[1];
  bool isPerChannel = requant.getMultipliers().size() > 1;
  std::vector<ChannelTable> table;
  for (int64_t c = 0; c < channels; ++c) {
    size_t entry = isPerChannel ? static_cast<size_t>(c) : 0;
    table.push_back({bias ? word(bias->asInt(c)) : 0, word(requant.getMultipliers()[entry]),
                     word(requant.getShifts()[entry]), word(conv.getWeightZeroPoint())});
  }
  return table;
}

Value weightsOf(Operation *op) {
  if (auto conv = dyn_cast<convcore::ConvOp>(op)) {
    return conv.getWeight();
  }
  auto lookup = dyn_cast<convcore::LookupOp>(op);
  return lookup ? lookup.getTable() : Value();
}

} // namespace convoy::abstract
