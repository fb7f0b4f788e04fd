// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step only proposes models; the caller decides whether a proposal fails.

#include "reduce/ShrinkNodes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace convoy::reduce {
namespace {

// Larger neighborhoods are not smaller than what bisection finds.
constexpr int kMaxHops = 4;

/// Splits a set into `count` groups of nearly equal size.
std::vector<NodeSet> split(const NodeSet &nodes, size_t count) {
  std::vector<NodeSet> groups;
  for (size_t i = 0; i < count; ++i) {
    auto begin = nodes.begin() + static_cast<ptrdiff_t>(nodes.size() * i / count);
    auto end = nodes.begin() + static_cast<ptrdiff_t>(nodes.size() * (i + 1) / count);
    groups.emplace_back(begin, end);
  }
  return groups;
}

NodeSet without(const NodeSet &nodes, const NodeSet &removed) {
  NodeSet rest;
  std::set_difference(nodes.begin(), nodes.end(), removed.begin(), removed.end(),
                      std::back_inserter(rest));
  return rest;
}

/// Returns the first group that fails alone, or else the first complement of a group that fails.
/// Later groups are removed first, because a cut at the end needs no new inputs.
std::optional<NodeSet> smallerSet(const NodeSet &nodes, size_t count, SubsetFails fails) {
  std::vector<NodeSet> groups = split(nodes, count);
  for (const NodeSet &group : groups) {
    if (group.size() < nodes.size() && fails(group)) {
      return group;
    }
  }
  for (const NodeSet &group : llvm::reverse(groups)) {
    NodeSet rest = without(nodes, group);
    if (count > 2 && !rest.empty() && fails(rest)) {
      return rest;
    }
  }
  return std::nullopt;
}

bool sameType(const ValueFacts &facts, const std::string &a, const std::string &b) {
  auto first = facts.find(a), second = facts.find(b);
  return first != facts.end() && second != facts.end() &&
         first->second.type.SerializeAsString() == second->second.type.SerializeAsString();
}

/// Lets all nodes read `to` in place of `from`. Returns false if a body reads `from`.
bool replaceReads(onnx::GraphProto &graph, const std::string &from, const std::string &to) {
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    for (std::string &input : *node.mutable_input()) {
      input = input == from ? to : input;
    }
  }
  return !llvm::is_contained(outerReads(graph.node()), from);
}

/// Returns the model without a node whose first result is replaced by an operand.
std::optional<onnx::ModelProto> bypass(const onnx::ModelProto &model, int number,
                                       const std::string &operand, const ValueFacts &facts) {
  onnx::ModelProto edited = model;
  onnx::GraphProto &graph = *edited.mutable_graph();
  const std::string result = graph.node(number).output(0);
  graph.mutable_node()->DeleteSubrange(number, 1);
  if (graph.node_size() == 0 || !replaceReads(graph, result, operand)) {
    return std::nullopt;
  }
  auto &outputs = *graph.mutable_output();
  outputs.erase(std::remove_if(outputs.begin(), outputs.end(),
                               [&](const auto &output) { return output.name() == result; }),
                outputs.end());
  NodeGraph rest(std::move(edited));
  return rest.cut(rest.all(), facts);
}

/// Bypasses the first node for which this is possible.
bool bypassOne(onnx::ModelProto &model, const ValueFacts &facts, Fails fails) {
  for (int i = model.graph().node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = model.graph().node(i);
    for (const std::string &input : node.input()) {
      if (node.output_size() == 0 || !sameType(facts, input, node.output(0))) {
        continue;
      }
      std::optional<onnx::ModelProto> candidate = bypass(model, i, input, facts);
      if (candidate && fails(*candidate)) {
        model = std::move(*candidate);
        return true;
      }
    }
  }
  return false;
}

} // namespace

NodeSet minimizeSet(NodeSet nodes, SubsetFails fails) {
  for (size_t count = 2; nodes.size() > 1;) {
    count = std::min(count, nodes.size());
    if (std::optional<NodeSet> smaller = smallerSet(nodes, count, fails)) {
      bool isGroup = smaller->size() * 2 <= nodes.size();
      nodes = std::move(*smaller);
      count = isGroup ? 2 : std::max<size_t>(count - 1, 2);
    } else if (count == nodes.size()) {
      break;
    } else {
      count *= 2;
    }
  }
  return nodes;
}

std::optional<NodeSet> growUntilFailure(const NodeGraph &graph, NodeSet nodes, SubsetFails fails) {
  for (int hops = 0; hops <= kMaxHops && !nodes.empty(); ++hops) {
    if (fails(nodes)) {
      return nodes;
    }
    std::set<size_t> grown(nodes.begin(), nodes.end());
    for (size_t node : nodes) {
      NodeSet near = graph.neighbors(node);
      grown.insert(near.begin(), near.end());
    }
    nodes.assign(grown.begin(), grown.end());
  }
  return std::nullopt;
}

NodeSet bisect(NodeSet nodes, SubsetFails fails) {
  for (bool isPrefix : {true, false}) {
    size_t tooShort = 0, enough = nodes.size();
    while (enough - tooShort > 1) {
      size_t middle = tooShort + (enough - tooShort) / 2;
      llvm::ArrayRef<size_t> all(nodes);
      (fails(isPrefix ? all.take_front(middle) : all.take_back(middle)) ? enough : tooShort) =
          middle;
    }
    auto size = static_cast<ptrdiff_t>(enough);
    nodes = isPrefix ? NodeSet(nodes.begin(), nodes.begin() + size)
                     : NodeSet(nodes.end() - size, nodes.end());
  }
  return nodes;
}

bool bypassNodes(onnx::ModelProto &model, const ValueFacts &facts, Fails fails) {
  bool isChanged = false;
  while (bypassOne(model, facts, fails)) {
    isChanged = true;
  }
  return isChanged;
}

bool dropOutputs(onnx::ModelProto &model, Fails fails) {
  bool isChanged = false;
  for (int i = model.graph().output_size() - 1; i >= 0 && model.graph().output_size() > 1; --i) {
    onnx::ModelProto candidate = model;
    candidate.mutable_graph()->mutable_output()->DeleteSubrange(i, 1);
    if (fails(candidate)) {
      model = std::move(candidate);
      isChanged = true;
    }
  }
  return isChanged;
}

} // namespace convoy::reduce
