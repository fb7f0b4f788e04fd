// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts ONNX models. A cut keeps some nodes of a model: values that removed nodes compute become
// inputs or initializers, and values that no kept node reads become outputs. A control-flow node is
// one node together with its bodies. The search for a small model (Search.h) uses it.

#pragma once

#include "Import/OnnxProto.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace convoy::reduce {

/// What the importer knows about a value of a model.
struct ValueFact {
  onnx::TypeProto type;                      // with a shape, which can be dynamic
  std::optional<onnx::TensorProto> constant; // the elements, if they do not depend on inputs
};
/// Facts by the name of the value. Values without a tensor type are absent.
using ValueFacts = std::map<std::string, ValueFact>;

/// Numbers of nodes in ascending order.
using NodeSet = std::vector<size_t>;

class NodeGraph {
public:
  /// Takes a model that normalize() returned.
  explicit NodeGraph(onnx::ModelProto model);

  const onnx::ModelProto &model() const { return proto; }
  size_t size() const { return static_cast<size_t>(proto.graph().node_size()); }
  NodeSet all() const;
  /// Returns the values that a node reads from outside, also in its bodies, each once.
  const std::vector<std::string> &reads(size_t node) const { return readsOf[node]; }
  /// Returns the nodes that compute an operand of the node or read one of its results.
  NodeSet neighbors(size_t node) const;
  /// Returns the nodes with this name. The name of a node without a name is its first output.
  NodeSet named(llvm::StringRef name) const;

  /// Returns a model of the kept nodes. Returns nothing if a value that becomes an input has no
  /// known type, or if no output remains.
  std::optional<onnx::ModelProto> cut(llvm::ArrayRef<size_t> kept, const ValueFacts &facts) const;

private:
  onnx::ModelProto proto;
  std::vector<std::vector<std::string>> readsOf;
  std::map<std::string, size_t> producers;
  std::map<std::string, NodeSet> readers;
  std::map<std::string, int> initializers; // the index by name
  std::set<std::string> outputs;
};

/// Returns the model with the parts that every cut needs: external tensors of `directory` become
/// raw data, Constant nodes become initializers, and texts and types of inner values are removed.
/// Returns an error if a tensor cannot be read.
llvm::Expected<onnx::ModelProto> normalize(onnx::ModelProto model, const std::string &directory);

/// Removes initializers, functions and imported opsets that no node uses.
void removeUnused(onnx::ModelProto &model);

/// Returns the values that nodes read and do not compute, in the order of the first read. The nodes
/// are a graph or the body of a function.
std::vector<std::string>
outerReads(const google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes);

} // namespace convoy::reduce
