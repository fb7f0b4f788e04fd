// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the test bench: a program with an input, the outputs of the reference for it, and a
// workspace. It needs only the C library, so it also runs on boards whose only output is
// printf.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/RowsText.h"
#include "Codegen/C/Source.h"
#include "Codegen/C/WeightsText.h"
#include "Codegen/LLVM/Library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr char kOpening[] = R"(/* Test bench of model '{0}'. Generated; do not edit.
 * Runs the model once on the input below. The exit code is 0 if the outputs are right. */
#include "{0}.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Alignas({1}_WORKSPACE_ALIGNMENT) unsigned char workspace[{1}_WORKSPACE_BYTES + 1];

)";

constexpr char kFloats[] =
    R"(/* Returns the number of elements with |got - want| > {1} + {2} * |want|. */
static unsigned long wrong_{0}(const {0} *got, const {0} *want, unsigned long count) {{
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < count; ++i) {{
    const double g = (double)got[i];
    const double w = (double)want[i];
    const int is_same = g == w || (isnan(g) && isnan(w));
    if (!is_same && !(fabs(g - w) <= {1} + {2} * fabs(w))) {{
      if (wrong == 0) {{
        printf("element %lu is %.9g, expected %.9g\n", i, g, w);
      }
      ++wrong;
    }
  }
  return wrong;
}

)";

constexpr char kRelativeL2[] =
    R"(/* Returns 0 if |got - want| <= {1} * |want| for the whole vectors. */
static unsigned long wrong_{0}(const {0} *got, const {0} *want, unsigned long count) {{
  double off = 0;
  double all = 0;
  for (unsigned long i = 0; i < count; ++i) {{
    const double d = (double)got[i] - (double)want[i];
    off += d * d;
    all += (double)want[i] * (double)want[i];
  }
  printf("relative L2 error %.3g\n", all > 0 ? sqrt(off / all) : sqrt(off));
  return sqrt(off) <= {1} * sqrt(all) ? 0 : count;
}

)";

constexpr char kIntegers[] =
    R"(/* Returns the number of elements that differ by more than {1}. */
static unsigned long wrong_{0}(const {0} *got, const {0} *want, unsigned long count) {{
  unsigned long wrong = 0;
  for (unsigned long i = 0; i < count; ++i) {{
    if ({2}) {{
      if (wrong == 0) {{
        printf("element %lu is wrong\n", i);
      }
      ++wrong;
    }
  }
  return wrong;
}

)";

/// Returns the C type of a tensor's elements in the header. The arrays of the test bench have
/// the same type.
std::string headerType(ElementType type) {
  std::string key = memoryKey(type);
  return scalarType(isSignedInteger(type) ? signedKey(key) : key);
}

/// Signed numbers may be printed as unsigned numbers only in their own type.
std::string elements(const Tensor &tensor) {
  if (!isSignedInteger(tensor.type())) {
    return elementsText(tensor, memoryKey(tensor.type()));
  }
  std::string text;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t value = tensor.asInt(i);
    bool isLeast = value == INT64_MIN;
    text += (i % 12 == 0 ? (i == 0 ? "  " : "\n  ") : " ");
    text += isLeast ? "INT64_MIN,"
                    : std::to_string(value) + (bitWidth(tensor.type()) > 32 ? "ll," : ",");
  }
  return text + "\n";
}

std::string array(StringRef name, const Tensor &tensor) {
  std::string type = headerType(tensor.type());
  int64_t count = std::max<int64_t>(
      tensor.bytes() / std::max<int64_t>(bitsOf(memoryKey(tensor.type())) / 8, 1), 1);
  return ("static const _Alignas(64) " + type + " " + name + "[" + llvm::Twine(count) + "] = {\n" +
          (tensor.bytes() == 0 ? "  0,\n" : elements(tensor)) + "};\n\n")
      .str();
}

/// Returns the comparison function. Narrow floats are compared by their bits: one step is one
/// unit in the last place.
std::string comparison(const std::string &type, const TestCase &test) {
  bool isNumber = type == "float" || type == "double";
  if (isNumber && test.relativeL2 > 0) {
    return llvm::formatv(kRelativeL2, type, llvm::formatv("{0:e}", test.relativeL2).str());
  }
  if (isNumber) {
    return llvm::formatv(kFloats, type, llvm::formatv("{0:e}", test.absolute).str(),
                         llvm::formatv("{0:e}", test.relative).str());
  }
  bool isNarrow = StringRef(type).contains("8") || StringRef(type).contains("16");
  // Narrow integers are subtracted as int.
  if (isNarrow && test.steps > 0) {
    std::string steps = std::to_string(test.steps);
    return llvm::formatv(kIntegers, type, steps,
                         "got[i] - want[i] > " + steps + " || want[i] - got[i] > " + steps);
  }
  return llvm::formatv(kIntegers, type, 0, "got[i] != want[i]");
}

/// Returns statements that compare the sizes that a run wrote with the shape of the reference.
std::string extentChecks(const TensorDescriptor &output, const Tensor &want) {
  std::string text;
  for (auto [dim, extent] : llvm::enumerate(output.dims)) {
    if (extent >= 0) {
      text += "  wrong += extents[" + std::to_string(extent) +
              "] != " + std::to_string(want.dim(static_cast<int64_t>(dim))) + ";\n";
    }
  }
  return text;
}

/// The function that provides rows of inputs.
constexpr StringRef kReader = "read_row";

/// The parts of the text that depend on where inputs and outputs are.
struct Placement {
  const ModelInterface &interface;
  std::string prefix;

  bool isInside() const { return interface.isIoInWorkspace(); }

  static std::string workspaceOf(const TensorDescriptor &tensor) {
    return workspaceName(static_cast<size_t>(tensor.workspace));
  }

  /// Returns the arguments for the workspaces.
  std::string workspaces() const {
    std::string text = workspaceName(0);
    for (size_t i = 1; i <= interface.moreWorkspaces.size(); ++i) {
      text += ", " + workspaceName(i);
    }
    return text;
  }

  /// Declares the workspaces after the first one.
  std::string moreWorkspaces() const {
    std::string text;
    for (size_t i = 1; i <= interface.moreWorkspaces.size(); ++i) {
      text += llvm::formatv("static _Alignas({0}_WORKSPACE_ALIGNMENT) unsigned char "
                            "{1}[{0}_WORKSPACE_{2}_BYTES];\n\n",
                            prefix, workspaceName(i), i)
                  .str();
    }
    return text;
  }

  /// Declares the buffer of an output, unless it is a part of the workspace.
  std::string outputBuffer(size_t index, const std::string &type, const std::string &count) const {
    std::string number = std::to_string(index);
    if (isInside()) {
      return "#define output_" + number + " ((const " + type + " *)(const void *)(" +
             workspaceOf(interface.outputs[index]) + " + " + prefix + "_OUTPUT_" + number +
             "_OFFSET))\n\n";
    }
    return "static _Alignas(64) " + type + " output_" + number + "[" + count + "];\n\n";
  }

  std::string extentsBuffer() const {
    return isInside() ? "#define extents ((const int64_t *)(const void *)(workspace + " + prefix +
                            "_EXTENTS_OFFSET))\n\n"
                      : "static int64_t extents[" + prefix + "_EXTENT_COUNT];\n\n";
  }

  /// Returns the statements before a run, and the arguments of the run.
  std::pair<std::string, std::string> run() const {
    std::string text;
    if (isInside()) {
      for (auto [i, input] : llvm::enumerate(interface.inputs)) {
        text += input.bytes == 0 || !input.offset
                    ? ""
                    : llvm::formatv("  memcpy({2} + {0}_INPUT_{1}_OFFSET, input_{1}, "
                                    "{0}_INPUT_{1}_BYTES);\n",
                                    prefix, i, workspaceOf(input))
                          .str();
      }
      if (!interface.hasInputRows()) {
        return {text, workspaces()};
      }
      text += rowSourcesText(interface, kReader, "inputs",
                             [](size_t i) { return "input_" + std::to_string(i); });
      return {text, "&inputs, " + workspaces()};
    }
    text =
        llvm::formatv("  {0}_inputs inputs;\n  {0}_outputs outputs;\n  memset(&inputs, 0, sizeof "
                      "inputs);\n  memset(&outputs, 0, sizeof outputs);\n",
                      interface.model)
            .str();
    for (auto [i, field] : llvm::enumerate(fieldNames(interface.inputs))) {
      text += "  inputs." + field + " = input_" + std::to_string(i) + ";\n";
    }
    for (auto [i, field] : llvm::enumerate(fieldNames(interface.outputs))) {
      text += "  outputs." + field + " = output_" + std::to_string(i) + ";\n";
    }
    if (interface.extents > 0) {
      text += "  outputs." + extentsField(interface) + " = extents;\n";
    }
    return {text, "&inputs, &outputs, " + workspaces()};
  }
};

} // namespace

std::string testText(const ModelInterface &interface, const TestCase &test) {
  std::string prefix = StringRef(interface.model).upper();
  Placement placement{interface, prefix};
  std::string text =
      llvm::formatv(kOpening, interface.model, prefix).str() + placement.moreWorkspaces();
  std::string body;
  std::map<std::string, std::string> comparisons;
  for (auto [i, input] : llvm::enumerate(test.inputs)) {
    text += array("input_" + std::to_string(i), input);
  }
  for (auto [i, output] : llvm::enumerate(test.outputs)) {
    std::string number = std::to_string(i);
    std::string type = headerType(output.type());
    text += array("want_" + number, output);
    std::string count = "sizeof want_" + number + " / sizeof want_" + number + "[0]";
    // If sizes depend on data, the buffer has the maximum size.
    bool isBounded = !interface.outputs[i].dims.empty();
    std::string most = prefix + "_OUTPUT_" + number + "_ELEMENTS + 1";
    text += placement.outputBuffer(i, type, isBounded ? most : count);
    body += extentChecks(interface.outputs[i], output);
    comparisons.try_emplace(type, comparison(type, test));
    if (output.bytes() > 0) {
      body += "  wrong += wrong_" + type + "(output_" + number + ", want_" + number + ", " + count +
              ");\n";
    }
  }
  for (const auto &[type, function] : comparisons) {
    text += function;
  }
  text += interface.extents > 0 ? placement.extentsBuffer() : "";
  text += interface.hasInputRows() ? rowReaderText(kReader) + "\n" : "";
  auto [statements, arguments] = placement.run();
  return text + "int main(void) {\n" + statements + "  const int code = " + interface.model +
         "_run(" + arguments + ");\n  if (code != 0) {\n    printf(\"%s\\n\", " + interface.model +
         "_error_text(code));\n    return 2;\n  }\n" + "  unsigned long wrong = 0;\n" + body +
         "  printf(\"%lu wrong\\n\", wrong);\n  return wrong == 0 ? 0 : 1;\n}\n";
}

} // namespace convoy::codegen
