// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles layers for Winograd templates with strict and with fast math, and compares each result
// with a convolution in double precision. The error of fast math may be at most four times the
// error of strict math on the same data. The test also fails if a layer does not use the expected
// template.
//
//     winograd_layers [--verbose]

#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/Passes.h"
#include "Graph/Attributes.h"
#include "Graph/TypedBuilder.h"
#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/Random.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// Largest allowed error of fast math, as a multiple of the error of strict math.
constexpr double kMostTimesDirect = 4;

struct Layer {
  const char *name;
  int64_t batch, inputs, rows, columns, outputs;
  Shape pads; // top, left, bottom, right
  bool hasResidual;
  int64_t tile;              // expected
  int64_t vectorBytes;       // of the machine to compile for; 0: the host
  bool isAlongTiles = false; // the expected template
};

const Layer kLayers[] = {
    {"56x56, 64 channels", 1, 64, 56, 56, 64, {1, 1, 1, 1}, false, 4, 0},
    {"28x28, 128 channels, residual", 1, 128, 28, 28, 128, {1, 1, 1, 1}, true, 4, 0},
    {"14x14, 256 to 64 channels", 1, 256, 14, 14, 64, {1, 1, 1, 1}, false, 2, 0},
    {"14x14, two images", 2, 64, 14, 14, 128, {1, 1, 1, 1}, true, 4, 0},
    {"10x10, 512 to 128 channels", 1, 512, 10, 10, 128, {1, 1, 1, 1}, true, 2, 0},
    {"odd sizes, small tiles", 1, 48, 11, 13, 80, {1, 1, 1, 1}, true, 2, 0},
    {"odd sizes, large tiles", 3, 96, 23, 19, 112, {1, 1, 1, 1}, true, 4, 0},
    {"no padding", 1, 32, 26, 30, 64, {0, 0, 0, 0}, false, 4, 0},
    {"uneven padding", 1, 32, 21, 18, 32, {0, 1, 2, 0}, false, 4, 0},
    {"channels that fill no block", 1, 37, 20, 30, 43, {1, 1, 1, 1}, true, 4, 0},
    {"passes that end within a block", 1, 171, 20, 30, 32, {1, 1, 1, 1}, false, 4, 0},
    {"32-byte vectors, large tiles", 1, 64, 28, 28, 64, {1, 1, 1, 1}, true, 4, 32},
    {"32-byte vectors, small tiles", 1, 160, 7, 7, 48, {1, 1, 1, 1}, true, 2, 32},
    {"16-byte vectors", 1, 20, 30, 31, 12, {1, 1, 1, 1}, true, 4, 16},
    {"long vectors", 1, 256, 14, 14, 256, {1, 1, 1, 1}, true, 4, 1024},
    {"long vectors, few tiles", 1, 256, 7, 7, 300, {1, 1, 1, 1}, false, 4, 1024},
    {"long vectors of 64", 2, 70, 9, 11, 100, {0, 1, 2, 1}, true, 4, 256},
    {"tiles as lanes, one band", 1, 64, 56, 56, 64, {1, 1, 1, 1}, false, 4, 1024, true},
    {"tiles as lanes, small ones", 1, 64, 28, 28, 64, {1, 1, 1, 1}, true, 2, 1024, true},
    {"tiles as lanes, bands", 2, 20, 70, 113, 17, {1, 1, 1, 1}, true, 4, 1024, true},
    {"tiles as lanes, uneven padding", 1, 24, 30, 45, 31, {0, 2, 2, 1}, false, 4, 256, true},
};

struct Data {
  Tensor input, weight, bias, residual;

  Data(const Layer &layer, Random &random)
      : input(ElementType::F32, {layer.batch, layer.inputs, layer.rows, layer.columns}),
        weight(ElementType::F32, {layer.outputs, layer.inputs, 3, 3}),
        bias(ElementType::F32, {layer.outputs}),
        residual(ElementType::F32,
                 {layer.batch, layer.outputs, resultRows(layer), resultColumns(layer)}) {
    // Like data in a network: inputs after a relu, and weights that keep the scale.
    fill(input, [&] { return std::max(0.0, normal(random)); });
    double scale = std::sqrt(2.0 / static_cast<double>(9 * layer.inputs));
    fill(weight, [&] { return scale * normal(random); });
    fill(bias, [&] { return 0.1 * normal(random); });
    fill(residual, [&] { return normal(random); });
  }

  static int64_t resultRows(const Layer &l) { return l.rows + l.pads[0] + l.pads[2] - 2; }
  static int64_t resultColumns(const Layer &l) { return l.columns + l.pads[1] + l.pads[3] - 2; }

private:
  static double normal(Random &random) {
    double sum = -6; // a sum of twelve uniform numbers approximates a normal distribution
    for (int i = 0; i < 12; ++i) {
      sum += random.unit();
    }
    return sum;
  }
  template <typename Fn>
  static void fill(Tensor &tensor, Fn next) {
    for (float &value : llvm::MutableArrayRef(tensor.mutableData<float>(), tensor.size())) {
      value = static_cast<float>(next());
    }
  }
};

/// Returns relu(conv(x) + bias [+ residual]) in double precision.
std::vector<double> expected(const Layer &layer, const Data &data) {
  int64_t rows = data.residual.dim(2);
  int64_t columns = data.residual.dim(3);
  std::vector<double> result(data.residual.size());
  const auto *x = data.input.data<float>();
  const auto *w = data.weight.data<float>();
  for (int64_t plane = 0; plane < layer.batch * layer.outputs; ++plane) {
    int64_t output = plane % layer.outputs;
    double *y = result.data() + plane * rows * columns;
    std::fill_n(y, rows * columns, data.bias.asDouble(output));
    for (int64_t tap = 0; tap < layer.inputs * 9; ++tap) {
      double factor = w[output * layer.inputs * 9 + tap];
      const float *in =
          x + (plane / layer.outputs * layer.inputs + tap / 9) * layer.rows * layer.columns;
      int64_t down = tap % 9 / 3 - layer.pads[0];
      int64_t right = tap % 3 - layer.pads[1];
      for (int64_t i = std::max<int64_t>(0, -down); i < std::min(rows, layer.rows - down); ++i) {
        for (int64_t j = std::max<int64_t>(0, -right); j < std::min(columns, layer.columns - right);
             ++j) {
          y[i * columns + j] += factor * in[(i + down) * layer.columns + j + right];
        }
      }
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] += layer.hasResidual ? data.residual.asDouble(static_cast<int64_t>(i)) : 0;
    result[i] = std::max(result[i], 0.0);
  }
  return result;
}

OwningOpRef<ModuleOp> makeModule(MLIRContext &context, const Layer &layer, const Data &data) {
  OpBuilder builder(&context);
  Location loc = NameLoc::get(builder.getStringAttr("layer"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  Type input = graph::typeOf(data.input, &context);
  Type result = graph::typeOf(data.residual, &context);
  auto main =
      builder.create<func::FuncOp>(loc, "main", builder.getFunctionType({input, result}, {result}));
  graph::setArgumentName(main, 0, "x");
  graph::setArgumentName(main, 1, "r");
  graph::setResultName(main, 0, "y");
  builder.setInsertionPointToStart(main.addEntryBlock());
  graph::TypedBuilder typed(builder, loc);
  Shape ones = {1, 1};
  Value value = typed.emit<graph::ConvOp>(main.getArgument(0), typed.constant(data.weight),
                                          typed.constant(data.bias), ones, layer.pads, ones, 1);
  value = layer.hasResidual ? typed.add(value, main.getArgument(1)) : value;
  value = typed.unary(graph::UnaryKind::Relu, value);
  builder.create<func::ReturnOp>(loc, value);
  return module;
}

StageOptions optionsFor(const targets::Target &host, int64_t vectorBytes, bool isStrict) {
  StageOptions options;
  options.layout.isStrictMath = isStrict;
  options.machine.vectorBytes = vectorBytes ? vectorBytes : host.vectorBytes;
  options.machine.vectorRegisters = host.vectorRegisters;
  if (options.machine.hasLongVectors()) {
    options.machine.vectorRegisters = 4;
    options.machine.fmaPorts = 1;
    options.machine.hasScalarOperands = true;
  }
  options.kernels.fuseMultiplyAdd = host.hasFma;
  options.verifyStages = true;
  return options;
}

/// Compiles and runs the layer; sets `tile` to the tile of the Winograd kernel, or 0.
std::optional<Tensor> runLayer(MLIRContext &context, const Layer &layer, const Data &data,
                               bool isStrict, int64_t &tile) {
  static const targets::Target kHost = targets::detectHost();
  StageOptions options = optionsFor(kHost, layer.vectorBytes, isStrict);
  OwningOpRef<ModuleOp> module = makeModule(context, layer, data);
  if (failed(runStages(*module, options, "", "layout"))) {
    return std::nullopt;
  }
  tile = 0;
  module->walk([&](graph::KernelOp kernel) {
    auto config = dyn_cast_or_null<kernels::WinogradAttr>(kernel.getConfigAttr());
    auto pixels = dyn_cast_or_null<kernels::WinogradPixelsAttr>(kernel.getConfigAttr());
    if (config && !layer.isAlongTiles) {
      tile = config.getTile();
    } else if (pixels && layer.isAlongTiles) {
      tile = pixels.getTile();
    }
  });
  if (failed(runStages(*module, options, "tasks", "schedule"))) {
    return std::nullopt;
  }
  codegen::CodegenOptions codegenOptions;
  codegenOptions.target = kHost;
  auto model = codegen::LoadedModel::load(*module, codegenOptions);
  if (!model) {
    llvm::outs() << llvm::toString(model.takeError()) << "\n";
    return std::nullopt;
  }
  auto results = (*model)->run({data.input, data.residual});
  if (!results) {
    llvm::outs() << llvm::toString(results.takeError()) << "\n";
    return std::nullopt;
  }
  return results->front();
}

/// Differences from the exact result, in units of its root mean square.
struct Error {
  double rms = 0, most = 0;
};

Error errorOf(const Tensor &actual, const std::vector<double> &exact) {
  double squares = 0;
  double scale = 0;
  Error error;
  for (size_t i = 0; i < exact.size(); ++i) {
    double apart = std::fabs(actual.asDouble(static_cast<int64_t>(i)) - exact[i]);
    // A NaN counts as an infinite error.
    error.most = apart <= error.most ? error.most : std::isnan(apart) ? HUGE_VAL : apart;
    squares += apart * apart;
    scale += exact[i] * exact[i];
  }
  auto count = static_cast<double>(exact.size());
  double unit = std::sqrt(scale / count);
  error.rms = std::sqrt(squares / count) / unit;
  error.most /= unit;
  return error;
}

/// Returns false after printing the problem.
bool check(const Layer &layer, bool isVerbose) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, graph::GraphDialect>();
  Random random(7);
  Data data(layer, random);
  int64_t strictTile = 0;
  int64_t fastTile = 0;
  std::optional<Tensor> strict = runLayer(context, layer, data, /*isStrict=*/true, strictTile);
  std::optional<Tensor> fast = runLayer(context, layer, data, /*isStrict=*/false, fastTile);
  if (!strict || !fast) {
    llvm::outs() << "FAILED " << layer.name << ": the layer does not compile or run\n";
    return false;
  }
  std::vector<double> exact = expected(layer, data);
  Error direct = errorOf(*strict, exact);
  Error winograd = errorOf(*fast, exact);
  bool isClose = winograd.rms <= kMostTimesDirect * direct.rms &&
                 winograd.most <= kMostTimesDirect * direct.most;
  bool isFine = isClose && strictTile == 0 && fastTile == layer.tile;
  if (!isFine || isVerbose) {
    llvm::outs() << (isFine ? "" : "FAILED ") << layer.name << ": tile " << fastTile
                 << " (expected " << layer.tile << "), strict uses " << strictTile
                 << "; error rms, most: direct "
                 << llvm::format("%.2e, %.2e, Winograd %.2e, %.2e\n", direct.rms, direct.most,
                                 winograd.rms, winograd.most);
  }
  return isFine;
}

} // namespace

int main(int argc, char **argv) {
  bool isVerbose = argc > 1 && StringRef(argv[1]) == "--verbose";
  int failedLayers = 0;
  for (const Layer &layer : kLayers) {
    failedLayers += check(layer, isVerbose) ? 0 : 1;
  }
  llvm::outs() << std::size(kLayers) << " layers, " << failedLayers << " failed\n";
  return failedLayers ? 1 : 0;
}
