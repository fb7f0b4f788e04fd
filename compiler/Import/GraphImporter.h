// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports an ONNX graph node by node and maps names to values. importModel uses
// one GraphImporter per model; NodeContext gives each import row access to it.

#pragma once

#include "Import/CustomOps.h"
#include "Import/Import.h"
#include "Import/NodeContext.h"
#include "Import/OnnxProto.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace convoy::import {

/// The names visible in a graph. A subgraph also sees the names of its parent.
struct Scope {
  const Scope *parent = nullptr;
  /// A null value is poison: the node that defines it failed and emitted an
  /// error.
  llvm::StringMap<mlir::Value> values;
  /// Function inputs that the caller omits.
  llvm::StringSet<> absent;
  /// Attributes that nodes of a function body reference by name.
  llvm::StringMap<const onnx::AttributeProto *> attributes;

  /// Returns the value of a name, or nullopt if no scope defines it.
  std::optional<mlir::Value> find(llvm::StringRef name) const;
  bool isAbsent(llvm::StringRef name) const;
  const onnx::AttributeProto *findAttribute(llvm::StringRef name) const;
};

/// Checks a shape from an untrusted source before memory is allocated for it.
/// `what` names the value in the error.
mlir::LogicalResult checkShape(llvm::ArrayRef<int64_t> shape, mlir::Location loc,
                               llvm::StringRef what);

class GraphImporter {
public:
  GraphImporter(const Model &model, mlir::MLIRContext *context, const ImportOptions &options);

  mlir::OwningOpRef<mlir::ModuleOp> importModel();

  mlir::LogicalResult importSubgraph(const onnx::GraphProto &graph, mlir::Region &region,
                                     llvm::ArrayRef<mlir::Type> argumentTypes, mlir::Location loc);
  /// Imports a subgraph at the builder's insertion point with these values as
  /// inputs and returns its outputs.
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> importInline(const onnx::GraphProto &graph,
                                                               llvm::ArrayRef<mlir::Value> inputs,
                                                               mlir::Location loc);
  /// Empties a region. Its ops stay allocated until the import ends, because
  /// `knowledge` identifies values by address.
  void discard(mlir::Region &region);

  mlir::MLIRContext *context;
  reference::FoldingKnowledge knowledge;
  /// Number of nodes imported so far. Each call of a function and each
  /// re-import of a loop body counts again.
  int64_t importedNodes = 0;
  const Scope *currentScope() const { return scope; }
  mlir::FailureOr<Tensor> importTensor(const onnx::TensorProto &tensor, mlir::Location loc);
  /// Returns the MLIR type of an ONNX type; dynamic dimensions are kDynamic.
  /// `what` names the value in errors.
  mlir::FailureOr<mlir::Type> importType(const onnx::TypeProto &type, mlir::Location loc,
                                         llvm::StringRef what);

private:
  mlir::LogicalResult readOpsets();
  mlir::LogicalResult collectFunctions();
  const onnx::FunctionProto *findFunction(const onnx::NodeProto &node) const;
  /// Returns the declaration of the user, which precedes a function of the model, or null.
  const CustomOp *findCustom(const onnx::NodeProto &node) const;
  mlir::LogicalResult checkOps();
  void bindArguments(const onnx::GraphProto &graph, llvm::ArrayRef<mlir::Value> values,
                     mlir::Location loc);
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  mlir::LogicalResult checkNodes(const Nodes &nodes);
  mlir::LogicalResult checkNode(const onnx::NodeProto &node);
  mlir::FailureOr<mlir::Type> inputType(const std::string &name, const onnx::TypeProto &declared);
  void reportOpenInputs() const;
  bool isPinned(const std::string &name) const;
  /// Infers the type of a new op and returns its result, or null after an error.
  mlir::Value inferred(mlir::Operation *op);
  mlir::Value addSequence(const std::string &name, const onnx::TypeProto &element,
                          mlir::Block &block);
  mlir::Value addOptional(const std::string &name, const onnx::TypeProto &element,
                          mlir::Block &block);
  mlir::Value addInput(const std::string &name, const onnx::TypeProto &type, mlir::Block &block);
  /// The results of @main with their names.
  using Results = llvm::SmallVector<std::pair<std::string, mlir::Value>>;
  mlir::LogicalResult addResults(const std::string &name, mlir::Value value, Results &results);
  mlir::FailureOr<Results> mainResults(const onnx::GraphProto &graph, mlir::Location loc);
  void reportUnsupported(const onnx::NodeProto &node);
  using Opsets = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;
  void addOpsets(const Opsets &imported);
  /// Adds the opsets of a function and returns the opsets of its caller.
  llvm::StringMap<int64_t> enterOpsets(const onnx::FunctionProto &function);
  mlir::LogicalResult importInputs(const onnx::GraphProto &graph, mlir::Block &block);
  mlir::LogicalResult importInitializers(const onnx::GraphProto &graph);
  mlir::LogicalResult importNodes(const Nodes &nodes);
  mlir::LogicalResult importNode(const onnx::NodeProto &node);
  mlir::LogicalResult importFunctionCall(NodeContext &node, const onnx::FunctionProto &function);
  mlir::LogicalResult bindFunctionInputs(NodeContext &node, const onnx::FunctionProto &function,
                                         Scope &inner);
  mlir::LogicalResult collectFunctionOutputs(NodeContext &node,
                                             const onnx::FunctionProto &function);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> graphOutputs(const onnx::GraphProto &graph,
                                                               mlir::Location loc);
  mlir::LogicalResult bindInputs(NodeContext &node, bool &isPoisoned);
  mlir::LogicalResult bindOutputs(NodeContext &node, bool hasFailed);
  mlir::Location locationOf(const onnx::NodeProto &node);
  void declare(llvm::StringRef name, mlir::Value value);

  const Model &model;
  const onnx::ModelProto &proto;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  Scope *scope = nullptr;
  llvm::StringMap<int64_t> opsets;
  llvm::StringMap<const onnx::FunctionProto *> functions;
  int64_t depth = 0;
  /// The active function calls, as a prefix of node names.
  std::string callPath;
  llvm::SmallVector<const onnx::FunctionProto *> activeFunctions;
  /// The functions that checkOps found, in order of discovery.
  llvm::SetVector<const onnx::FunctionProto *> reachedFunctions;
  /// Default attributes of functions. They must outlive the scopes that
  /// reference them.
  std::deque<onnx::AttributeProto> functionDefaults;
  std::vector<std::unique_ptr<mlir::Region>> discarded;
  /// The inputs whose dynamic dimensions no option sets.
  struct OpenInput {
    std::string name, shapeFlag, dimFlags, note;
    bool hasNames = true; // of all dynamic dimensions
  };
  std::vector<OpenInput> openInputs;
};

} // namespace convoy::import
