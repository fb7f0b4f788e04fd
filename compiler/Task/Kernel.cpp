// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds, prints and verifies kernels, their runs and their calls. Task.td numbers the constraints;
// the verifiers cite the numbers.

#include "Task/Task.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace convoy::task {
namespace {

/// Indices of the range of a lowered kernel: begin and end.
constexpr unsigned kRangeArguments = 2;

bool contains(std::optional<ArrayRef<int64_t>> numbers, unsigned number) {
  return numbers && llvm::is_contained(*numbers, static_cast<int64_t>(number));
}

} // namespace

LogicalResult RowStepsAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t outer,
                                   int64_t inner, DenseI64ArrayAttr ends, ArrayAttr reads) {
  if (outer < 1 || inner < 1 || ends.empty()) {
    return emitError() << "expects at least one outer step, inner step and chunk, found outer "
                       << outer << ", inner " << inner << " and " << ends.size() << " chunks";
  }
  for (Attribute window : reads) {
    auto numbers = llvm::dyn_cast<DenseI64ArrayAttr>(window);
    if (!numbers || (numbers.size() != 0 && numbers.size() != 3)) {
      return emitError() << "expects the size, stride and padding of a window, or an empty array, "
                            "for each operand, found "
                         << window;
    }
  }
  return success();
}

LogicalResult PaceAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t group,
                               int64_t stride, int64_t lag, bool /*descending*/) {
  if (group < 0 || stride < 1 || lag < 0) {
    return emitError() << "expects group >= 0, stride >= 1 and lag >= 0, found group " << group
                       << ", stride " << stride << ", lag " << lag;
  }
  return success();
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addRegion();
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false, getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

LogicalResult KernelOp::verifyType() {
  ArrayRef<Type> types = getArgumentTypes();
  bool isRange =
      types.size() >= kRangeArguments && getResultTypes().empty() &&
      llvm::all_of(types.drop_front(getNumMemories()), [](Type type) { return type.isIndex(); }) &&
      types.size() >= getNumMemories() + kRangeArguments;
  if (isLowered() && !isRange) { // [kernel.2]
    return emitOpError("expects memory, sizes, begin and end as arguments and no results, found ")
           << getFunctionType();
  }
  return success();
}

LogicalResult KernelOp::verify() {
  bool hasLowered = getRounds() || getJoint() || getRows() || getAccess() || getScratch() ||
                    getMayFail() || getInPlace() || getOverlaps();
  if (!isLowered() && hasLowered) { // [kernel.1]
    return emitOpError("has no range, but an attribute of lowered kernels");
  }
  if (getAccess() && getAccess()->size() != getNumMemories()) { // [kernel.3]
    return emitOpError("expects the access of ")
           << getNumMemories() << " memory arguments, found " << getAccess()->size();
  }
  for (std::optional<ArrayRef<int64_t>> numbers : {getInPlace(), getOverlaps()}) { // [kernel.4]
    for (int64_t number : numbers.value_or(ArrayRef<int64_t>())) {
      if (number < 0 || number >= static_cast<int64_t>(getNumMemories())) {
        return emitOpError("expects numbers of its ")
               << getNumMemories() << " memory arguments, found " << number;
      }
    }
  }
  return success();
}

unsigned KernelOp::getNumMemories() {
  return llvm::count_if(getArgumentTypes(), [](Type type) { return isa<MemRefType>(type); });
}

bool KernelOp::mayWrite(unsigned i) {
  std::optional<ArrayAttr> access = getAccess();
  return !access || cast<AccessAttr>((*access)[i]).getValue() != Access::Read;
}

bool KernelOp::isInPlace(unsigned i) { return contains(getInPlace(), i); }

bool KernelOp::isOverlapping(unsigned i) { return contains(getOverlaps(), i); }

std::optional<unsigned> KernelOp::getScratchArgument() {
  return getScratch() ? std::optional(getNumMemories() - 1) : std::nullopt;
}

void ReturnOp::build(OpBuilder &builder, OperationState &state) {
  build(builder, state, ValueRange());
}

LogicalResult ReturnOp::verify() {
  auto kernel = cast<KernelOp>((*this)->getParentOp());
  if (!llvm::equal(kernel.getResultTypes(), getOperandTypes())) { // [return.1]
    return emitOpError("expects values of the results of the kernel's type ")
           << kernel.getFunctionType();
  }
  return success();
}

void RunOp::build(OpBuilder &builder, OperationState &state, TypeRange values,
                  FlatSymbolRefAttr kernel, ValueRange inputs) {
  build(builder, state, values, kernel, inputs, /*bands=*/BandsAttr(),
        /*row_group=*/IntegerAttr(), /*descending=*/UnitAttr());
}

LogicalResult RunOp::verifySymbolUses(SymbolTableCollection &symbols) { // [run.1]
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel) {
    return emitOpError("expects a task.kernel, found none named ") << getKernelAttr();
  }
  FunctionType type = kernel.getFunctionType();
  if (kernel.isLowered()) {
    unsigned scratch = kernel.getScratch() ? 1 : 0;
    unsigned status = kernel.getMayFail() ? 1 : 0;
    unsigned expected = getInputs().size() + getNumResults() + status + scratch + kRangeArguments;
    return type.getNumInputs() == expected
               ? success()
               : emitOpError("expects a kernel with ") << expected << " arguments, found " << type;
  }
  if (!llvm::equal(type.getInputs(), getInputs().getTypes()) ||
      !llvm::equal(type.getResults(), getResultTypes())) {
    return emitOpError("expects operands and results of the kernel's type ") << type;
  }
  return success();
}

void CallOp::build(OpBuilder &builder, OperationState &state, KernelOp kernel,
                   ValueRange arguments) {
  build(builder, state, FlatSymbolRefAttr::get(kernel.getSymNameAttr()), arguments,
        /*bands=*/BandsAttr(), /*pace=*/PaceAttr(), /*rings=*/DenseI64ArrayAttr());
}

KernelOp CallOp::lookupKernel() {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) { // [call.1]
  auto kernel = symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel || !kernel.isLowered()) {
    return emitOpError("expects a lowered task.kernel, found none named ") << getKernelAttr();
  }
  if (!llvm::equal(kernel.getArgumentTypes(), getOperandTypes())) {
    return emitOpError("expects operands of the kernel's type ") << kernel.getFunctionType();
  }
  return success();
}

void CallOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  KernelOp kernel = lookupKernel();
  for (OpOperand &operand : getArgumentsMutable()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      continue;
    }
    unsigned number = operand.getOperandNumber();
    std::optional<ArrayAttr> all = kernel ? kernel.getAccess() : std::nullopt;
    Access access = all ? cast<AccessAttr>((*all)[number]).getValue() : Access::ReadWrite;
    if (access != Access::Write) {
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    }
    if (access != Access::Read) {
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    }
  }
}

} // namespace convoy::task
