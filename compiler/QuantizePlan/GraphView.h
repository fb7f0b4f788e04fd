// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indexes of an ONNX graph by tensor name, and accessors of node attributes, for the files of this
// folder. A view is valid until the graph changes.

#pragma once

#include "Import/OnnxProto.h"
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace convoy::plan {

class GraphView {
public:
  explicit GraphView(const onnx::GraphProto &graph);

  /// Return null if there is none.
  const onnx::TensorProto *initializer(const std::string &tensor) const;
  const onnx::NodeProto *producer(const std::string &tensor) const;

  /// Returns the nodes that read the tensor, once per operand. A node reads the tensors that its
  /// subgraphs use.
  const std::vector<const onnx::NodeProto *> &readers(const std::string &tensor) const;

  bool isOutput(const std::string &tensor) const { return outputs.count(tensor) > 0; }
  bool isInput(const std::string &tensor) const { return inputs.count(tensor) > 0; }

  /// Returns the only reader of a tensor that is no output of the graph, or null.
  const onnx::NodeProto *onlyReader(const std::string &tensor) const;

private:
  std::map<std::string, const onnx::TensorProto *> initializers;
  std::map<std::string, const onnx::NodeProto *> producers;
  std::map<std::string, std::vector<const onnx::NodeProto *>> readersOf;
  std::set<std::string> inputs, outputs;
};

/// Calls `visit` with the name of each tensor that a node reads, and with the names in its
/// subgraphs. `visit` may change the name.
void visitReads(onnx::NodeProto &node, const std::function<void(std::string &)> &visit);
void visitReads(const onnx::NodeProto &node, const std::function<void(const std::string &)> &visit);

/// Returns whether the node has the op of the ONNX domain.
bool isOp(const onnx::NodeProto &node, const char *op);

const onnx::AttributeProto *findAttribute(const onnx::NodeProto &node, const std::string &name);
int64_t intAttribute(const onnx::NodeProto &node, const std::string &name, int64_t otherwise);
float floatAttribute(const onnx::NodeProto &node, const std::string &name, float otherwise);

/// Returns input `index`, or an empty text if the node omits it.
std::string inputOf(const onnx::NodeProto &node, int index);

/// Returns the version of the ONNX domain.
int64_t opsetOf(const onnx::ModelProto &model);

/// Returns the rank that the model states for a tensor, or -1.
int64_t rankOf(const onnx::GraphProto &graph, const std::string &tensor);

/// Returns all names of tensors in the graph.
std::set<std::string> tensorNames(const onnx::GraphProto &graph);

/// Returns `base`, or `base` with a number if a tensor has that name, and adds it to `names`.
std::string freshName(std::set<std::string> &names, const std::string &base);

} // namespace convoy::plan
