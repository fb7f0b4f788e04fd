// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs recurrent layers of random sizes on the reference and on the host and compares the results:
// LSTM, GRU and RNN in each direction, with and without sequence lengths, peepholes, initial
// states, clipping and other activations.
//
//     random_recurrent [FIRST SEED [COUNT]]

#include "Kernels/Kernel.h"
#include "Pipeline/RunStages.h"
#include "mlir/Pass/PassManager.h"
#include "tests/differential/SeededGraph.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace convoy;
using namespace convoy::test;

namespace {

/// The sizes of a layer, and the operands and attributes that all three ops share.
struct Layer {
  int64_t steps, batch, inputs, hidden, directions, gates;
  Value weight, recurrence, bias, lengths, initial;
  StringRef direction;
  SmallVector<StringRef> activations;
  SmallVector<double> alphas, betas;
  llvm::APFloat clip = llvm::APFloat(0.0);
};

class RecurrentGraph : public SeededGraph {
public:
  using SeededGraph::SeededGraph;

  ModuleOp make() {
    static constexpr int64_t kBatches[] = {1, 1, 2, 3, 4, 5, 6, 8, 11};
    Layer layer;
    layer.steps = random.between(1, 9);
    layer.batch = random.pick(kBatches);
    layer.inputs = random.between(1, 20);
    layer.hidden = random.chance(0.2) ? 32 : random.between(1, 70);
    return SeededGraph::make({layer.steps, layer.batch, layer.inputs}, [&](Value x) {
      switch (random.between(0, 2)) {
      case 0:
        return outputs(lstm(x, layer), layer);
      case 1:
        return outputs(gru(x, layer), layer);
      default:
        return outputs(rnn(x, layer), layer);
      }
    });
  }

private:
  /// Weights around 1 / sqrt(count) keep the activations out of saturation.
  Value weights(ArrayRef<int64_t> shape) {
    Tensor values = randomTensor(random, ElementType::F32, shape);
    float scale = 0.5F / std::sqrt(static_cast<float>(shape.back()));
    for (int64_t i = 0; i < values.size(); ++i) {
      values.mutableData<float>()[i] *= scale;
    }
    return b.constant(values);
  }

  Value maybe(ArrayRef<int64_t> shape) { return random.chance(0.5) ? weights(shape) : Value(); }

  void fill(Layer &l, int64_t gates, ArrayRef<StringRef> functions) {
    static constexpr StringLiteral kDirections[] = {"forward", "reverse", "bidirectional"};
    l.gates = gates;
    l.direction = random.pick(kDirections);
    l.directions = l.direction == "bidirectional" ? 2 : 1;
    l.weight = weights({l.directions, gates * l.hidden, l.inputs});
    l.recurrence = weights({l.directions, gates * l.hidden, l.hidden});
    l.bias = maybe({l.directions, 2 * gates * l.hidden});
    l.initial = maybe({l.directions, l.batch, l.hidden});
    if (random.chance(0.4)) {
      l.lengths = b.constant(randomInts(random, ElementType::I32, {l.batch}, 0, l.steps));
    }
    bool isOther = random.chance(0.2);
    for (int64_t d = 0; d < l.directions; ++d) {
      for (StringRef name : functions) {
        l.activations.push_back(isOther && name == "sigmoid" ? "hard_sigmoid" : name);
        l.alphas.push_back(0.2);
        l.betas.push_back(0.5);
      }
    }
    l.clip = llvm::APFloat(random.chance(0.2) ? 0.75 : 0.0);
  }

  Operation *lstm(Value x, Layer &l) {
    fill(l, 4, {"sigmoid", "tanh", "tanh"});
    Value cell = maybe({l.directions, l.batch, l.hidden});
    Value peepholes = maybe({l.directions, 3 * l.hidden});
    SmallVector<Type> types(3, b.placeholder());
    return b.infer(builder.create<graph::LSTMOp>(
        loc, types, x, l.weight, l.recurrence, l.bias, l.lengths, l.initial, cell, peepholes,
        builder.getI64IntegerAttr(l.hidden), builder.getStringAttr(l.direction),
        builder.getStrArrayAttr(l.activations), builder.getDenseF64ArrayAttr(l.alphas),
        builder.getDenseF64ArrayAttr(l.betas), builder.getF64FloatAttr(l.clip.convertToDouble()),
        builder.getBoolAttr(random.chance(0.3))));
  }

  Operation *gru(Value x, Layer &l) {
    fill(l, 3, {"sigmoid", "tanh"});
    SmallVector<Type> types(2, b.placeholder());
    return b.infer(builder.create<graph::GRUOp>(
        loc, types, x, l.weight, l.recurrence, l.bias, l.lengths, l.initial,
        builder.getI64IntegerAttr(l.hidden), builder.getStringAttr(l.direction),
        builder.getStrArrayAttr(l.activations), builder.getDenseF64ArrayAttr(l.alphas),
        builder.getDenseF64ArrayAttr(l.betas), builder.getF64FloatAttr(l.clip.convertToDouble()),
        builder.getBoolAttr(random.chance(0.5))));
  }

  Operation *rnn(Value x, Layer &l) {
    fill(l, 1, {"tanh"});
    SmallVector<Type> types(2, b.placeholder());
    return b.infer(builder.create<graph::RNNOp>(
        loc, types, x, l.weight, l.recurrence, l.bias, l.lengths, l.initial,
        builder.getI64IntegerAttr(l.hidden), builder.getStringAttr(l.direction),
        builder.getStrArrayAttr(l.activations), builder.getDenseF64ArrayAttr(l.alphas),
        builder.getDenseF64ArrayAttr(l.betas), builder.getF64FloatAttr(l.clip.convertToDouble())));
  }

  /// Returns some of the results as one matrix of rows. A kernel does not store the others.
  Value outputs(Operation *op, const Layer &l) {
    SmallVector<Value> parts;
    for (OpResult result : op->getResults()) {
      if (random.chance(0.6)) {
        int64_t rows = cast<RankedTensorType>(result.getType()).getNumElements() / l.hidden;
        parts.push_back(b.reshape(result, {rows, l.hidden}));
      }
    }
    if (parts.empty()) {
      parts.push_back(b.reshape(op->getResult(0), {l.steps * l.directions * l.batch, l.hidden}));
    }
    return b.concat(parts, 0);
  }
};

/// Returns whether a kernel of the graph uses the template.
bool isTaken(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  bool isFound = false;
  if (succeeded(runStages(*copy, {}, "", "layout"))) {
    copy->walk([&](graph::KernelOp kernel) {
      isFound |= isa_and_nonnull<kernels::RecurrentAttr>(kernel.getConfigAttr());
    });
  }
  return isFound;
}

/// Returns the problem with the graph of a seed, or an empty string.
std::string compare(uint64_t seed, int64_t &taken) {
  GraphContext context;
  RecurrentGraph graph(&context, seed);
  graph.make();
  return compareWithReference(
      graph, seed, [&](ModuleOp module, ArrayRef<Tensor> inputs, std::vector<Tensor> &outputs) {
        taken += isTaken(module);
        return runOnHost(module, inputs, outputs, /*threads=*/1 + seed % 2);
      });
}

} // namespace

int main(int argc, char **argv) {
  Seeds seeds{1, 60};
  if (!seeds.parse(argc, argv)) {
    return 2;
  }
  int64_t taken = 0;
  int failed = seeds.forEach([&](uint64_t seed) { return compare(seed, taken); });
  llvm::outs() << seeds.count << " graphs, " << taken << " by the recurrent template, " << failed
               << " failed\n";
  // Fails if fewer than 3 of 4 graphs use the template, because the test would not cover it.
  bool isCovered = taken * 4 >= static_cast<int64_t>(seeds.count) * 3;
  return failed || !isCovered ? 1 : 0;
}
