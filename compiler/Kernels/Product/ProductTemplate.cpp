// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The template `product`, its cost model and its search space. A step of the depth
// takes the maximum of the time of its multiply-adds, its loads and the latency of a multiply-add.

#include "Kernels/Core/CeilDiv.h"
#include "Kernels/MatchingTemplate.h"
#include "Kernels/Product/ProductPlan.h"

using namespace mlir;

namespace convoy::kernels {
namespace {

constexpr double kFmaLatency = 4;
constexpr double kLoadsPerCycle = 2;
/// Cycles per accumulator to initialize and store a tile.
constexpr double kAccumulatorCycles = 1.5;
/// Cycles to copy one vector to a panel, and one element of a matrix without a contiguous
/// dimension.
constexpr double kCopyCycles = 1.5;
constexpr double kElementCycles = 2;
/// Additional cycles per vector of a right factor that is read in place with a stride. Its cache
/// lines fall into few sets of the first-level cache.
constexpr double kStridedCycles = 0.5;
/// Additional cycles of a left element that is not f32.
constexpr double kWidenCycles = 1.5;
/// Minimum unroll and products of a step.
constexpr int64_t kLeastUnroll = 4;
constexpr int64_t kMostUnroll = 16;
constexpr int64_t kLeastStepProducts = 64;
/// The minimum number of steps of the range, if the columns can be split.
constexpr int64_t kLeastSteps = 16;
/// Relative cost of leaving a rule, for each doubling of a number.
constexpr double kStray = 0.01;
/// Maximum number of unrolled products per innermost step.
constexpr int64_t kMostProducts = 512;

/// Columns per step that the verifier of the configuration accepts.
constexpr int64_t kMostColumns = 1 << 20;

/// Positions of the numbers of a point, in the order of the knobs.
enum { kVectors, kRows, kUnroll, kPasses, kSteps, kPack };

/// The numbers of vectors per tile that the cost model and the tuner try.
constexpr int64_t kProductVectors[] = {1, 2, 3, 4, 6, 8};

/// The cost model of the template.
class ProductModel {
public:
  ProductModel(const ProductKernel &product, const Machine &machine)
      : p(product), m(machine), lanes(std::max<int64_t>(machine.lanes(), 1)) {}

  /// Returns the rows of the largest tile with this number of vectors, or 0 if there is none.
  int64_t mostRows(int64_t vectors) const {
    int64_t most = (m.tileRegisters() - vectors - m.spreadRegisters()) / vectors;
    return std::clamp<int64_t>(most, 0, p.rows);
  }

  /// Returns the estimated cycles of a tile size on one core.
  double cycles(int64_t rows, int64_t vectors, bool isPacked) const {
    int64_t tiles = ceilDiv(p.rows, rows);
    int64_t large = ceilDiv(p.rows, tiles);
    int64_t largeTiles = p.rows - (large - 1) * tiles;
    auto panel = [&](int64_t count) {
      double cycles = static_cast<double>(largeTiles) * tileCycles(large, count, isPacked) +
                      static_cast<double>(tiles - largeTiles) *
                          tileCycles(std::max<int64_t>(large - 1, 1), count, isPacked);
      return cycles + (isPacked ? packCycles(count) : 0);
    };
    int64_t columns = vectors * lanes;
    int64_t panels = p.columns / columns;
    double total = static_cast<double>(panels) * panel(vectors);
    if (int64_t rest = p.columns % columns) {
      auto width =
          static_cast<int64_t>(llvm::bit_floor(static_cast<uint64_t>(std::min(rest, lanes))));
      total += panel(ceilDiv(rest, width));
    }
    return total * static_cast<double>(p.batches());
  }

  /// Returns the rules for the parameters that do not depend on the tile.
  int64_t unrollFor(int64_t rows, int64_t vectors) const {
    int64_t unroll = kLeastUnroll;
    while (unroll < kMostUnroll && unroll * rows * vectors < kLeastStepProducts) {
      unroll *= 2;
    }
    return std::min(unroll, p.depth);
  }

  /// Returns the columns of a step: as many as fit into half of the second-level cache when they
  /// are packed, or fewer if the range would have too few steps.
  int64_t columnsFor(int64_t rows, int64_t vectors) const {
    int64_t steps = p.batches() * ceilDiv(p.rows, rows);
    int64_t panels = ceilDiv(p.columns, vectors * lanes);
    int64_t cuts =
        std::max(ceilDiv(kLeastSteps, steps),
                 ceilDiv(panels * vectors * lanes * p.depth * 4, m.secondCacheBytes / 2));
    cuts = std::clamp<int64_t>(cuts, 1, panels);
    return std::min(ceilDiv(panels, cuts) * vectors * lanes, kMostColumns);
  }

  const ProductKernel &product() const { return p; }
  const Machine &machine() const { return m; }
  int64_t laneCount() const { return lanes; }

private:
  double tileCycles(int64_t rows, int64_t vectors, bool isPacked) const {
    double fma = static_cast<double>(rows * vectors) / m.multiplyAddsPerCycle();
    double loads = static_cast<double>(rows + vectors) / kLoadsPerCycle;
    double latency = m.hasLongVectors() ? 0 : kFmaLatency; // long vectors hide the latency
    double step = std::max({fma, loads, latency});
    if (!isPacked && p.rightDepth > lanes * vectors) {
      step += kStridedCycles * static_cast<double>(vectors);
    }
    if (!p.isLeftF32) {
      step += kWidenCycles * static_cast<double>(rows);
    }
    return static_cast<double>(p.depth) * step +
           kAccumulatorCycles * static_cast<double>(rows * vectors);
  }

  /// Returns the cycles to pack a panel. A transposed panel takes a shuffle per vector and bit of
  /// the lane number.
  double packCycles(int64_t vectors) const {
    double perVector = kCopyCycles;
    if (p.rightColumn != 1 && p.rightDepth == 1) {
      perVector += static_cast<double>(llvm::Log2_64_Ceil(static_cast<uint64_t>(lanes)));
    } else if (p.rightColumn != 1) {
      perVector = kElementCycles * static_cast<double>(lanes);
    }
    return perVector * static_cast<double>(p.depth * vectors);
  }

  ProductKernel p;
  Machine m;
  int64_t lanes;
};

} // namespace

std::optional<ConfigChoice> chooseProduct(const ProductKernel &product, const Machine &machine,
                                          MLIRContext *context) {
  ProductModel model(product, machine);
  std::optional<ConfigChoice> best;
  for (int64_t vectors : kProductVectors) {
    int64_t rows = model.mostRows(vectors);
    bool isFilled = vectors == 1 || (vectors - 1) * model.laneCount() < product.columns;
    for (bool isPacked : {false, true}) {
      if (rows < 1 || !isFilled || (!isPacked && !canReadInPlace(product))) {
        continue;
      }
      double cycles = model.cycles(rows, vectors, isPacked);
      if (!best || cycles < best->cycles) {
        best = {ProductAttr::get(context, rows, vectors, product.depth,
                                 model.columnsFor(rows, vectors), model.unrollFor(rows, vectors),
                                 isPacked ? 1 : 0),
                {},
                cycles};
      }
    }
  }
  return best;
}

static Knob tileKnob(const ProductModel &model) {
  Knob knob{"tile", KnobKind::Split, {"vectors", "rows"}, {}};
  for (int64_t vectors : kProductVectors) {
    int64_t most = model.mostRows(vectors);
    for (int64_t rows : {most, most - 1, most * 3 / 4, most / 2}) {
      if (rows > 0) {
        addValue(knob, {vectors, rows});
      }
    }
  }
  return knob;
}

static std::vector<Constraint> constraintsOf(const ProductModel &model, Block &body) {
  const ProductKernel &p = model.product();
  bool readsInPlace = canReadInPlace(p);
  int64_t depth = p.depth;
  auto *context = body.getParentOp()->getContext();
  bool mayPass =
      depth > 1 &&
      whyNotProduct(p, body, ProductAttr::get(context, 1, 1, 1, 1, 1, /*pack=*/1)).empty();
  return {
      {"accumulators and factors need more vector registers than the target has",
       [=](const Settings &s) {
         return s[kVectors] > 0 && s[kRows] > 0 && s[kRows] <= model.mostRows(s[kVectors]);
       }},
      {"the tile has more vectors than the product has columns",
       [=](const Settings &s) {
         return s[kVectors] == 1 || (s[kVectors] - 1) * model.laneCount() < model.product().columns;
       }},
      {"the code of one innermost step would be too long",
       [=](const Settings &s) {
         int64_t rule = model.unrollFor(s[kRows], s[kVectors]);
         return s[kUnroll] > 0 &&
                (s[kUnroll] <= rule || s[kUnroll] * s[kVectors] * s[kRows] <= kMostProducts);
       }},
      {"the passes do not divide the depth, or the result cannot hold partial sums",
       [=](const Settings &s) {
         return s[kPasses] == 1 || (s[kPasses] > 1 && mayPass && depth % s[kPasses] == 0);
       }},
      {"the product has fewer panels of columns than steps",
       [=](const Settings &s) {
         int64_t panels = ceilDiv(model.product().columns, s[kVectors] * model.laneCount());
         return s[kSteps] > 0 && s[kSteps] <= panels;
       }},
      {"the columns of the right factor are not contiguous f32",
       [=](const Settings &s) { return s[kPack] != 0 || readsInPlace; }},
  };
}

static double spaceCycles(const ProductModel &model, const Settings &s) {
  double cycles = model.cycles(s[kRows], s[kVectors], s[kPack] != 0);
  int64_t most = model.mostRows(s[kVectors]);
  if (s[kRows] != most) {
    cycles = std::max(cycles, model.cycles(most, s[kVectors], s[kPack] != 0)) * (1 + kStray);
  }
  cycles *= strayFactor(s[kUnroll], model.unrollFor(s[kRows], s[kVectors]), kStray);
  cycles *= strayFactor(s[kPasses], 1, kStray);
  int64_t panels = ceilDiv(model.product().columns, s[kVectors] * model.laneCount());
  int64_t rule = ceilDiv(
      panels, ceilDiv(model.columnsFor(s[kRows], s[kVectors]), s[kVectors] * model.laneCount()));
  return cycles * strayFactor(s[kSteps], rule, kStray);
}

Space productSpace(const ProductKernel &product, Block &body, const Machine &machine,
                   MLIRContext *context) {
  ProductModel model(product, machine);
  Space space;
  Knob tiles = tileKnob(model);
  Knob unroll{"unroll", KnobKind::Ordered, {"unroll"}, {{2}, {4}, {8}, {16}}};
  Knob steps{"steps", KnobKind::Ordered, {"steps"}, {{1}, {2}, {4}}};
  for (const std::vector<int64_t> &tile : tiles.values) {
    addValue(unroll, {model.unrollFor(tile[1], tile[0])});
    int64_t columns = tile[0] * model.laneCount();
    addValue(steps, {ceilDiv(ceilDiv(product.columns, columns),
                             ceilDiv(model.columnsFor(tile[1], tile[0]), columns))});
  }
  space.knobs = {tiles,
                 unroll,
                 {"passes", KnobKind::Ordered, {"passes"}, {{1}, {2}, {4}}},
                 steps,
                 {"pack", KnobKind::Unordered, {"isPacked"}, {{0}, {1}}}};
  space.constraints = constraintsOf(model, body);
  space.configure = [=](const Settings &s) -> Attribute {
    int64_t columns = s[kVectors] * model.laneCount();
    int64_t panels = ceilDiv(model.product().columns, columns);
    return ProductAttr::get(context, s[kRows], s[kVectors], model.product().depth / s[kPasses],
                            std::min(ceilDiv(panels, s[kSteps]) * columns, kMostColumns),
                            s[kUnroll], s[kPack]);
  };
  space.cycles = [=](const Settings &s) { return spaceCycles(model, s); };
  return space;
}

namespace {

class ProductTemplate : public MatchingTemplate<ProductAttr, ProductKernel> {
public:
  int version() const override { return 1; }

protected:
  std::optional<ProductKernel> match(Block &body, std::string &reason) const override {
    ProductKernel product;
    reason = matchProduct(body, product);
    return reason.empty() ? std::optional(product) : std::nullopt;
  }

  std::string whyNotMatched(const KernelFacts &facts, const ProductKernel & /*product*/,
                            const Machine & /*machine*/) const override {
    bool isConstantRight =
        facts.conv &&
        facts.kernel.getInputs()[facts.conv->weight].getDefiningOp<graph::ConstantOp>();
    return isConstantRight ? "the second operand of the product is a constant matrix, which "
                             "conv_direct packs at compile time"
                           : "";
  }

  std::string whyNotConfig(const ProductKernel &product, Block &body,
                           ProductAttr config) const override {
    return whyNotProduct(product, body, config);
  }

  std::vector<ConfigChoice> chooseMatched(const KernelFacts &facts, const ProductKernel &product,
                                          const Machine &machine) const override {
    return choicesOf(chooseProduct(product, machine, facts.context()), Attribute());
  }

  std::optional<Space> spaceOf(const KernelFacts &facts, const ProductKernel &product,
                               const Machine &machine) const override {
    return productSpace(product, facts.body(), machine, facts.context());
  }

  LogicalResult lowerMatched(task::KernelOp function, const ProductKernel &product,
                             ProductAttr config, const Machine &machine) const override {
    return lowerProduct(function, product, config, machine);
  }
};

} // namespace

const KernelTemplate &productTemplate() { return onlyObject<ProductTemplate>(); }

} // namespace convoy::kernels
