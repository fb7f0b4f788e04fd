// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The product_bytes template: matches kernels, and estimates the cycles of the configurations in
// its search space.

#include "Graph/OpFacts.h"
#include "Kernels/MatchingTemplate.h"
#include "Kernels/ProductBytes/RowsPlan.h"
#include <cmath>

using namespace mlir;

namespace convoy::kernels {
namespace {

// Cycles measured on Sapphire Rapids and Emerald Rapids, as in conv_tiles: a product of tiles, a
// tile load from the first-level and the second-level cache, the store of a tile of sums, the copy
// of 64 bytes, and the correction and epilogue of a vector of sums.
constexpr double kProductCycles = 20;
constexpr double kNearLoadCycles = 9;
constexpr double kFarLoadCycles = 22;
constexpr double kStoreCycles = 24;
constexpr double kCopyCycles = 3;
constexpr double kFinishCycles = 10;
/// Instructions that replace one dot product if the target only has `pairs`, and the registers for
/// its widened operands.
constexpr double kPairsCost = 4;
constexpr int64_t kPairsRegisters = 4;
/// Cycles of a vector load from the second-level cache.
constexpr double kFarVectorCycles = 1;
/// Share of the first-level cache that data can use before other data evicts it.
constexpr double kCacheShare = 0.8;
/// Target number of tasks per kernel.
constexpr int64_t kTasks = 8;
/// Relative cost of other task sizes than the default, for each doubling.
constexpr double kStray = 0.01;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kTiles, kHeight, kVectors, kRowBlocks, kChunks };

/// Estimates the cycles of a product on one core.
class Model {
public:
  Model(const BytesProduct &p, const Machine &machine) : p(p), machine(machine) {}

  int64_t blocks() const { return ceilDiv(p.columns, machine.lanes()); }
  /// Returns the rows of a task if all rows are cut into `count` blocks.
  int64_t rowsOf(int64_t count, int64_t height) const {
    return ceilDiv(ceilDiv(p.rows, height), count) * height;
  }
  int64_t panelsOf(int64_t chunks, int64_t vectors) const {
    return ceilDiv(ceilDiv(blocks(), vectors), chunks) * vectors;
  }

  ProductBytesAttr configure(const Settings &s, MLIRContext *context) const {
    return ProductBytesAttr::get(context, machine.lanes(), s[kTiles], s[kHeight], s[kVectors],
                                 rowsOf(s[kRowBlocks], s[kHeight]),
                                 panelsOf(s[kChunks], s[kVectors]));
  }

  double cycles(const Settings &s) const {
    int64_t rows = rowsOf(s[kRowBlocks], s[kHeight]);
    auto rowBlocks = static_cast<double>(ceilDiv(p.rows, rows));
    auto rowTiles = static_cast<double>(ceilDiv(p.rows, s[kHeight]));
    auto groups = static_cast<double>(ceilDiv(blocks(), s[kVectors]));
    double tile = s[kTiles] > 0 ? tileCycles(s, rows) : vectorCycles(s, rows);
    auto copied = static_cast<double>(p.rows * ceilDiv(p.depth, kTileRowBytes));
    auto results = static_cast<double>(p.rows * blocks());
    double tasks = rowBlocks * static_cast<double>(s[kChunks]);
    double stray = std::abs(std::log2(tasks / static_cast<double>(kTasks)));
    return (rowTiles * groups * tile + copied * kCopyCycles + results * kFinishCycles) *
           (1 + kStray * stray);
  }

private:
  /// The sizes of the data that a tile reads.
  double near() const { return static_cast<double>(machine.firstCacheBytes) * kCacheShare; }
  double inputBytes(int64_t rows) const { return static_cast<double>(rows * p.depth); }
  double panelBytes(int64_t vectors) const {
    return static_cast<double>(vectors * machine.lanes() * p.depth);
  }
  /// Returns whether the weights of a tile stay in the first-level cache for the next rows.
  bool keepsWeights(const Settings &s) const {
    return panelBytes(s[kVectors]) + inputBytes(s[kHeight]) <= near();
  }
  /// Returns whether the rows of a task stay in the first-level cache for the next panels.
  bool keepsRows(const Settings &s, int64_t rows) const {
    return inputBytes(rows) + panelBytes(s[kVectors]) <= near();
  }
  /// Returns the cost of a load that is far for the first of `uses` and then near.
  static double mixed(double nearCost, double farCost, bool isKept, double uses) {
    return isKept ? nearCost + (farCost - nearCost) / uses : farCost;
  }

  double tileCycles(const Settings &s, int64_t rows) const {
    auto tiles = static_cast<double>(s[kTiles]);
    auto vectors = static_cast<double>(s[kVectors]);
    auto rowTiles = static_cast<double>(ceilDiv(std::min(rows, p.rows), s[kHeight]));
    double weightLoad = mixed(kNearLoadCycles, kFarLoadCycles, keepsWeights(s), rowTiles);
    double rowLoad = keepsRows(s, rows) ? kNearLoadCycles : kFarLoadCycles;
    double step =
        std::max(tiles * vectors * kProductCycles, tiles * rowLoad + vectors * weightLoad);
    auto steps = static_cast<double>(ceilDiv(p.depth, kTileRowBytes));
    return steps * step + tiles * vectors * kStoreCycles;
  }

  double vectorCycles(const Settings &s, int64_t rows) const {
    auto height = static_cast<double>(s[kHeight]);
    auto vectors = static_cast<double>(s[kVectors]);
    auto rowTiles = static_cast<double>(ceilDiv(std::min(rows, p.rows), s[kHeight]));
    double cost = machine.dot == DotForm::Pairs ? kPairsCost : 1;
    auto ports = static_cast<double>(machine.multiplyAddsPerCycle());
    double weightLoad = mixed(0.5, kFarVectorCycles, keepsWeights(s), rowTiles);
    double step = std::max(height * vectors * cost / ports, height * 0.5 + vectors * weightLoad);
    auto steps = static_cast<double>(ceilDiv(p.depth, 4));
    // One cycle per step for the loop, and the store of the sums.
    return steps * (step + 0.5) + height * vectors;
  }

  const BytesProduct p;
  const Machine machine;
};

Knob tileKnob(const BytesProduct &p, const Machine &machine) {
  Knob knob{"tile", KnobKind::Split, {"tiles", "height", "vectors"}, {}};
  for (int64_t vectors : {1, 2, 3, 4}) {
    for (int64_t tiles : {1, 2, 3, 4}) {
      bool fits = vectors * (tiles + 1) + 1 <= 8;
      if (machine.hasTiles && machine.lanes() == kTileRows && fits) {
        addValue(knob, {tiles, tiles * kTileRows, vectors});
      }
    }
    int64_t free = machine.vectorRegisters - (machine.dot == DotForm::Pairs ? kPairsRegisters : 0);
    int64_t most = (free - vectors - 1) / vectors;
    for (int64_t height : {most, most / 2, int64_t(4), int64_t(2), int64_t(1)}) {
      height = std::min(height, p.rows);
      if (height >= 1 && height <= most) {
        addValue(knob, {0, height, vectors});
      }
    }
  }
  return knob;
}

Space productBytesSpace(const BytesProduct &product, const Machine &machine, MLIRContext *context) {
  Model model(product, machine);
  Space space;
  space.knobs = {tileKnob(product, machine),
                 {"rows", KnobKind::Ordered, {"rowBlocks"}, {{1}, {2}, {4}, {8}, {16}}},
                 {"panels", KnobKind::Ordered, {"chunks"}, {{1}, {2}, {4}, {8}, {16}}}};
  space.constraints = {
      {"the tile has more blocks of columns than the product",
       [=](const Settings &s) { return s[kVectors] <= model.blocks(); }},
      {"the product has fewer tiles of rows than blocks of rows",
       [=](const Settings &s) {
         int64_t rows = model.rowsOf(s[kRowBlocks], s[kHeight]);
         return ceilDiv(product.rows, rows) == s[kRowBlocks];
       }},
      {"the product has fewer groups of panels than chunks",
       [=](const Settings &s) {
         return ceilDiv(model.blocks(), model.panelsOf(s[kChunks], s[kVectors])) == s[kChunks];
       }},
      {"the rows of a task exceed a quarter of the second-level cache",
       [=](const Settings &s) {
         int64_t rows = model.rowsOf(s[kRowBlocks], s[kHeight]);
         return rows * product.depth <= machine.secondCacheBytes / 4 || rows == s[kHeight];
       }},
  };
  space.configure = [=](const Settings &s) { return model.configure(s, context); };
  space.cycles = [=](const Settings &s) { return model.cycles(s); };
  return space;
}

class ProductBytesTemplate : public MatchingTemplate<ProductBytesAttr, BytesProduct> {
public:
  int version() const override { return 1; }

protected:
  std::optional<BytesProduct> match(Block &body, std::string &reason) const override {
    auto products = body.getOps<graph::ByteMatMulOp>();
    if (products.empty()) {
      reason = "the kernel is not a product of bytes";
      return std::nullopt;
    }
    graph::ByteMatMulOp op = *products.begin();
    bool isAlone = llvm::all_of(body.without_terminator(), [&](Operation &inner) {
      return &inner == op || isa<graph::ConstantOp>(inner) ||
             graph::classify(&inner) == graph::OpClass::Elementwise;
    });
    auto lhs = dyn_cast<BlockArgument>(op.getLhs());
    auto rhs = dyn_cast<BlockArgument>(op.getRhs());
    if (!isAlone || !lhs || !rhs || lhs == rhs || !rhs.hasOneUse()) {
      reason = isAlone ? "another op of the kernel computes or reads an operand of the product"
                       : "the kernel has other ops than one product of bytes and element-wise ops";
      return std::nullopt;
    }
    auto left = cast<RankedTensorType>(lhs.getType());
    auto right = cast<RankedTensorType>(rhs.getType());
    Operation *yield = body.getTerminator();
    bool isPlain = left.getRank() == 2 && right.getRank() == 2 && yield->getNumOperands() == 1 &&
                   cast<RankedTensorType>(yield->getOperand(0).getType()).getShape() ==
                       cast<RankedTensorType>(op.getType()).getShape();
    if (!isPlain || left.getNumElements() == 0 || right.getNumElements() == 0) {
      reason = "the operands of the product are not two matrices with elements";
      return std::nullopt;
    }
    auto isSigned = [](RankedTensorType type) {
      return isSignedInteger(fromMlir(type.getElementType()));
    };
    return BytesProduct{op,
                        lhs.getArgNumber(),
                        rhs.getArgNumber(),
                        left.getDimSize(0),
                        left.getDimSize(1),
                        right.getDimSize(1),
                        isSigned(left),
                        isSigned(right)};
  }

  /// Requires a constant right side.
  std::optional<BytesProduct> matchFacts(const KernelFacts &facts,
                                         std::string &reason) const override {
    std::optional<BytesProduct> product = match(facts.body(), reason);
    if (product && !facts.kernel.getInputs()[product->rhs].getDefiningOp<graph::ConstantOp>()) {
      reason = whyNotConstant(product->op);
      return std::nullopt;
    }
    return product;
  }

  std::string whyNotMatched(const KernelFacts & /*facts*/, const BytesProduct & /*product*/,
                            const Machine &machine) const override {
    return machine.dot == DotForm::None
               ? "the target has no instruction for dot products of integers"
               : "";
  }

  std::string whyNotConfig(const BytesProduct &product, Block & /*body*/,
                           ProductBytesAttr config) const override {
    int64_t blocks = ceilDiv(product.columns, config.getBlock());
    if (config.getVectors() > blocks) {
      return "the kernel has " + std::to_string(blocks) + " blocks of columns, which tiles of " +
             std::to_string(config.getVectors()) + " blocks do not fit";
    }
    int64_t most = ceilDiv(product.rows, config.getHeight()) * config.getHeight();
    if (config.getRows() > most) {
      return "the product has " + std::to_string(product.rows) + " rows, tasks have " +
             std::to_string(config.getRows());
    }
    return "";
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const BytesProduct &product,
                               const Machine &machine) const override {
    return productBytesSpace(product, machine, facts.context());
  }

  void setLayouts(const KernelFacts & /*facts*/, const BytesProduct &product,
                  ProductBytesAttr config, Candidate &candidate) const override {
    candidate.operands[product.rhs] = ByteWeightsAttr::get(
        config.getContext(), config.getBlock(), config.getTiles() > 0 ? kTileRowBytes : 4);
  }

  LogicalResult lowerMatched(task::KernelOp function, const BytesProduct &product,
                             ProductBytesAttr config, const Machine &machine) const override {
    return lowerProductBytes(function, product, config, machine);
  }
};

} // namespace

const KernelTemplate &productBytesTemplate() { return onlyObject<ProductBytesTemplate>(); }

} // namespace convoy::kernels
