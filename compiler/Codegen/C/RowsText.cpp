// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/C/RowsText.h"
#include "Codegen/LLVM/Library.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace convoy::codegen {

std::string rowReaderText(StringRef reader) {
  constexpr char kText[] = R"(
typedef struct {0}_source {{
  const unsigned char *data;
  uint32_t row_bytes;
} {0}_source;

static int {0}(void *context, uint32_t row, void *bytes) {{
  const {0}_source *const source = context;
  memcpy(bytes, source->data + (size_t)row * source->row_bytes, source->row_bytes);
  return 0;
}
)";
  return llvm::formatv(kText, reader).str();
}

std::string rowSourcesText(const ModelInterface &interface, StringRef reader, StringRef structure,
                           llvm::function_ref<std::string(size_t)> bufferOf) {
  std::string sources, text;
  std::vector<std::string> fields = fieldNames(interface.inputs);
  for (auto [i, input] : llvm::enumerate(interface.inputs)) {
    if (input.rows == 0) {
      continue;
    }
    sources += llvm::formatv("  {0}_source source_{1};\n", reader, i).str();
    text += llvm::formatv("  source_{0}.data = (const unsigned char *){1};\n"
                          "  source_{0}.row_bytes = {2}u;\n"
                          "  {3}.{4}.read = {5};\n"
                          "  {3}.{4}.context = &source_{0};\n",
                          i, bufferOf(i), input.bytes / input.rows, structure, fields[i], reader)
                .str();
  }
  return sources + llvm::formatv("  {0}_inputs {1};\n", interface.model, structure).str() + text;
}

} // namespace convoy::codegen
