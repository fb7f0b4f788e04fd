// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies the attributes of the kernel dialect on ops and on the module.

#include "Kernels/Attributes.h"
#include "Graph/AttributeRules.h"
#include "Kernels/Kernel.h"

using namespace mlir;

namespace convoy::kernels {

static constexpr graph::AttributeRule kRules[] = {
    {kMachineAttr, graph::AttributeHolder::Module, "a machine", graph::isAttr<MachineAttr>},
    {kExtentAttr, graph::AttributeHolder::Op, "an integer", graph::isAttr<IntegerAttr>},
    {kNarrowAttr, graph::AttributeHolder::Op, "a unit attribute", graph::isAttr<UnitAttr>},
    {kUpperAttr, graph::AttributeHolder::Op, "a unit attribute", graph::isAttr<UnitAttr>},
    {kWhyNotAttentionAttr, graph::AttributeHolder::Op, "a string", graph::isAttr<StringAttr>},
};

LogicalResult KernelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return graph::verifyOpAttribute(op, attribute, kRules);
}

} // namespace convoy::kernels
