// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The graph dialect: its types, attributes and the base class of its ops. Each op
// family has its own file (Elementwise.td, Tensor.td, ...), so that a change to one
// family rebuilds only that family.

#ifndef CONVOY_GRAPH_DIALECT
#define CONVOY_GRAPH_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "Graph/Layout.td"
include "Graph/OpFacts.td"
include "Graph/TypeInference.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::convoy::graph";
  let summary = "Tensor-level ops with ONNX semantics, one op per distinct computation";
  let description = [{
    A model is one function on SSA tensor values. Signed integers are signless
    (`i8`), unsigned integers are `ui8`, booleans are `i1`. An operand whose *value*
    determines a result shape (the shape of a reshape, the axes of a reduction)
    stays an operand; type inference reads the value if it is a constant. A result
    dimension that depends on data is `?`; only the reference interpreter executes
    ops with this kind of result.

    Import resolves opset differences, default attributes and automatic padding, so
    the dialect has none of them.
  }];
  let extraClassDeclaration = [{
    void registerCollectionOps();
    void registerControlOps();
    void registerElementwiseOps();
    void registerIntegerOps();
    void registerNNOps();
    void registerReductionOps();
    void registerTensorOps();

    template <typename... Ops>
    void registerOps() {
      static_assert((Ops::template hasTrait<OpFactsInterface::Trait>() && ...),
                    "every op of the graph dialect derives from Graph_BaseOp");
      addOperations<Ops...>();
    }
  }];
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Graph_Type<string name, string typeMnemonic> : TypeDef<Graph_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Graph_StringType : Graph_Type<"String", "string"> {
  let summary = "Element type of a tensor of UTF-8 strings; the reference interpreter only";
}
def Graph_Float4E2M1Type : Graph_Type<"Float4E2M1", "f4E2M1"> {
  let summary = "Storage type with 1 sign, 2 exponent and 1 mantissa bits, which MLIR 19 lacks";
}
def Graph_Float8E8M0Type : Graph_Type<"Float8E8M0", "f8E8M0"> {
  let summary = "Storage type of a power of two, 2^(bits - 127), which MLIR 19 lacks";
}
def Graph_SequenceType : Graph_Type<"Sequence", "seq"> {
  let summary = "An ONNX sequence of values of one type; the reference interpreter only";
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}
def Graph_OptionalType : Graph_Type<"Optional", "optional"> {
  let summary = "An ONNX optional value; the reference interpreter only";
  let parameters = (ins "::mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def Graph_BlockedAttr : AttrDef<Graph_Dialect, "Blocked",
    [DeclareAttrInterfaceMethods<Graph_LayoutAttrInterface>]> {
  let mnemonic = "blocked";
  let summary = "Physical layout NCHWc: channels are split into blocks of `c`, which are innermost";
  let description = [{
    An encoding on a tensor type. The shape of the type stays logical:
    `tensor<1x64x56x56xf32, #graph.blocked<c = 16>>` is stored as `1x4x56x56x16`.
    The channels are dimension 1, or the only dimension of a vector. A partial last
    block is padded; the padding of a computed tensor is undefined. The target
    description defines the block size.
  }];
  let parameters = (ins "int64_t":$c);
  let assemblyFormat = "`<` struct(params) `>`";
}

// The values of a graph are tensors. The reference interpreter also executes
// sequences and optionals.
def Graph_Tensor : Type<CPred<"::llvm::isa<::mlir::TensorType>($_self)">, "tensor">;
def Graph_Value : Type<
    CPred<"::llvm::isa<::mlir::TensorType, ::convoy::graph::SequenceType, ::convoy::graph::OptionalType>($_self)">,
    "tensor, sequence or optional">;

// The base class of every op. TableGen rejects an op without a class, and
// GraphDialect::registerOps rejects an op that does not derive from this class.
class Graph_BaseOp<string mnemonic, Graph_OpClass opClass, list<Graph_Fact> facts = [],
                   list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([Graph_OpFactsInterface], traits)> {
  let extraClassDeclaration =
      "static ::convoy::graph::OpClass getOpClass() { return " # opClass.cppValue # "; }\n" #
      !interleave(!foreach(fact, facts, fact.declaration), "\n");
}

class Graph_Op<string mnemonic, Graph_OpClass opClass, list<Graph_Fact> facts = [],
               list<Trait> traits = []>
    : Graph_BaseOp<mnemonic, opClass, facts,
                   !listconcat([Pure, DeclareOpInterfaceMethods<Graph_TypeInferenceOpInterface>],
                               traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
