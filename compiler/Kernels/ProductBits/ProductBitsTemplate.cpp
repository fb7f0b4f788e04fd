// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product_bits template: matches kernels, and chooses a configuration by its estimated cycles.

#include "Graph/OpFacts.h"
#include "Kernels/MatchingTemplate.h"
#include "Kernels/ProductBits/ProductBits.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

/// The largest tile of rows that is converted in registers, and the most rows of such a product:
/// each tile converts all weights again.
constexpr int64_t kPackedTileRows = 4;
constexpr int64_t kMostPackedRows = 2 * kPackedTileRows;
/// The rows of a tile of converted weights. The rows of the input are far apart, and the
/// first-level cache has room for eight lines with the same place in a page.
constexpr int64_t kConvertedTileRows = 6;
/// Bytes of a converted panel, a part of the second-level cache.
constexpr int64_t kPanelBytes = int64_t(128) << 10;
/// The number of steps of the range, if there are enough panels.
constexpr int64_t kSteps = 64;
/// Cycles to convert a vector of weights in registers, and to scratch memory.
constexpr double kInRegisterCycles = 1;
constexpr double kConvertCycles = 3;
/// The time of products of bytes, relative to that of f32: four weights share an instruction.
constexpr double kByteShare = 0.4;
/// Three bytes have the precision of f32.
constexpr int64_t kInputBytes = 3;
/// The longest block whose sums of products of bytes fit in 32 bits.
constexpr int64_t kMostByteBlock = int64_t(1) << 15;
constexpr int64_t kMostVectors = 4;
/// More elements of the input would take too much scratch memory.
constexpr int64_t kMostInputs = int64_t(1) << 22;

/// The ways to convert weights.
enum class Conversion { Bytes, InRegisters, InMemory };

/// Returns the reason why the products cannot be exact sums of integers, or an empty string.
std::string whyNotBytes(const BitsProduct &p, const Machine &machine) {
  if (machine.dot == DotForm::None || machine.dot == DotForm::Pairs) {
    return "the target has no instruction for dot products of four bytes";
  }
  return p.block > kMostByteBlock ? "the sums of a block do not fit in 32 bits" : "";
}

ProductBitsAttr configure(const BitsProduct &p, const Machine &machine, Conversion conversion,
                          MLIRContext *context) {
  bool isInMemory = conversion == Conversion::InMemory;
  int64_t most = isInMemory ? kConvertedTileRows : kPackedTileRows;
  int64_t bytes = conversion == Conversion::Bytes ? kInputBytes : 0;
  // Registers per vector of columns and row: the sums of a block of each byte, and the sum of all
  // blocks.
  int64_t perRow = isInMemory ? 1 : std::max<int64_t>(bytes, 1) + 1;
  int64_t registers = machine.tileRegisters() - 2;
  int64_t rows = ceilDiv(p.rows, ceilDiv(p.rows, most)); // tiles of nearly equal sizes
  rows = std::clamp<int64_t>((registers - 1) / perRow, 1, rows);
  int64_t vectors = kMostVectors;
  while (vectors > 1 && vectors * (perRow * rows + 1) > registers) {
    vectors /= 2;
  }
  vectors = std::min(vectors, ceilDiv(p.columns, machine.lanes()));
  int64_t width = vectors * machine.lanes();
  int64_t blocks = std::clamp<int64_t>(kPanelBytes / (p.block * width * 4), 1, p.blocks());
  blocks = ceilDiv(p.blocks(), ceilDiv(p.blocks(), blocks));
  int64_t panels = ceilDiv(p.columns, width);
  return ProductBitsAttr::get(context, machine.lanes(), vectors, rows,
                              isInMemory ? blocks * p.block : 0, bytes, ceilDiv(panels, kSteps));
}

double cyclesOf(const BitsProduct &p, ProductBitsAttr config, const Machine &machine) {
  auto vectors = static_cast<double>(p.depth * ceilDiv(p.columns, config.getLanes()));
  double products = static_cast<double>(p.rows) / machine.multiplyAddsPerCycle();
  if (config.getDepth() > 0) {
    return vectors * (products + kConvertCycles);
  }
  auto tiles = static_cast<double>(ceilDiv(p.rows, config.getRows()));
  double perWeight = config.getBytes() > 0 ? kByteShare : 1;
  return vectors * perWeight * (products + kInRegisterCycles * tiles);
}

/// Returns the argument that an operand is, or null if it is not an argument with one reader.
BlockArgument onlyRead(Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument && argument.hasOneUse() ? argument : BlockArgument();
}

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isPacked(ElementType type) {
  return isInteger(type) && (bitWidth(type) == 2 || bitWidth(type) == 4 || bitWidth(type) == 8);
}

/// Fills the facts about the matrix. Returns the reason why the template does not support it, or an
/// empty string.
std::string setWeights(graph::DequantizeLinearOp op, BitsProduct &p) {
  BlockArgument weight = onlyRead(op.getInput()), scale = onlyRead(op.getScale());
  BlockArgument zeroPoint = onlyRead(op.getZeroPoint());
  if (!weight || !scale || (op.getZeroPoint() && !zeroPoint)) {
    return "another op of the kernel computes or reads the weights of the product";
  }
  RankedTensorType type = typeOf(weight);
  ElementType element = fromMlir(type.getElementType());
  ElementType scaleElement = fromMlir(typeOf(scale).getElementType());
  if (!isPacked(element) || !isFloat(scaleElement) || bitWidth(scaleElement) < 16 ||
      scaleElement == ElementType::F64 || !typeOf(op.getResult()).getElementType().isF32()) {
    return "the weights are not integers of 2, 4 or 8 bits with a floating-point scale";
  }
  p.bits = bitWidth(element);
  p.block = static_cast<int64_t>(op.getBlockSize());
  if (type.getRank() != 2 || op.getAxis() != 0 || p.block <= 0 || p.block % p.perWord() != 0) {
    return "the scales of the weights are not those of blocks of whole words along the depth";
  }
  // One block is as long as the depth, so that its padding stays small.
  p.block = std::min(p.block, ceilDiv(type.getDimSize(0), p.perWord()) * p.perWord());
  p.weight = weight.getArgNumber();
  p.scale = scale.getArgNumber();
  p.zeroPoint = zeroPoint ? std::optional(zeroPoint.getArgNumber()) : std::nullopt;
  p.isSigned = isSignedInteger(element);
  p.depth = type.getDimSize(0);
  p.columns = type.getDimSize(1);
  return "";
}

std::string setProduct(Block &body, BitsProduct &p) {
  auto products = body.getOps<graph::MatMulOp>();
  if (products.empty()) {
    return "the kernel is not a product of matrices";
  }
  p.op = *products.begin();
  auto dequantize = p.op.getRhs().getDefiningOp<graph::DequantizeLinearOp>();
  if (!dequantize || !dequantize->hasOneUse()) {
    return "the second operand of the product is not a matrix with a scale per block";
  }
  bool isAlone = llvm::all_of(body.without_terminator(), [&](Operation &inner) {
    return &inner == p.op || &inner == dequantize || isa<graph::ConstantOp>(inner) ||
           graph::classify(&inner) == graph::OpClass::Elementwise;
  });
  auto input = dyn_cast<BlockArgument>(p.op.getLhs());
  if (!isAlone || !input) {
    return isAlone ? "another op of the kernel computes an operand of the product"
                   : "the kernel has other ops than one product and element-wise ops";
  }
  Operation *yield = body.getTerminator();
  RankedTensorType left = typeOf(input);
  bool isPlain = left.getRank() == 2 && left.getElementType().isF32() &&
                 left.getNumElements() > 0 && yield->getNumOperands() == 1 &&
                 typeOf(yield->getOperand(0)).getShape() == typeOf(p.op.getResult()).getShape();
  if (!isPlain) {
    return "the first operand of the product is not a matrix of f32 with elements, or the result "
           "has another shape";
  }
  p.input = input.getArgNumber();
  p.rows = left.getDimSize(0);
  std::string reason = setWeights(dequantize, p);
  return reason.empty() && p.columns == 0 ? "a tensor is empty" : reason;
}

class ProductBitsTemplate : public MatchingTemplate<ProductBitsAttr, BitsProduct> {
public:
  int version() const override { return 2; }

protected:
  std::optional<BitsProduct> match(Block &body, std::string &reason) const override {
    BitsProduct product;
    reason = setProduct(body, product);
    return reason.empty() ? std::optional(product) : std::nullopt;
  }

  /// Requires constant weights, which the layout stage packs.
  std::optional<BitsProduct> matchFacts(const KernelFacts &facts,
                                        std::string &reason) const override {
    std::optional<BitsProduct> product = match(facts.body(), reason);
    auto isConstant = [&](unsigned i) {
      return facts.kernel.getInputs()[i].getDefiningOp<graph::ConstantOp>() != nullptr;
    };
    if (product && !(isConstant(product->weight) && isConstant(product->scale) &&
                     (!product->zeroPoint || isConstant(*product->zeroPoint)))) {
      reason = whyNotConstant(product->op);
      return std::nullopt;
    }
    return product;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const BitsProduct & /*product*/,
                            const Machine &machine) const override {
    return machine.lanes() < 4 || machine.hasLongVectors()
               ? "the vectors of the target are shorter than 16 or longer than 255 bytes"
               : "";
  }

  std::string whyNotConfig(const BitsProduct &product, Block & /*body*/,
                           ProductBitsAttr config) const override {
    if (config.getDepth() % product.block != 0) {
      return "depth = " + std::to_string(config.getDepth()) +
             " does not consist of whole blocks of " + std::to_string(product.block);
    }
    if (config.getBytes() > 0 && product.block > kMostByteBlock) {
      return "the sums of a block do not fit in 32 bits";
    }
    return config.getDepth() == 0 && product.rows * product.depth > kMostInputs
               ? "the product has too many rows to convert its weights in registers"
               : "";
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const BitsProduct &product,
                                          const Machine &machine) const override {
    std::optional<ConfigChoice> best;
    for (Conversion conversion :
         {Conversion::Bytes, Conversion::InRegisters, Conversion::InMemory}) {
      bool isPacked = conversion != Conversion::InMemory;
      if ((isPacked && (facts.isStrictMath || product.rows > kMostPackedRows)) ||
          (conversion == Conversion::Bytes && !whyNotBytes(product, machine).empty())) {
        continue;
      }
      ProductBitsAttr config = configure(product, machine, conversion, facts.context());
      double cycles = cyclesOf(product, config, machine);
      bool fits = whyNotConfig(product, facts.body(), config).empty();
      if (fits && (!best || cycles < best->cycles)) {
        best = {config, {}, cycles};
      }
    }
    return choicesOf(best, Attribute());
  }

  void setLayouts(const KernelFacts & /*facts*/, const BitsProduct &product, ProductBitsAttr config,
                  Candidate &candidate) const override {
    MLIRContext *context = config.getContext();
    int64_t width = config.getLanes() * config.getVectors();
    candidate.operands[product.weight] =
        BitWeightsAttr::get(context, width, product.bits, product.block);
    auto perBlock = ConvWeightsAttr::get(context, width, 1, /*transposed=*/true);
    candidate.operands[product.scale] = perBlock;
    if (product.zeroPoint) {
      candidate.operands[*product.zeroPoint] = perBlock;
    }
  }

  LogicalResult lowerMatched(task::KernelOp function, const BitsProduct &product,
                             ProductBitsAttr config, const Machine &machine) const override {
    return lowerProductBits(function, product, config, machine);
  }
};

} // namespace

const KernelTemplate &productBitsTemplate() { return onlyObject<ProductBitsTemplate>(); }

} // namespace convoy::kernels
