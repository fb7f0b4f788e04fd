// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares bands of rows with region inference row by row: the rows that a kernel reads, how layers
// are split, and the dependences between bands.

#include "Bands/BandGroups.h"
#include "Graph/Graph.h"
#include "Schedule/MacroTasks.h"
#include "Schedule/Schedule.h"
#include "Task/Task.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace mlir;
using namespace convoy;
using namespace convoy::bands;
using namespace convoy::schedule;

namespace {

class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {} // NOLINT(cert-msc51-cpp): a fixed sequence
  int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint32_t>(most - least + 1));
  }

private:
  std::mt19937 random;
};

/// One layer with a window along rows; it does not change columns.
struct WindowLayer {
  graph::SlidingWindow window;
  int64_t inputRows = 0;
  int64_t outputRows = 0;
};

WindowLayer drawLayer(Draw &draw, int64_t inputRows) {
  WindowLayer layer;
  layer.window = {draw.between(1, 5), draw.between(1, 2), draw.between(1, 2), draw.between(0, 2)};
  layer.inputRows = inputRows;
  int64_t span = (layer.window.kernel - 1) * layer.window.dilation + 1;
  layer.outputRows = (inputRows + 2 * layer.window.padBefore - span) / layer.window.stride + 1;
  return layer;
}

/// Returns random layers of at least a few rows each.
std::vector<WindowLayer> drawChain(Draw &draw, size_t count) {
  std::vector<WindowLayer> chain;
  int64_t rows = draw.between(24, 60);
  while (chain.size() < count) {
    WindowLayer layer = drawLayer(draw, rows);
    if (layer.outputRows >= 8) {
      rows = layer.outputRows;
      chain.push_back(layer);
    } else {
      chain.clear();
      rows = draw.between(24, 60);
    }
  }
  return chain;
}

constexpr int64_t kColumns = 5;
constexpr int64_t kChannels = 2;

std::string tensorText(int64_t rows) {
  return llvm::formatv("tensor<1x{0}x{1}x{2}xf32>", kChannels, rows, kColumns);
}

/// Returns a function with a sequence of convolutions.
std::string chainText(ArrayRef<WindowLayer> chain) {
  std::string text = "func.func @f(%v0: " + tensorText(chain.front().inputRows);
  for (auto [i, layer] : llvm::enumerate(chain)) {
    text += llvm::formatv(", %w{0}: tensor<2x2x{1}x1xf32>", i, layer.window.kernel).str();
  }
  text += ") -> " + tensorText(chain.back().outputRows) + " {\n";
  for (auto [i, layer] : llvm::enumerate(chain)) {
    const graph::SlidingWindow &w = layer.window;
    text += llvm::formatv("%v{0} = graph.conv %v{1}, %w{1} {{strides = array<i64: {2}, 1>, pads = "
                          "array<i64: {3}, 0, {3}, 0>, dilations = array<i64: {4}, 1>, groups = 1 "
                          ": i64} : ({5}, tensor<2x2x{6}x1xf32>) -> {7}\n",
                          i + 1, i, w.stride, w.padBefore, w.dilation, tensorText(layer.inputRows),
                          w.kernel, tensorText(layer.outputRows))
                .str();
  }
  return text +
         llvm::formatv("return %v{0} : {1}\n}", chain.size(), tensorText(chain.back().outputRows))
             .str();
}

TEST(RowReads, AreThoseOfRegionInferenceOpByOp) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, func::FuncDialect>();
  Draw draw(3);
  int windows = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<WindowLayer> chain = drawChain(draw, draw.between(1, 3));
    auto module = parseSourceString<ModuleOp>(chainText(chain), &context);
    ASSERT_TRUE(module) << chainText(chain);
    Block &body = (*module->getOps<func::FuncOp>().begin()).getBody().front();
    auto reads = task::inferRowReads(body);
    ASSERT_TRUE(reads);
    ASSERT_EQ(reads->size(), chain.size() + 1);
    for (size_t i = 1; i < reads->size(); ++i) {
      EXPECT_FALSE((*reads)[i]) << "weights are read for every row";
    }
    windows += (*reads)[0].has_value();
    for (int64_t row = 0; (*reads)[0] && row < chain.back().outputRows; ++row) {
      graph::Region region = {{0, 1}, {0, kChannels}, {row, 1}, {0, kColumns}};
      for (Operation &op : llvm::reverse(body.without_terminator())) {
        region = graph::inferOperandRegion(&op, 0, region);
      }
      graph::IndexRange got =
          graph::readsOfWindow(*(*reads)[0], {row, 1}, chain.front().inputRows).range;
      EXPECT_EQ(got, region[2]) << "row " << row << " of\n" << chainText(chain);
    }
  }
  // Some chains crop padding in the middle, which one window cannot express.
  EXPECT_GT(windows, 150);
}

/// Returns the layers in the form that bands use, in chunks of a few rows and two outer steps.
std::vector<Layer> layersOf(Draw &draw, ArrayRef<WindowLayer> chain) {
  std::vector<Layer> layers;
  for (auto [i, from] : llvm::enumerate(chain)) {
    Layer layer;
    graph::SlidingWindow window = from.window;
    window.kernel = (window.kernel - 1) * window.dilation + 1;
    window.dilation = 1;
    layer.steps = {kChannels, 1, task::evenChunks(from.outputRows, draw.between(1, 3)), {window}};
    layer.result = {kChannels, from.outputRows, kColumns * 4};
    auto source = i == 0 ? std::nullopt : std::optional(static_cast<unsigned>(i) - 1);
    layer.inputs.push_back({source, 0, {kChannels, from.inputRows, kColumns * 4}});
    layers.push_back(std::move(layer));
  }
  return layers;
}

TEST(Bands, HaveAllRowsOnceAndNeedNoneBehindThem) {
  Draw draw(5);
  int cut = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<WindowLayer> chain = drawChain(draw, draw.between(2, 5));
    std::vector<Layer> layers = layersOf(draw, chain);
    unsigned bands = draw.between(2, 5);
    std::optional<BandGroup> group = cutLayers(layers, 0, layers.size(), bands);
    if (!group) {
      continue;
    }
    ++cut;
    for (unsigned band = 0; band < bands; ++band) {
      for (size_t i = 0; i < layers.size(); ++i) {
        const Layer &layer = layers[i];
        int64_t end = group->ends[i][band];
        int64_t before = band == 0 ? 0 : group->ends[i][band - 1];
        ASSERT_LE(before, end);
        if (band + 1 == bands) {
          EXPECT_EQ(end, layer.steps.chunks());
        } else if (i > 0) {
          int64_t done = layers[i - 1].steps.rowsBefore(group->ends[i - 1][band]);
          auto needed = [&](int64_t chunks) {
            graph::IndexRange rows =
                graph::readsOfWindow(*layer.steps.reads[0], {0, layer.steps.rowsBefore(chunks)},
                                     chain[i].inputRows)
                    .range;
            return rows.first + rows.count;
          };
          EXPECT_LE(needed(end), done);
          // One more chunk would need rows that the previous layer has not computed.
          if (end + 1 < layer.steps.chunks()) {
            EXPECT_GT(needed(end + 1), done);
          }
        }
      }
    }
  }
  EXPECT_GT(cut, 250);
}

std::string arrayText(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

/// Returns @main in planned memory: one call per layer, each tensor in its own bytes.
std::string mainText(ArrayRef<Layer> layers, const BandGroup &group) {
  std::string kernels;
  std::string calls;
  int64_t offset = 64;
  std::string from = "%x";
  int64_t arena = 1 << 20;
  for (auto [i, layer] : llvm::enumerate(layers)) {
    const task::RowMemory &in = layer.inputs[0].memory;
    int64_t inputs = in.bytes() / 4;
    int64_t outputs = layer.result.bytes() / 4;
    const graph::SlidingWindow &w = *layer.steps.reads[0];
    kernels += llvm::formatv(
        "task.kernel @k{0}(%a: memref<{1}xf32>, %b: memref<{2}xf32>, %begin: index, %end: index) "
        "attributes {{access = [#task.access<read>, #task.access<write>], range = {3} : i64, "
        "tensors = ({4}) -> {5}, rows = #task.row_steps<outer = {7}, inner = 1, ends = {6}, reads "
        "= [array<i64: {8}, {9}, {10}>]>} {{\n  %e = memref.load %a[%begin] : memref<{1}xf32>\n  "
        "memref.store %e, %b[%begin] : memref<{2}xf32>\n  task.return\n}\n",
        i, inputs, outputs, layer.steps.outer * layer.steps.chunks(), tensorText(in.rows),
        tensorText(layer.result.rows), arrayText(layer.steps.ends), layer.steps.outer, w.kernel,
        w.stride, w.padBefore);
    calls += llvm::formatv(
        "  %o{0} = arith.constant {1} : index\n  %t{0} = memref.view %arena[%o{0}][] : "
        "memref<{2}xi8> to memref<{3}xf32>\n  %r{0} = arith.constant {4} : index\n  "
        "task.call @k{0}({5}, %t{0}, %c0, %r{0}) {{bands = #task.bands<group = 0, ends = {6}, "
        "savedNs = 0.0 : f64>} : memref<{7}xf32>, memref<{3}xf32>, index, index\n",
        i, offset, arena, outputs, layer.steps.outer * layer.steps.chunks(), from,
        arrayText(group.ends[i]), inputs);
    from = "%t" + std::to_string(i);
    offset += layer.result.bytes();
  }
  return llvm::formatv("func.func @main(%x: memref<{0}xf32>, %arena: memref<{1}xi8>) {{\n  %c0 = "
                       "arith.constant 0 : index\n{2}  return\n}\n{3}",
                       layers[0].inputs[0].memory.bytes() / 4, arena, calls, kernels);
}

TEST(Bands, NeedThoseBandsWhoseRowsTheyReadAndNoOthers) {
  MLIRContext context;
  context.loadDialect<graph::GraphDialect, func::FuncDialect, arith::ArithDialect,
                      memref::MemRefDialect, task::TaskDialect>();
  Draw draw(7);
  int edges = 0;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<WindowLayer> chain = drawChain(draw, 3);
    std::vector<Layer> layers = layersOf(draw, chain);
    std::optional<BandGroup> group = cutLayers(layers, 0, layers.size(), draw.between(2, 4));
    if (!group) {
      continue;
    }
    auto module = parseSourceString<ModuleOp>(mainText(layers, *group), &context);
    ASSERT_TRUE(module) << mainText(layers, *group);
    auto main = module->lookupSymbol<func::FuncOp>("main");
    KernelTable kernels(*module);
    FailureOr<std::vector<Work>> works = collectWork(main, kernels);
    ASSERT_TRUE(succeeded(works));
    std::optional<std::vector<Work>> cut = cutBands(*works, main, kernels);
    ASSERT_TRUE(cut);
    auto layerOf = [&](const Work &work) {
      StringRef name = cast<task::CallOp>(work.op).getKernel();
      return static_cast<size_t>(name.back() - '0');
    };
    for (const Work &work : *cut) {
      std::set<unsigned> expected;
      size_t to = layerOf(work);
      const task::RowSteps &steps = layers[to].steps;
      graph::IndexRange read =
          steps.readsOf(0, work.band->low, work.band->high, chain[to].inputRows);
      for (auto [i, other] : llvm::enumerate(*cut)) {
        if (to > 0 && layerOf(other) == to - 1) {
          const task::RowSteps &before = layers[to - 1].steps;
          bool isRead = before.rowsBefore(other.band->low) < read.first + read.count &&
                        before.rowsBefore(other.band->high) > read.first;
          if (isRead) {
            expected.insert(static_cast<unsigned>(i));
          }
        }
      }
      edges += static_cast<int>(expected.size());
      EXPECT_EQ(std::set<unsigned>(work.needs.begin(), work.needs.end()), expected);
    }
  }
  EXPECT_GT(edges, 100);
}

/// The schedulers see a group of two runs for each band.
TEST(Bands, StayOnOneWorkerOneAfterTheOther) {
  for (unsigned workers : {2U, 3U, 5U}) {
    MacroGraph graph;
    graph.workers = workers;
    graph.meetNs = 300;
    graph.flagNs = 40;
    constexpr unsigned kBands = 6;
    constexpr unsigned kLayers = 3;
    for (unsigned band = 0; band < kBands; ++band) {
      for (unsigned layer = 0; layer < kLayers; ++layer) {
        unsigned task = graph.tasks.size();
        graph.tasks.push_back({10000, 1, 1, /*isPinned=*/false, {}, {}, band});
        if (layer > 0) {
          graph.addNeed(task - 1, task, 1000);
        }
        if (layer > 0 && band > 0) {
          graph.addNeed(task - kLayers - 1, task, 100);
        }
      }
    }
    for (ListRule rule : kListRules) {
      ListOptions options;
      options.rule = rule;
      options.widths = fullWidths(graph);
      ScheduleCandidate candidate = listSchedule(graph, options);
      std::vector<std::vector<unsigned>> lists(workers); // bands
      for (const Placement &placement : candidate.order) {
        ASSERT_EQ(placement.group.size(), 1u);
        lists[placement.group[0]].push_back(placement.task / kLayers);
      }
      std::set<unsigned> seen;
      for (const std::vector<unsigned> &list : lists) {
        for (size_t i = 0; i < list.size(); i += kLayers) {
          EXPECT_TRUE(seen.insert(list[i]).second) << "a band has two workers";
          for (size_t k = 1; k < kLayers; ++k) {
            EXPECT_EQ(list[i + k], list[i]) << "a band is interrupted";
          }
        }
      }
      EXPECT_EQ(seen.size(), kBands);
    }
  }
}

} // namespace
