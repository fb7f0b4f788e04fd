// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the search for small failing sets of nodes with failures that the tests define.

#include "reduce/ShrinkNodes.h"
#include "reduce/test/TestGraphs.h"
#include <gmock/gmock.h>

using namespace convoy::reduce;
using namespace convoy::reduce::test;
using testing::ElementsAre;

namespace {

bool containsAll(llvm::ArrayRef<size_t> nodes, llvm::ArrayRef<size_t> wanted) {
  return llvm::all_of(wanted, [&](size_t node) { return llvm::is_contained(nodes, node); });
}

NodeSet upTo(size_t count) {
  NodeSet nodes(count);
  for (size_t i = 0; i < count; ++i) {
    nodes[i] = i;
  }
  return nodes;
}

/// Counts the tests of a failure that needs the nodes `wanted`.
struct Counted {
  NodeSet wanted;
  int count = 0;
  bool operator()(llvm::ArrayRef<size_t> nodes) {
    ++count;
    return containsAll(nodes, wanted);
  }
};

TEST(MinimizeSet, FindsOneNode) {
  for (size_t wanted : {0, 17, 99}) {
    Counted fails{{wanted}};
    EXPECT_THAT(minimizeSet(upTo(100), fails), ElementsAre(wanted));
    EXPECT_LE(fails.count, 20); // about 2 log2(100)
  }
}

TEST(MinimizeSet, FindsNodesThatAreApart) {
  Counted fails{{3, 50, 51, 98}};
  EXPECT_THAT(minimizeSet(upTo(100), fails), ElementsAre(3, 50, 51, 98));
  EXPECT_LE(fails.count, 150);
}

TEST(MinimizeSet, RemovesEachNodeThatIsNotNecessary) {
  // Fails with node 2 and any two others.
  auto fails = [](llvm::ArrayRef<size_t> nodes) {
    return llvm::is_contained(nodes, size_t(2)) && nodes.size() >= 3;
  };
  NodeSet least = minimizeSet(upTo(16), fails);
  EXPECT_EQ(least.size(), 3U);
  EXPECT_TRUE(llvm::is_contained(least, size_t(2)));
}

TEST(Bisect, FindsTheRangeOfTheFailure) {
  Counted fails{{40, 43}};
  EXPECT_THAT(bisect(upTo(100), fails), ElementsAre(40, 41, 42, 43));
  EXPECT_LE(fails.count, 14);
}

TEST(GrowUntilFailure, AddsNeighbors) {
  NodeGraph graph(chain());
  EXPECT_THAT(*growUntilFailure(graph, {1}, Counted{{1}}), ElementsAre(1));
  EXPECT_THAT(*growUntilFailure(graph, {1}, Counted{{2}}), ElementsAre(0, 1, 2));
  EXPECT_FALSE(growUntilFailure(graph, {1}, [](llvm::ArrayRef<size_t>) { return false; }));
  EXPECT_FALSE(growUntilFailure(graph, {}, [](llvm::ArrayRef<size_t>) { return true; }));
}

/// Returns whether the model has a Mul whose result a Tanh reads.
bool hasPair(const onnx::ModelProto &model) {
  std::string result;
  for (const onnx::NodeProto &node : model.graph().node()) {
    result = node.op_type() == "Mul" ? node.output(0) : result;
    if (node.op_type() == "Tanh" && node.input(0) == result) {
      return true;
    }
  }
  return false;
}

TEST(BypassNodes, ConnectsTheNodesAround) {
  onnx::ModelProto model = emptyModel();
  onnx::GraphProto &graph = *model.mutable_graph();
  setType(*graph.add_input(), "x", onnx::TensorProto::FLOAT, {"4", "6"});
  addFloats(graph, "w", {6});
  addNode(graph, "Mul", {"x", "w"}, "a");
  addNode(graph, "Relu", {"a"}, "b");
  addNode(graph, "Exp", {"b"}, "c");
  addNode(graph, "Tanh", {"c"}, "d");
  setType(*graph.add_output(), "d", onnx::TensorProto::FLOAT, {"4", "6"});
  auto fails = [](const onnx::ModelProto &candidate) {
    // The distance does not matter: each candidate must still have both nodes.
    std::string ops;
    for (const onnx::NodeProto &node : candidate.graph().node()) {
      ops += node.op_type() + " ";
    }
    return ops.find("Mul") != std::string::npos && ops.find("Tanh") != std::string::npos;
  };
  EXPECT_TRUE(bypassNodes(model, factsOf({"x", "a", "b", "c", "d"}), fails));
  EXPECT_EQ(model.graph().node_size(), 2);
  EXPECT_TRUE(hasPair(model));
  EXPECT_EQ(interfaceOf(model), "x | w -> d");
  EXPECT_FALSE(bypassNodes(model, factsOf({"x", "a", "b", "c", "d"}), fails));
}

TEST(BypassNodes, NeedsEqualTypes) {
  onnx::ModelProto model = chain();
  auto always = [](const onnx::ModelProto &) { return true; };
  EXPECT_FALSE(bypassNodes(model, {}, always));
  EXPECT_EQ(model.graph().node_size(), 5);
}

TEST(DropOutputs, KeepsOne) {
  onnx::ModelProto model = chain();
  EXPECT_TRUE(dropOutputs(model, [](const onnx::ModelProto &) { return true; }));
  EXPECT_EQ(namesOf(model.graph().output()), "d");
}

} // namespace
