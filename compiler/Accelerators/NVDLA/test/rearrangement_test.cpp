// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs rearrangements on nvdla-full, from convcore through loadable and simulator, and compares
// every element with the reference. Also checks which jobs of RUBIK they become, and the reasons of
// those that stay on the CPU.

#include "Accelerators/test/DeviceCase.h"
#include "ConvCore/LayerBuilder.h"
#include "mlir/Pass/PassManager.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <random>

using namespace mlir;
using namespace convoy;
using namespace convoy::accelerators;

namespace {

/// A function with one rearrangement, or with one reshape if `permutation` is empty.
struct Case {
  Shape input, apart, permutation, result;
};

class Layer {
public:
  Layer(const Case &c, bool isOfFloats, llvm::StringRef target = "nvdla-full") {
    context.loadDialect<convcore::ConvCoreDialect, graph::GraphDialect, func::FuncDialect>();
    device = std::move(*findAccelerator(target));
    DialectRegistry registry;
    device->registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = ModuleOp::create(UnknownLoc::get(&context));
    OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
    Type element = isOfFloats ? Type(builder.getF16Type()) : builder.getIntegerType(8);
    auto type = RankedTensorType::get(c.input, element);
    function = builder.create<func::FuncOp>(module->getLoc(), "layer",
                                            builder.getFunctionType({type}, {}));
    mlir::Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    IRMapping mapping;
    convcore::LayerBuilder b(builder, module->getLoc(), 0, mapping);
    Value x = block->getArgument(0);
    Value result = c.permutation.empty()
                       ? b.reshape(x, c.result)
                       : b.emit<convcore::RearrangeOp>(x, c.apart, c.permutation, c.result);
    layer = result.getDefiningOp();
    builder.create<func::ReturnOp>(module->getLoc(), result);
    function.setType(builder.getFunctionType(block->getArgumentTypes(), result.getType()));
  }

  /// Returns why the device refuses the layer, or an empty string.
  std::string reason() const {
    std::optional<Refusal> refusal = whyNot(*device, layer);
    return refusal ? refusal->reason : "";
  }

  /// Returns the number of jobs per kind, and of copies and selections as SDP.
  std::map<std::string, int64_t> jobs() {
    OwningOpRef<func::FuncOp> own = function.clone();
    PassManager passes(&context, "func.func");
    device->addPasses(passes);
    EXPECT_TRUE(succeeded(passes.run(*own)));
    std::map<std::string, int64_t> count;
    own->walk([&](Operation *op) {
      auto offsets = op->getAttrOfType<DenseI64ArrayAttr>("offsets");
      count[op->getName().getStringRef().str()] += offsets ? offsets.size() : 1;
    });
    return count;
  }

  /// Returns whether the device computes the elements of the reference.
  bool equalsReference(uint32_t seed) {
    Tensor input(fromMlir(cast<RankedTensorType>(function.getArgumentTypes()[0]).getElementType()),
                 cast<RankedTensorType>(function.getArgumentTypes()[0]).getShape());
    std::mt19937 random(seed);
    for (int64_t i = 0; i < input.size(); ++i) {
      int64_t value = static_cast<int64_t>(random() % 250) - 125;
      isFloat(input.type()) ? input.setDouble(i, static_cast<double>(value) / 8)
                            : input.setInt(i, value);
    }
    auto results = runOnDevice(function, *device, {input});
    auto expected = reference::run(function, {reference::Datum(input)});
    EXPECT_TRUE(succeeded(results) && succeeded(expected));
    if (failed(results) || failed(expected)) {
      return false;
    }
    const Tensor &right = expected->front().tensor;
    bool isEqual = right.size() == results->front().size();
    for (int64_t i = 0; isEqual && i < right.size(); ++i) {
      isEqual = right.asDouble(i) == results->front().asDouble(i);
    }
    return isEqual;
  }

  MLIRContext context;
  std::unique_ptr<Accelerator> device;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Operation *layer = nullptr;
};

/// Returns ONNX's DepthToSpace with blocks of s x t pixels: DCR if `isBlocksFirst`, otherwise CRD.
Case depthToSpace(int64_t channels, int64_t size, int64_t s, int64_t t, bool isBlocksFirst) {
  Shape apart =
      isBlocksFirst ? Shape{1, s, t, channels, size, size} : Shape{1, channels, s, t, size, size};
  Shape permutation = isBlocksFirst ? Shape{0, 3, 4, 1, 5, 2} : Shape{0, 1, 4, 2, 5, 3};
  return {{1, channels * s * t, size, size}, apart, permutation, {1, channels, size * s, size * t}};
}

Case shuffle(int64_t groups, int64_t channels, int64_t size) {
  return {{1, groups * channels, size, size},
          {1, groups, channels, size, size},
          {0, 2, 1, 3, 4},
          {1, groups * channels, size, size}};
}

void expectJobs(const Case &c, bool isOfFloats, const std::map<std::string, int64_t> &expected) {
  Layer layer(c, isOfFloats);
  ASSERT_EQ(layer.reason(), "");
  std::map<std::string, int64_t> jobs = layer.jobs();
  for (const char *name :
       {"nvdla.contract", "nvdla.split", "nvdla.merge", "nvdla.turn", "nvdla.conv"}) {
    auto found = expected.find(name);
    EXPECT_EQ(jobs[name], found == expected.end() ? 0 : found->second) << name;
  }
  EXPECT_TRUE(layer.equalsReference(1));
}

TEST(Rearrangement, BlocksOfWholeAtomsAreOneContract) {
  expectJobs(depthToSpace(16, 5, 2, 2, true), true, {{"nvdla.contract", 1}});
  expectJobs(depthToSpace(48, 3, 3, 1, true), true, {{"nvdla.contract", 1}});
  expectJobs(depthToSpace(32, 4, 2, 4, true), false, {{"nvdla.contract", 1}});
}

// CONV writes each block of channels into atoms of its own, in the order of contract.
TEST(Rearrangement, OtherBlocksAreOneConvolutionAndOneContract) {
  const std::map<std::string, int64_t> both = {{"nvdla.contract", 1}, {"nvdla.conv", 1}};
  expectJobs(depthToSpace(3, 6, 2, 2, true), true, both);
  expectJobs(depthToSpace(16, 5, 2, 2, false), true, both);
  expectJobs(depthToSpace(5, 4, 3, 2, false), false, both);
}

TEST(Rearrangement, ShuffleOfWholeAtomsIsSplitAndMerge) {
  // 3 groups of 5 atoms. RUBIK takes one split per group, and CONV multiplies 240 x 240 weights.
  expectJobs(shuffle(3, 80, 28), true, {{"nvdla.split", 3}, {"nvdla.merge", 1}});
}

TEST(Rearrangement, ShuffleWithinAtomsIsAConvolution) {
  expectJobs(shuffle(2, 24, 9), true, {{"nvdla.conv", 1}});
  expectJobs(shuffle(4, 6, 5), false, {{"nvdla.conv", 1}});
}

TEST(Rearrangement, RowsMoveThroughPlanes) {
  const std::map<std::string, int64_t> both = {{"nvdla.split", 1}, {"nvdla.merge", 1}};
  // Exchanges channels and rows; the rows of 7 elements are padded.
  expectJobs({{1, 20, 9, 7}, {1, 20, 9, 7}, {0, 2, 1, 3}, {1, 9, 20, 7}}, true, both);
  expectJobs({{1, 40, 5, 3}, {1, 40, 5, 3}, {0, 2, 1, 3}, {1, 5, 40, 3}}, false, both);
  // A reshape that keeps rows, and one whose rows have whole multiples of 64 bytes.
  expectJobs({{1, 6, 4, 5}, {}, {}, {1, 8, 3, 5}}, true, both);
  expectJobs({{1, 6, 2, 64}, {}, {}, {1, 3, 8, 32}}, true, both);
  expectJobs({{1, 6, 2, 128}, {}, {}, {1, 3, 8, 64}}, false, both);
}

TEST(Rearrangement, ChannelsMoveBehindColumnsAndBack) {
  for (int64_t channels : {5, 16, 40}) {
    for (int64_t width : {1, 4, 7}) { // the rows of an odd width are padded
      SCOPED_TRACE(std::to_string(channels) + " x " + std::to_string(width));
      Shape first = {1, channels, 6, width}, last = {1, 6, width, channels};
      expectJobs({first, first, {0, 2, 3, 1}, last}, true, {{"nvdla.turn", 1}});
      expectJobs({last, last, {0, 3, 1, 2}, first}, false, {{"nvdla.turn", 1}});
    }
  }
}

TEST(Rearrangement, DimensionsOfOneElementMoveWithoutAJob) {
  expectJobs({{1, 20, 1, 7}, {1, 20, 1, 1, 7}, {0, 1, 3, 2, 4}, {1, 20, 1, 7}}, true, {});
}

TEST(Rearrangement, SaysWhatItCannotMove) {
  auto reasonOf = [](const Case &c, llvm::StringRef target = "nvdla-full") {
    return Layer(c, /*isOfFloats=*/target == "nvdla-full", target).reason();
  };
  const std::string moves =
      "RUBIK moves channels to a grid of pixels or behind the columns, or whole rows; this "
      "rearrangement moves elements of a row in another way";
  // An exchange of rows and columns, and of channels and columns.
  EXPECT_EQ(reasonOf({{1, 8, 4, 32}, {1, 8, 4, 32}, {0, 3, 2, 1}, {1, 32, 4, 8}}), moves);
  EXPECT_EQ(reasonOf({{1, 32, 32, 32}, {1, 32, 32, 32}, {0, 1, 3, 2}, {1, 32, 32, 32}}), moves);
  // Space to depth is the inverse of contract, which RUBIK lacks.
  EXPECT_EQ(reasonOf({{1, 16, 4, 4}, {1, 16, 2, 2, 2, 2}, {0, 3, 5, 1, 2, 4}, {1, 64, 2, 2}}),
            moves);
  EXPECT_EQ(reasonOf({{1, 3, 4, 20}, {}, {}, {1, 3, 8, 10}}),
            "a reshape that changes the width needs rows of a multiple of 64 bytes, which RUBIK "
            "stores without gaps");
  EXPECT_EQ(reasonOf(depthToSpace(600, 1, 4, 4, false)),
            "input channels of rearrange is 9600; the device supports at most 8192");
  EXPECT_EQ(reasonOf(depthToSpace(1, 300, 32, 30, true)), "the result has a dimension above 8192");
  EXPECT_EQ(reasonOf(depthToSpace(1, 4, 32, 32, true)), "the grid needs more than 8192 channels");
  EXPECT_EQ(reasonOf(depthToSpace(32, 4, 2, 2, true), "nvdla-large"),
            "the device does not support rearrange");
}

/// Returns a random rearrangement: factors of a cube in a random order, cut into a cube again.
Case randomCase(std::mt19937 &random) {
  auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const int64_t sizes[] = {1, 2, 2, 3, 4, 16, 32};
  Case c;
  c.input = {1, 1, 1, 1};
  c.apart = {1};
  for (int64_t i = 0; i < 5; ++i) { // the factors belong to channels first, then to rows, columns
    c.apart.push_back(sizes[below(i == 0 || i == 4 ? 7 : 5)]);
    c.input[i < 3 ? 1 : i - 1] *= c.apart.back();
  }
  c.permutation.resize(c.apart.size());
  std::iota(c.permutation.begin(), c.permutation.end(), 0);
  if (below(2)) { // keep the columns, which all forms other than contract need
    std::shuffle(c.permutation.begin() + 1, c.permutation.end() - 1, random);
  } else {
    std::shuffle(c.permutation.begin() + 1, c.permutation.end(), random);
  }
  c.result = {1, 1, 1, 1};
  int64_t first = below(4), second = first + below(6 - first);
  for (int64_t i = 0; i < 5; ++i) {
    c.result[i <= first ? 1 : i <= second ? 2 : 3] *= c.apart[c.permutation[i + 1]];
  }
  return c;
}

TEST(Rearrangement, RandomOnesEqualTheReference) {
  std::mt19937 random(7);
  std::map<std::string, int64_t> kinds;
  for (int seed = 0; seed < 600; ++seed) {
    Case c = randomCase(random);
    Layer layer(c, /*isOfFloats=*/seed % 2 == 0);
    if (!layer.reason().empty()) {
      ++kinds["refused"];
      continue;
    }
    for (auto &[name, count] : layer.jobs()) {
      ++kinds[name];
    }
    EXPECT_TRUE(layer.equalsReference(uint32_t(seed))) << "seed " << seed;
  }
  EXPECT_GE(kinds["nvdla.contract"], 10);
  EXPECT_GE(kinds["nvdla.merge"], 30);
  EXPECT_GE(kinds["refused"], 30);
}

} // namespace
