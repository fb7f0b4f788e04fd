// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the graph dialect. The generated code of each op family is compiled
// in its own file (<Family>Ops.cpp), which also defines add<Family>Ops.

#include "Graph/Graph.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "Graph/GraphDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Graph/GraphTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Graph/GraphAttrs.cpp.inc"

namespace convoy::graph {

void GraphDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "Graph/GraphTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Graph/GraphAttrs.cpp.inc"
      >();
  registerCollectionOps();
  registerControlOps();
  registerElementwiseOps();
  registerIntegerOps();
  registerNNOps();
  registerReductionOps();
  registerTensorOps();
}

mlir::Operation *GraphDialect::materializeConstant(mlir::OpBuilder &builder, mlir::Attribute value,
                                                   mlir::Type type, mlir::Location loc) {
  auto elements = mlir::dyn_cast<mlir::ElementsAttr>(value);
  return elements ? builder.create<ConstantOp>(loc, type, elements).getOperation() : nullptr;
}

} // namespace convoy::graph
