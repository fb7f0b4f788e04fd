// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints constants as numbers instead of bytes, so that the text is readable and independent
// of the byte order.

#include "Codegen/C/WeightsText.h"
#include "Codegen/C/CTypes.h"
#include "Codegen/LLVM/Weights.h"
#include "Memory/Attributes.h"
#include "Memory/Passes.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr size_t kLineCharacters = 96;

constexpr char kFastWeights[] = R"(
/* Precedes weights that are read often. Define it as the attribute that places them in a fast
 * memory, to which the start-up code copies them, for example
 * -D'CONVOY_FAST_WEIGHTS=__attribute__((section(".data.weights")))'. */
#ifndef CONVOY_FAST_WEIGHTS
#define CONVOY_FAST_WEIGHTS
#endif
)";

std::string numberText(const char *at, StringRef key) {
  auto read = [&](auto sample) {
    std::memcpy(&sample, at, sizeof(sample));
    return sample;
  };
  if (key == "f32") {
    return literal(llvm::APFloat(read(float())));
  }
  if (key == "f64") {
    return literal(llvm::APFloat(read(double())));
  }
  switch (bitsOf(key)) {
  case 8:
    return std::to_string(read(uint8_t())) + "u";
  case 16:
    return std::to_string(read(uint16_t())) + "u";
  case 32:
    return std::to_string(read(uint32_t())) + "u";
  default:
    return "UINT64_C(" + std::to_string(read(uint64_t())) + ")";
  }
}

} // namespace

std::string memoryKey(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::Complex64:
    return "f32";
  case ElementType::F64:
  case ElementType::Complex128:
    return "f64";
  default:
    return "u" + std::to_string(8 * storageBytes(type));
  }
}

std::string elementsText(const Tensor &tensor, StringRef key) {
  int64_t bytes = bitsOf(key) / 8;
  const char *data = static_cast<const char *>(tensor.raw());
  std::string result;
  std::string row = " ";
  for (int64_t at = 0; at < tensor.bytes(); at += bytes) {
    std::string number = " " + numberText(data + at, key) + ",";
    if (row.size() + number.size() > kLineCharacters) {
      result += row + "\n";
      row = " ";
    }
    row += number;
  }
  return result + row + "\n";
}

llvm::Error WeightsText::add(ModuleOp module) {
  if (!memory::copiedWeightsOf(module).empty()) {
    text += kFastWeights;
  }
  return forEachWeight(module, [&](int64_t offset, const Tensor &tensor) {
    std::string key = memoryKey(tensor.type());
    std::string name = model + "_w" + std::to_string(count++);
    names[offset] = name;
    if (tensor.bytes() == 0) {
      names[offset] = "((const " + scalarType(key) + " *)0)";
      return llvm::Error::success();
    }
    int64_t aligned = memory::alignmentOf(module) == memory::kAlignment
                          ? memory::kAlignment
                          : std::max<int64_t>(memory::kWordBytes, bitsOf(key) / 8);
    bool isCopied = llvm::is_contained(memory::copiedWeightsOf(module), offset);
    text += std::string("static const ") + (isCopied ? "CONVOY_FAST_WEIGHTS " : "") + "_Alignas(" +
            std::to_string(aligned) + ") " + scalarType(key) + " " + name + "[" +
            std::to_string(tensor.bytes() / (bitsOf(key) / 8)) + "] = {\n" +
            elementsText(tensor, key) + "};\n";
    return llvm::Error::success();
  });
}

} // namespace convoy::codegen
