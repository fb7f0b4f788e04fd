// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of an import row to its node: inputs, attributes, opset, and a
// builder that infers the types of each new op. Example:
//
//     static LogicalResult importTile(NodeContext &n) {
//       return n.yield(n.emit<graph::TileOp>(n.input(0), n.input(1)));
//     }

#pragma once

#include "Graph/Constant.h"
#include "Graph/Graph.h"
#include "mlir/IR/Builders.h"
#include "reference/Reference.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
class TypeProto;
} // namespace onnx

namespace convoy::import {

class GraphImporter;

class NodeContext {
public:
  NodeContext(GraphImporter &importer, const onnx::NodeProto &node, int64_t opset,
              mlir::OpBuilder &builder, mlir::Location loc);

  // The node.
  int64_t opset() const { return opsetVersion; }
  llvm::StringRef opType() const;
  llvm::StringRef domain() const;

  /// Returns input i, or null if the node omits it.
  mlir::Value input(unsigned i) const;
  unsigned numInputs() const { return inputs.size(); }
  llvm::ArrayRef<mlir::Value> allInputs() const { return inputs; }
  unsigned numOutputs() const;
  /// Returns whether the node names output i.
  bool hasOutput(unsigned i) const;
  /// Emits an error and fails unless the node has input i.
  mlir::LogicalResult require(unsigned i, llvm::StringRef name);
  /// Emits an error and fails unless the node has an input for each name.
  mlir::LogicalResult requireAll(llvm::ArrayRef<llvm::StringRef> names);

  // Attributes. If the attribute has the wrong type, the accessor emits an error
  // and returns the default.
  bool hasAttr(llvm::StringRef name) const;
  /// Returns the names of all attributes of the node.
  std::vector<std::string> attrNames() const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  Shape intsAttr(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  llvm::SmallVector<double> floatsAttr(llvm::StringRef name);
  std::vector<std::string> stringsAttr(llvm::StringRef name);
  std::optional<Tensor> tensorAttr(llvm::StringRef name);
  const onnx::GraphProto *graphAttr(llvm::StringRef name);
  const onnx::TypeProto *typeAttr(llvm::StringRef name);
  /// Returns the type that a type attribute holds. Emits an error if the node
  /// does not have the attribute.
  mlir::FailureOr<mlir::Type> valueTypeAttr(llvm::StringRef name);
  /// Returns the attribute with function attribute references resolved, or null.
  const onnx::AttributeProto *attr(llvm::StringRef name) const;
  /// Returns the element type of an attribute that holds an ONNX data type number.
  mlir::FailureOr<ElementType> elementTypeAttr(llvm::StringRef name, ElementType otherwise);

  // Values.
  mlir::Type elementType(mlir::Value value) const;
  ElementType element(mlir::Value value) const { return fromMlir(elementType(value)); }
  bool hasRank(mlir::Value value) const;
  /// Returns the shape with kDynamic for dynamic dimensions. Emits an error if the
  /// rank is unknown.
  mlir::FailureOr<Shape> shape(mlir::Value value);
  mlir::FailureOr<int64_t> rank(mlir::Value value);
  /// Returns the normalized axis. Emits an error that names the valid range.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// Returns the value if it can be computed from constants.
  std::optional<Tensor> known(mlir::Value value);

  // Building. After a failure, these functions build nothing and return a value
  // of unknown type. A row may therefore continue and return at its end.
  template <typename OpT, typename... Args>
  mlir::Value emit(Args &&...args) {
    mlir::Operation *op = create<OpT>(placeholder(), std::forward<Args>(args)...);
    return op ? op->getResult(0) : poison();
  }
  /// Builds an op with several results: `auto op = n.emitAll<TopKOp>(...)`.
  template <typename OpT, unsigned kResults, typename... Args>
  llvm::SmallVector<mlir::Value> emitAll(Args &&...args) {
    return emitWith<OpT>(std::make_index_sequence<kResults>(), std::forward<Args>(args)...);
  }
  /// Builds an op with a variadic number of results.
  template <typename OpT, typename... Args>
  llvm::SmallVector<mlir::Value> emitVariadic(unsigned results, Args &&...args) {
    llvm::SmallVector<mlir::Type> types(results, placeholder());
    mlir::Operation *op = create<OpT>(mlir::TypeRange(types), std::forward<Args>(args)...);
    return resultsOr(op, results);
  }

  mlir::Value constant(const Tensor &tensor);
  mlir::Value ints(llvm::ArrayRef<int64_t> values); // rank 1, i64
  mlir::Value intScalar(int64_t value);             // rank 0, i64
  /// Returns a rank-0 constant of the element type of `like`.
  mlir::Value scalarLike(mlir::Value like, double value);
  mlir::Value scalar(ElementType type, double value);
  mlir::Value unary(graph::UnaryKind kind, mlir::Value x);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// Returns `x` itself if it already has the type.
  mlir::Value cast(mlir::Value x, ElementType to);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape); // a 0 means size 0
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value reduce(graph::ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> axes,
                     bool keepDims);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  mlir::Value matmul(mlir::Value a, mlir::Value b);

  /// Binds the outputs in order; trailing unused outputs may be omitted. Fails if
  /// an earlier call failed.
  mlir::LogicalResult yield(mlir::ValueRange outputs);

  /// Starts an error at this node: `return n.error() << "...";`.
  mlir::InFlightDiagnostic error();
  mlir::InFlightDiagnostic warning();
  /// Starts an error at this node that begins with "not supported: ".
  mlir::InFlightDiagnostic unsupported();

  /// Imports a subgraph into `region`. The block has arguments of the given types
  /// and ends with graph.yield of the subgraph's outputs.
  mlir::LogicalResult importRegion(const onnx::GraphProto &graph, mlir::Region &region,
                                   llvm::ArrayRef<mlir::Type> argumentTypes);
  /// Imports a subgraph at the position of this node with these values as inputs
  /// and returns its outputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>>
  importInline(const onnx::GraphProto &graph, llvm::ArrayRef<mlir::Value> arguments = {});
  /// The number of nodes that count for the limit of the import. A caller that
  /// discards imported nodes restores the number.
  int64_t importedNodes() const;
  void setImportedNodes(int64_t count);
  /// Empties a region before it is imported again.
  void discard(mlir::Region &region);
  /// Returns the result type of an op whose types finish() infers later.
  mlir::Type placeholder() const;
  /// Infers the result types of a new op. Marks the node as failed on error.
  mlir::Operation *finish(mlir::Operation *op);

  const mlir::Location loc;
  mlir::OpBuilder &builder;
  bool hasFailed = false;

private:
  friend class GraphImporter;

  template <typename OpT, size_t... kIs, typename... Args>
  llvm::SmallVector<mlir::Value> emitWith(std::index_sequence<kIs...>, Args &&...args) {
    mlir::Operation *op =
        create<OpT>((static_cast<void>(kIs), placeholder())..., std::forward<Args>(args)...);
    return resultsOr(op, sizeof...(kIs));
  }
  /// Builds an op and infers its types. Returns null after an earlier failure or if
  /// a required operand is null, because MLIR does not accept null operands.
  template <typename OpT, typename... Args>
  mlir::Operation *create(Args &&...args) {
    if (hasFailed) {
      return nullptr;
    }
    mlir::OperationState state(loc, OpT::getOperationName());
    OpT::build(builder, state, std::forward<Args>(args)...);
    return isComplete(state) ? finish(builder.create(state)) : nullptr;
  }
  bool isComplete(const mlir::OperationState &state);
  llvm::SmallVector<mlir::Value> resultsOr(mlir::Operation *op, unsigned count) {
    return op ? llvm::SmallVector<mlir::Value>(op->getResults())
              : llvm::SmallVector<mlir::Value>(count, poison());
  }
  mlir::Value poison();

  GraphImporter &importer;
  const onnx::NodeProto &node;
  int64_t opsetVersion;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::Value> outputs;
};

} // namespace convoy::import
