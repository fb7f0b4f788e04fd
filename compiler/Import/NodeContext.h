// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import function of one node sees: inputs, attributes, opset, and a
// builder that types each op as it is made. A row reads like the ONNX text:
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

  /// Input i, or null when the node leaves it out.
  mlir::Value input(unsigned i) const;
  unsigned numInputs() const { return inputs.size(); }
  llvm::ArrayRef<mlir::Value> allInputs() const { return inputs; }
  unsigned numOutputs() const;
  /// Whether anything may read output i.
  bool hasOutput(unsigned i) const;
  /// Fails, with an error, unless input i is there.
  mlir::LogicalResult require(unsigned i, llvm::StringRef name);

  // Attributes. A wrong attribute type is an error and gives the default.
  bool hasAttr(llvm::StringRef name) const;
  int64_t intAttr(llvm::StringRef name, int64_t otherwise);
  double floatAttr(llvm::StringRef name, double otherwise);
  std::string stringAttr(llvm::StringRef name, llvm::StringRef otherwise);
  Shape intsAttr(llvm::StringRef name, llvm::ArrayRef<int64_t> otherwise = {});
  llvm::SmallVector<double> floatsAttr(llvm::StringRef name);
  std::vector<std::string> stringsAttr(llvm::StringRef name);
  std::optional<Tensor> tensorAttr(llvm::StringRef name);
  const onnx::GraphProto *graphAttr(llvm::StringRef name);
  const onnx::TypeProto *typeAttr(llvm::StringRef name);
  /// The type that a type attribute names; an attribute that is not there is an
  /// error.
  mlir::FailureOr<mlir::Type> valueTypeAttr(llvm::StringRef name);
  /// The attribute itself, after references of functions are resolved; or null.
  const onnx::AttributeProto *attr(llvm::StringRef name) const;
  /// An ONNX data type number as an element type.
  mlir::FailureOr<ElementType> elementTypeAttr(llvm::StringRef name, ElementType otherwise);

  // Values.
  mlir::Type elementType(mlir::Value value) const;
  ElementType element(mlir::Value value) const { return fromMlir(elementType(value)); }
  bool hasRank(mlir::Value value) const;
  /// The shape, kDynamic where open. An unknown rank is an error.
  mlir::FailureOr<Shape> shape(mlir::Value value);
  mlir::FailureOr<int64_t> rank(mlir::Value value);
  /// A normalised axis attribute value, or an error that names the range.
  mlir::FailureOr<int64_t> axis(int64_t axis, int64_t rank);
  /// The value, if it follows from constants.
  std::optional<Tensor> known(mlir::Value value);

  // Building. After a failure nothing is built and every call returns a value
  // of unknown type, so a row may go on and return at its end.
  template <typename OpT, typename... Args>
  mlir::Value emit(Args &&...args) {
    mlir::Operation *op = create<OpT>(placeholder(), std::forward<Args>(args)...);
    return op ? op->getResult(0) : poison();
  }
  /// The same for ops with several results: `auto op = n.emitAll<TopKOp>(...)`.
  template <typename OpT, unsigned kResults, typename... Args>
  llvm::SmallVector<mlir::Value> emitAll(Args &&...args) {
    return emitWith<OpT>(std::make_index_sequence<kResults>(), std::forward<Args>(args)...);
  }
  /// The same for ops with a variadic number of results.
  template <typename OpT, typename... Args>
  llvm::SmallVector<mlir::Value> emitVariadic(unsigned results, Args &&...args) {
    llvm::SmallVector<mlir::Type> types(results, placeholder());
    mlir::Operation *op = create<OpT>(mlir::TypeRange(types), std::forward<Args>(args)...);
    return resultsOr(op, results);
  }

  mlir::Value constant(const Tensor &tensor);
  mlir::Value ints(llvm::ArrayRef<int64_t> values); // 1-d i64
  mlir::Value intScalar(int64_t value);             // 0-d i64
  /// A 0-d constant of the element type of `like`.
  mlir::Value scalarLike(mlir::Value like, double value);
  mlir::Value scalar(ElementType type, double value);
  mlir::Value unary(graph::UnaryKind kind, mlir::Value x);
  mlir::Value binary(graph::BinaryKind kind, mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// No op when the type is the same already.
  mlir::Value cast(mlir::Value x, ElementType to);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<int64_t> shape); // 0 is a size of 0
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> perm);
  mlir::Value reduce(graph::ReduceKind kind, mlir::Value x, llvm::ArrayRef<int64_t> axes,
                     bool keepDims);
  mlir::Value slice(mlir::Value x, int64_t axis, int64_t begin, int64_t end);
  mlir::Value concat(mlir::ValueRange values, int64_t axis);
  mlir::Value matmul(mlir::Value a, mlir::Value b);

  /// Binds the outputs in order (fewer are fine when the rest is unused) and
  /// ends the row: fails when anything failed before.
  mlir::LogicalResult yield(mlir::ValueRange outputs);

  /// Starts an error at this node. Rows end `return n.error() << "...";`.
  mlir::InFlightDiagnostic error();
  mlir::InFlightDiagnostic warning();
  /// The same, worded for what we cannot do yet.
  mlir::InFlightDiagnostic unsupported();

  /// Imports a subgraph into `region`, whose block gets arguments of the given
  /// types, and ends it with graph.yield of the subgraph's outputs.
  mlir::LogicalResult importRegion(const onnx::GraphProto &graph, mlir::Region &region,
                                   llvm::ArrayRef<mlir::Type> argumentTypes);
  /// Imports a subgraph without inputs in place of this node; returns its
  /// outputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> importInline(const onnx::GraphProto &graph);
  /// Empties a region that is to be imported again.
  void discard(mlir::Region &region);
  /// Creates an op with regions: no type inference yet; call finish on it.
  mlir::Type placeholder() const;
  /// Infers the types of an op just created. On failure marks the node failed.
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
  /// Builds an op and infers its types. Null after an earlier failure or when a
  /// required operand is null, which MLIR does not survive.
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
