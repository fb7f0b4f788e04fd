// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the table as constants of C99. The table's functions have exactly the types of
// convoy/table.h: <model>_run takes structures and returns int, which is not int32_t on every
// machine, so small functions convert.

#include "Codegen/C/TableText.h"
#include "Codegen/C/RowsText.h"
#include "Codegen/LLVM/GeneratedText.h"
#include "Codegen/LLVM/Library.h"
#include "convoy/convoy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace convoy::codegen {
namespace {

/// The text of runtime/include/convoy/table.h.
constexpr char kTableHeader[] = {
#include CONVOY_TABLE_HEADER_TEXT
    '\0'};

// Parameters: the model, the copies of the pointers.
constexpr char kRun[] = R"(
static int32_t {0}_table_run(const void *const *inputs, void *const *outputs, void *workspace) {{
{1}  return (int32_t){0}_run({2});
}

static const char *{0}_table_error_text(int32_t code) {{
  return {0}_error_text((int)code);
}
)";

// The table's run has buffers of its own. Parameters: the model, the copies before and after.
constexpr char kRunInWorkspace[] = R"(
static int32_t {0}_table_run(const void *const *inputs, void *const *outputs, void *workspace) {{
  int32_t code;
{1}  return code;
}

static const char *{0}_table_error_text(int32_t code) {{
  return {0}_error_text((int)code);
}
)";

constexpr char kInit[] = R"(
static int32_t {0}_table_init(const struct convoy_device *device) {{
  return (int32_t){0}_init(device);
}
)";

constexpr char kFunctions[] = R"(
const convoy_model *{0}_model(void) {{
  return &{0}_table;
}

#ifdef CONVOY_SHARED_LIBRARY
const convoy_model *convoy_library_model(void);
const convoy_model *convoy_library_model(void) {{
  return &{0}_table;
}
#endif
)";

/// Returns the float with as many digits as give the same float.
std::string intLiteral(int64_t value) { return std::to_string(value); }

/// Adds a constant array and returns its name; NULL if it is empty.
template <typename T, typename Print>
std::string addArray(std::string &code, const std::string &name, StringRef type,
                     llvm::ArrayRef<T> values, Print print) {
  if (values.empty()) {
    return "NULL";
  }
  std::vector<std::string> entries;
  for (const T &value : values) {
    entries.push_back(print(value));
  }
  code += llvm::formatv("static const {0} {1}[{2}] = {{{3}};\n", type, name, values.size(),
                        llvm::join(entries, ", "))
              .str();
  return name;
}

/// Adds the arrays of one tensor and returns its entry of the array of tensors.
std::string addTensor(std::string &code, const std::string &name, const TensorDescriptor &tensor) {
  std::string shape =
      addArray(code, name + "_shape", "int64_t", llvm::ArrayRef<int64_t>(tensor.shape), intLiteral);
  std::string dims =
      addArray(code, name + "_dims", "int32_t", llvm::ArrayRef(tensor.dims), intLiteral);
  std::string scales =
      addArray(code, name + "_scales", "float", llvm::ArrayRef(tensor.scales), floatLiteral);
  std::string zeroPoints = addArray(code, name + "_zero_points", "int32_t",
                                    llvm::ArrayRef(tensor.zeroPoints), intLiteral);
  return llvm::formatv("\n    {{{0}, {1}, {2}, {3}, {4}, {5}u, {6}, {7}, {8}, {9}, -1, 0u}",
                       stringLiteral(tensor.name), static_cast<int32_t>(tensor.type),
                       tensor.shape.size(), shape, dims, tensor.bytes, scales, zeroPoints,
                       tensor.scales.size(), tensor.scaleAxis)
      .str();
}

std::string addTensors(std::string &code, const std::string &name,
                       llvm::ArrayRef<TensorDescriptor> tensors) {
  std::vector<std::string> entries;
  for (const auto &[index, tensor] : llvm::enumerate(tensors)) {
    entries.push_back(addTensor(code, name + "_" + std::to_string(index), tensor));
  }
  auto same = [](const std::string &entry) { return entry; };
  return addArray(code, name, "convoy_tensor", llvm::ArrayRef(entries), same);
}

/// Adds statements that copy an array of pointers to a structure of <model>.h. Returns the
/// argument that passes the structure.
std::string copyPointers(std::string &code, const std::string &model, StringRef kind,
                         llvm::ArrayRef<TensorDescriptor> tensors) {
  if (tensors.empty()) {
    code += ("  (void)" + kind + ";\n").str();
    return "NULL";
  }
  code += llvm::formatv("  {0}_{1} {1}_of_model;\n", model, kind).str();
  return ("&" + kind + "_of_model").str();
}

std::string assignPointers(StringRef kind, llvm::ArrayRef<TensorDescriptor> tensors) {
  std::string code;
  for (const auto &[index, field] : llvm::enumerate(fieldNames(tensors))) {
    code += llvm::formatv("  {0}_of_model.{1} = {0}[{2}];\n", kind, field, index).str();
  }
  return code;
}

/// Returns the offset of a workspace in the buffer of the table's run, which has all of them.
int64_t workspaceBegin(const ModelInterface &interface, int64_t index) {
  int64_t begin = 0;
  int64_t bytes = interface.workspaceBytes;
  for (int64_t i = 0; i < index; ++i) {
    begin += static_cast<int64_t>(llvm::alignTo(bytes, interface.workspaceAlignment));
    bytes = interface.moreWorkspaces[i].bytes;
  }
  return begin;
}

int64_t tableWorkspaceBytes(const ModelInterface &interface) {
  int64_t last = static_cast<int64_t>(interface.moreWorkspaces.size());
  return workspaceBegin(interface, last) + interface.moreWorkspaces.back().bytes;
}

/// Returns the arguments of <model>_run for its workspaces.
std::string workspaceArguments(const ModelInterface &interface) {
  std::string text = "workspace";
  for (size_t i = 1; i <= interface.moreWorkspaces.size(); ++i) {
    text += llvm::formatv(", (unsigned char *)workspace + {0}",
                          workspaceBegin(interface, static_cast<int64_t>(i)))
                .str();
  }
  return text;
}

/// Returns statements that copy the inputs to the workspace, run the model and copy the outputs.
std::string copyTensors(const ModelInterface &interface) {
  std::string nulls = "workspace == NULL", in, out;
  auto add = [&](const char *kind, llvm::ArrayRef<TensorDescriptor> tensors, const char *format,
                 std::string &copies) {
    nulls += tensors.empty() ? "" : llvm::formatv(" || {0} == NULL", kind).str();
    for (const auto &[index, tensor] : llvm::enumerate(tensors)) {
      if (tensor.bytes > 0) {
        nulls += llvm::formatv(" ||\n      {0}[{1}] == NULL", kind, index).str();
        copies += tensor.offset
                      ? llvm::formatv(format, index,
                                      workspaceBegin(interface, tensor.workspace) + *tensor.offset,
                                      tensor.bytes)
                            .str()
                      : "";
      }
    }
    return tensors.empty() ? llvm::formatv("  (void){0};\n", kind).str() : "";
  };
  std::string unused = add("inputs", interface.inputs,
                           "  memcpy((unsigned char *)workspace + {1}, inputs[{0}], {2}u);\n", in);
  unused += add("outputs", writtenTensors(interface),
                "    memcpy(outputs[{0}], (const unsigned char *)workspace + {1}, {2}u);\n", out);
  std::string arguments = workspaceArguments(interface);
  if (interface.hasInputRows()) {
    in += rowSourcesText(interface, interface.model + "_table_read", "inputs_of_model",
                         [](size_t i) { return "inputs[" + std::to_string(i) + "]"; });
    arguments = "&inputs_of_model, " + arguments;
  }
  return llvm::formatv("{0}  if ({1}) {{\n    return {2};\n  }\n{3}  code = (int32_t){4}_run("
                       "{6});\n  if (code == 0) {{\n{5}  }\n",
                       unused, nulls, int(CONVOY_ERROR_NULL_POINTER), in, interface.model, out,
                       arguments)
      .str();
}

std::string runText(const ModelInterface &interface) {
  if (interface.isIoInWorkspace()) {
    std::string reader =
        interface.hasInputRows() ? rowReaderText(interface.model + "_table_read") : "";
    return reader + llvm::formatv(kRunInWorkspace, interface.model, copyTensors(interface)).str();
  }
  std::string code;
  std::string inputs = copyPointers(code, interface.model, "inputs", interface.inputs);
  std::string outputs = copyPointers(code, interface.model, "outputs", interface.outputs);
  std::string nulls = std::string(interface.inputs.empty() ? "" : "inputs == NULL") +
                      (interface.inputs.empty() || interface.outputs.empty() ? "" : " || ") +
                      (interface.outputs.empty() ? "" : "outputs == NULL");
  if (!nulls.empty()) {
    code += "  if (" + nulls + ") {\n    return " + std::to_string(CONVOY_ERROR_NULL_POINTER) +
            ";\n  }\n";
  }
  code += assignPointers("inputs", interface.inputs) +
          assignPointers("outputs", writtenTensors(interface));
  return llvm::formatv(kRun, interface.model, code,
                       inputs + ", " + outputs + ", " + workspaceArguments(interface))
             .str() +
         (interface.programs > 0 ? llvm::formatv(kInit, interface.model).str() : "");
}

} // namespace

std::string tableSource(const ModelInterface &interface) {
  const std::string &model = interface.model;
  std::string prefix = StringRef(model).upper();
  std::string code = "\n/* The table that describes the model at run time. Define\n"
                     " * CONVOY_NO_MODEL_TABLE to leave it out, and CONVOY_SHARED_LIBRARY if the\n"
                     " * result is a shared library for convoy_load. */\n"
                     "#ifndef CONVOY_NO_MODEL_TABLE\n";
  code += StringRef(kTableHeader).str() + runText(interface) + "\n";
  std::string inputs = addTensors(code, model + "_table_inputs", interface.inputs);
  std::string outputs = addTensors(code, model + "_table_outputs", interface.outputs);
  code += llvm::formatv(
              "static const convoy_model {0}_table = {{\n"
              "    {1}_ABI_VERSION, (uint32_t)sizeof(convoy_model), \"{0}\", {2},\n"
              "    {1}_FEATURES, {1}_HASH, \"{3}\", \"{4}\", \"{5}\",\n"
              "    {6}, {7}, NULL,\n"
              "    {1}_INPUT_COUNT, {1}_OUTPUT_COUNT, 0u, {10}u,\n"
              "    {11}, {1}_WORKSPACE_ALIGNMENT, {1}_WEIGHTS_BYTES,\n"
              "    {1}_THREADS, {8}u, {0}_table_run, {0}_table_error_text, NULL, NULL, {9}};\n",
              model, prefix, stringLiteral(interface.target), interface.weightsHash,
              interface.records, compilerVersion(), inputs, outputs, interface.programs,
              interface.programs > 0 ? model + "_table_init" : "NULL", interface.extents,
              interface.moreWorkspaces.empty() ? prefix + "_WORKSPACE_BYTES"
                                               : std::to_string(tableWorkspaceBytes(interface)))
              .str();
  return code + llvm::formatv(kFunctions, model).str() + "#endif\n";
}

} // namespace convoy::codegen
