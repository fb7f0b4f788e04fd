// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles random graphs for a device. The device's simulator runs the supported ops and the host
// runs the remaining ops. The result must equal the reference. Devices without float arithmetic get
// quantized graphs, whose results must equal the reference bit for bit. Devices that compute in
// half precision get float and quantized graphs in turn.
//
//     random_device TARGET [FIRST SEED [COUNT]]

#include "Accelerators/Registry.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/Passes.h"
#include "Pipeline/RunStages.h"
#include "Pipeline/TargetOptions.h"
#include "mlir/Pass/PassManager.h"
#include "reference/Reference.h"
#include "tests/differential/QuantizedGraph.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// A sequence of layers with branches that join again. Some layers exceed the device's limits, and
/// some are unsupported.
class LayerGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    Shape input = {1, random.between(1, 6), random.between(6, 20), random.between(6, 20)};
    return SeededGraph::make(input, [&](Value x) {
      int64_t layers = random.between(2, 8);
      for (int64_t i = 0; i < layers; ++i) {
        x = layer(x);
      }
      return random.chance(0.3) ? classify(x) : x;
    });
  }

private:
  Value layer(Value x) {
    switch (random.between(0, 9)) {
    case 0:
    case 1:
    case 2:
      return conv(x, random.between(1, 12), random.chance(0.3) ? 5 : 3);
    case 3:
      return b.unary(graph::UnaryKind::Relu, x);
    case 4:
      return b.add(x, conv(x, shapeOf(x)[1], 3));
    case 5:
      return b.concat({x, conv(x, random.between(1, 5), 1)}, 1);
    case 6:
      return pool(x);
    case 7:
      return b.mul(x, constant({1, shapeOf(x)[1], 1, 1}));
    case 8:
      return b.unary(graph::UnaryKind::Sigmoid, x); // not on the device
    default:
      return b.mul(x, b.unary(graph::UnaryKind::Tanh, x)); // host op between two regions
    }
  }

  /// Adds a convolution that keeps height and width. Some kernels exceed the device's limit of 7,
  /// and some are dilated.
  Value conv(Value x, int64_t outputs, int64_t kernel) {
    int64_t channels = shapeOf(x)[1];
    int64_t dilation = random.chance(0.2) ? 2 : 1;
    kernel = random.chance(0.1) ? 9 : kernel;
    int64_t groups = random.chance(0.2) ? channels : 1;
    outputs = groups == 1 ? outputs : channels;
    int64_t reach = (kernel - 1) * dilation / 2;
    int64_t one[] = {1, 1};
    int64_t dilations[] = {dilation, dilation};
    int64_t pads[] = {reach, reach, reach, reach};
    Value bias = random.chance(0.5) ? constant({outputs}) : Value();
    return b.emit<graph::ConvOp>(x, constant({outputs, channels / groups, kernel, kernel}), bias,
                                 one, pads, dilations, groups);
  }

  Value pool(Value x) {
    Shape shape = shapeOf(x);
    int64_t size = std::min({random.between(2, 5), shape[2], shape[3]});
    int64_t kernel[] = {size, size};
    int64_t strides[] = {1, 1};
    int64_t pads[] = {0, 0, 0, 0};
    int64_t dilations[] = {1, 1};
    return b.emit<graph::AveragePoolOp>(x, kernel, strides, pads, dilations, /*ceilMode=*/false,
                                        /*countIncludePad=*/false);
  }

  /// Adds a global average pool and a fully connected layer.
  Value classify(Value x) {
    Value mean = b.reduce(graph::ReduceKind::Mean, x, {2, 3});
    int64_t channels = shapeOf(x)[1];
    return b.matmul(b.reshape(mean, {1, channels}), constant({channels, 5}));
  }
};

/// Compiles a copy of the module for the host and the device, and runs it once.
std::string runWithDevice(ModuleOp module, const accelerators::Accelerator &device,
                          ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs, int64_t threads,
                          int64_t &programs) {
  OwningOpRef<ModuleOp> copy = module.clone();
  StageOptions options = optionsFor(targets::detectHost(), threads);
  options.verifyStages = true;
  options.quantize.isInteger = true;
  placeOn(device, options);
  if (failed(runStages(*copy, options))) {
    return "does not compile";
  }
  auto model = codegen::LoadedModel::load(*copy, options.codegen);
  if (!model) {
    return llvm::toString(model.takeError());
  }
  std::unique_ptr<accelerators::Simulator> simulator = device.simulator();
  programs += (*model)->hasPrograms();
  if (llvm::Error error = (*model)->init(simulator->device())) {
    return llvm::toString(std::move(error));
  }
  llvm::Expected<std::vector<Tensor>> results = (*model)->run(inputs);
  if (!results) {
    return llvm::toString(results.takeError()) + ": " + simulator->error().str();
  }
  outputs = std::move(*results);
  return "";
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, const accelerators::Accelerator &device, int64_t &programs) {
  GraphContext context;
  LayerGraph graph(&context, seed);
  graph.make();
  int64_t threads = seed % 3 == 0 ? 2 : 1;
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        return runWithDevice(module, device, inputs, outputs, threads, programs);
      });
}

/// Compares a quantized graph; the reference runs its integer form.
std::string compareBits(uint64_t seed, const accelerators::Accelerator &device, int64_t &programs) {
  GraphContext context;
  QuantizedGraph graph(&context, seed);
  graph.hasNormalizations = device.arithmetic().shortTable != 0;
  if (seed % 4 == 3) { // the device refuses 16-bit layers, which then run on the host
    graph.wideShare = 0.2;
    graph.narrowShare = 0.3;
  }
  ModuleOp module = graph.make();
  StageOptions options;
  options.quantize.isInteger = true;
  placeOn(device, options);
  if (failed(runStages(module, options, "", "quantize"))) {
    return "the graph has no integer form";
  }
  auto type = cast<RankedTensorType>(graph.main().getArgument(0).getType());
  Tensor input = randomTensor(graph.random, ElementType::F32, type.getShape());
  auto expected = reference::run(graph.main(), {reference::Datum(input)});
  std::vector<Tensor> actual;
  std::string problem = failed(expected) ? "the reference failed"
                                         : runWithDevice(module, device, {input}, actual,
                                                         seed % 3 == 0 ? 2 : 1, programs);
  if (problem.empty()) {
    const Tensor &right = expected->front().tensor;
    bool isSame = right.bytes() == actual[0].bytes() &&
                  std::memcmp(right.raw(), actual[0].raw(), right.bytes()) == 0;
    problem = isSame ? "" : "the bytes differ from the reference";
  }
  if (!problem.empty()) {
    module->print(llvm::outs(), OpPrintingFlags().elideLargeElementsAttrs(16));
  }
  return problem;
}

/// Returns sqrt(sum (a - b)^2) / sqrt(sum b^2).
double relativeL2(const Tensor &actual, const Tensor &expected) {
  double difference = 0;
  double norm = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    double right = expected.asDouble(i);
    difference += (actual.asDouble(i) - right) * (actual.asDouble(i) - right);
    norm += right * right;
  }
  return difference == 0 ? 0 : std::sqrt(difference / norm);
}

/// Returns the reference's result, or nothing if an intermediate value exceeds half precision.
std::optional<Tensor> resultInHalves(func::FuncOp function, const Tensor &input) {
  constexpr float kMost = 30000;
  bool isSmall = true;
  auto observe = [&](Operation *, ArrayRef<reference::Datum> results) {
    for (const reference::Datum &result : results) {
      if (result.isTensor() && result.tensor.type() == ElementType::F32) {
        const auto *values = result.tensor.data<float>();
        isSmall &= std::all_of(values, values + result.tensor.size(),
                               [](float value) { return std::abs(value) < kMost; });
      }
    }
  };
  reference::RunOptions options;
  options.observe = observe;
  auto results = reference::run(function, {reference::Datum(input)}, options);
  return succeeded(results) && isSmall ? std::optional<Tensor>(results->front().tensor)
                                       : std::nullopt;
}

constexpr double kMostOfHalves = 0.02; // eight layers of 2^-11 each, some of which amplify

/// Returns the expected result in half precision. Returns nothing if a perturbation of the input by
/// a few rounding errors changes the result, as with a sigmoid of numbers in the thousands.
std::optional<Tensor> expectedInHalves(func::FuncOp function, const Tensor &input, Random &random) {
  Tensor shaken(input.type(), input.shape());
  for (int64_t i = 0; i < input.size(); ++i) {
    double sign = random.chance(0.5) ? 1 : -1;
    shaken.setDouble(i, input.asDouble(i) * (1 + sign * 0x1p-9));
  }
  std::optional<Tensor> expected = resultInHalves(function, input);
  std::optional<Tensor> other = resultInHalves(function, shaken);
  bool isSteady = expected && other && relativeL2(*other, *expected) < kMostOfHalves / 8;
  return isSteady ? expected : std::nullopt;
}

/// Compares a float graph in half precision by the relative L2 distance. A bound per element would
/// fail where terms of a sum nearly cancel.
std::string compareHalves(uint64_t seed, const accelerators::Accelerator &device, int64_t &programs,
                          int64_t &compared) {
  GraphContext context;
  LayerGraph graph(&context, seed);
  ModuleOp module = graph.make();
  auto type = cast<RankedTensorType>(graph.main().getArgument(0).getType());
  Tensor input = randomTensor(graph.random, ElementType::F32, type.getShape());
  std::optional<Tensor> expected = expectedInHalves(graph.main(), input, graph.random);
  std::vector<Tensor> actual;
  std::string problem =
      runWithDevice(module, device, {input}, actual, seed % 3 == 0 ? 2 : 1, programs);
  if (problem.empty() && expected) {
    double distance = relativeL2(actual[0], *expected);
    compared += 1;
    problem = distance <= kMostOfHalves ? "" : "relative L2 of " + std::to_string(distance);
  }
  if (!problem.empty()) {
    module->print(llvm::outs(), OpPrintingFlags().elideLargeElementsAttrs(16));
  }
  return problem;
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 50};
  auto device = accelerators::findAccelerator(argc > 1 ? argv[1] : "");
  if (!device || !*device || !seeds.parse(argc - 1, argv + 1)) {
    llvm::errs() << "usage: random_device TARGET [FIRST SEED [COUNT]]\n";
    return 2;
  }
  ElementType type = (*device)->floatType();
  int64_t programs = 0;
  int64_t compared = 0; // of the graphs in half precision
  int failed = seeds.forEach([&](uint64_t seed) {
    bool isOfBits = type == ElementType::Undefined || (type == ElementType::F16 && seed % 2 == 0);
    return isOfBits                   ? compareBits(seed, **device, programs)
           : type == ElementType::F16 ? compareHalves(seed, **device, programs, compared)
                                      : compare(seed, **device, programs);
  });
  llvm::outs() << seeds.count << " graphs, " << programs << " with a part on the device, " << failed
               << " wrong\n";
  // Fails if few graphs have a layer for the device, because the test would not cover it.
  auto count = static_cast<int64_t>(seeds.count);
  bool isUseful = programs * 2 > count && (type != ElementType::F16 || compared * 4 > count);
  return failed == 0 && isUseful ? 0 : 1;
}
