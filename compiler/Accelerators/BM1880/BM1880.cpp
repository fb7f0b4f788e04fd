// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the bm1880 dialect and builds the instruction table from its ops.

#include "Accelerators/BM1880/BM1880.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include "Accelerators/BM1880/BM1880Dialect.cpp.inc"
#define GET_OP_CLASSES
#include "Accelerators/BM1880/BM1880Ops.cpp.inc"

using namespace mlir;

namespace convoy::bm1880 {

void BM1880Dialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Accelerators/BM1880/BM1880Ops.cpp.inc"
      >();
}

namespace {

/// Parses the fields of an instruction, for example "u64 a b; i32* c".
std::vector<FieldInfo> parseFields(llvm::StringRef text) {
  std::vector<FieldInfo> fields;
  while (!text.empty()) {
    auto [group, rest] = text.split(';');
    auto [type, names] = group.trim().split(' ');
    bool isList = type.consume_back("*");
    auto kind = llvm::StringSwitch<FieldType>(type)
                    .Case("u64", FieldType::U64)
                    .Case("u32", FieldType::U32)
                    .Case("f32", FieldType::F32)
                    .Case("bool", FieldType::Bool)
                    .Case("method", FieldType::Method)
                    .Default(FieldType::I32);
    SmallVector<llvm::StringRef> list;
    names.split(list, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (llvm::StringRef name : list) {
      fields.push_back({name, kind, isList});
    }
    text = rest.trim();
  }
  return fields;
}

template <typename... OpTs>
std::vector<InstructionInfo> tableOf() {
  std::vector<InstructionInfo> table = {{OpTs::getOperationName().split('.').second, OpTs::kKernel,
                                         OpTs::kNumber, parseFields(OpTs::kFields)}...};
  llvm::sort(table, [](const auto &a, const auto &b) { return a.number < b.number; });
  return table;
}

} // namespace

llvm::ArrayRef<InstructionInfo> instructions() {
  static const std::vector<InstructionInfo> kTable = tableOf<
#define GET_OP_LIST
#include "Accelerators/BM1880/BM1880Ops.cpp.inc"
      >();
  return kTable;
}

const InstructionInfo *findInstruction(llvm::StringRef name) {
  const auto *found =
      llvm::find_if(instructions(), [&](const auto &info) { return info.name == name; });
  return found == instructions().end() ? nullptr : found;
}

Instruction::Instruction(llvm::StringRef name, std::string layer)
    : Instruction(*findInstruction(name), std::move(layer)) {}

size_t Instruction::indexOf(llvm::StringRef field) const {
  auto found =
      llvm::find_if(table->fields, [&](const FieldInfo &info) { return info.name == field; });
  assert(found != table->fields.end() && "an instruction is asked for fields that it has");
  return static_cast<size_t>(found - table->fields.begin());
}

Instruction &Instruction::setList(llvm::StringRef field, std::vector<int64_t> list) {
  values[indexOf(field)] = std::move(list);
  return *this;
}

Instruction &Instruction::setAll(llvm::StringRef first, llvm::ArrayRef<int64_t> numbers) {
  size_t index = indexOf(first);
  for (int64_t number : numbers) {
    values[index++] = {number};
  }
  return *this;
}

Operation *toOp(const Instruction &instruction, OpBuilder &builder, Location loc) {
  OperationState state(loc, ("bm1880." + instruction.name()).str());
  if (!instruction.layer.empty()) {
    state.addAttribute("name", builder.getStringAttr(instruction.layer));
  }
  for (auto [i, field] : llvm::enumerate(instruction.info().fields)) {
    const std::vector<int64_t> &list = instruction.at(i);
    Attribute value = builder.getI64IntegerAttr(list.empty() ? 0 : list.front());
    state.addAttribute(field.name, field.isList ? builder.getDenseI64ArrayAttr(list) : value);
  }
  return builder.create(state);
}

Instruction fromOp(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>("name");
  Instruction instruction(op->getName().stripDialect(), name ? name.str() : "");
  for (auto [i, field] : llvm::enumerate(instruction.info().fields)) {
    Attribute value = op->getAttr(field.name);
    if (auto list = dyn_cast<DenseI64ArrayAttr>(value)) {
      instruction.at(i).assign(list.asArrayRef().begin(), list.asArrayRef().end());
    } else {
      instruction.at(i) = {cast<IntegerAttr>(value).getInt()};
    }
  }
  return instruction;
}

LogicalResult verifyFields(Operation *op) {
  const InstructionInfo &info = *findInstruction(op->getName().stripDialect());
  for (const FieldInfo &field : info.fields) { // [inst.1]
    Attribute value = op->getAttr(field.name);
    bool isRight = field.isList ? isa_and_nonnull<DenseI64ArrayAttr>(value)
                                : isa_and_nonnull<IntegerAttr>(value);
    if (!isRight) {
      return op->emitOpError("expects field '")
             << field.name << "' to be " << (field.isList ? "a list of integers" : "an integer")
             << ", got " << (value ? "another attribute" : "no attribute");
    }
  }
  size_t extra = op->hasAttrOfType<StringAttr>("name") ? 1 : 0;
  if (op->getAttrs().size() != info.fields.size() + extra) { // [inst.2]
    return op->emitOpError("expects ") << info.fields.size() << " fields and an optional name, got "
                                       << op->getAttrs().size() << " attributes";
  }
  return success();
}

} // namespace convoy::bm1880
