// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the text of <model>.h. The header is C99 and C++ and includes no header of Convoy.

#include "Codegen/LLVM/GeneratedText.h"
#include "Codegen/LLVM/Library.h"
#include "convoy/convoy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::StringRef;

namespace convoy::codegen {
namespace {

// Keywords of C up to C23 and of C++, because the header is valid in both.
constexpr StringRef kKeywords[] = {"alignas",
                                   "alignof",
                                   "and",
                                   "and_eq",
                                   "asm",
                                   "auto",
                                   "bitand",
                                   "bitor",
                                   "bool",
                                   "break",
                                   "case",
                                   "catch",
                                   "char",
                                   "char16_t",
                                   "char32_t",
                                   "char8_t",
                                   "class",
                                   "co_await",
                                   "co_return",
                                   "co_yield",
                                   "compl",
                                   "concept",
                                   "const",
                                   "const_cast",
                                   "consteval",
                                   "constexpr",
                                   "constinit",
                                   "continue",
                                   "decltype",
                                   "default",
                                   "delete",
                                   "do",
                                   "double",
                                   "dynamic_cast",
                                   "else",
                                   "enum",
                                   "explicit",
                                   "export",
                                   "extern",
                                   "false",
                                   "float",
                                   "for",
                                   "friend",
                                   "goto",
                                   "if",
                                   "inline",
                                   "int",
                                   "long",
                                   "mutable",
                                   "namespace",
                                   "new",
                                   "noexcept",
                                   "not",
                                   "not_eq",
                                   "nullptr",
                                   "operator",
                                   "or",
                                   "or_eq",
                                   "private",
                                   "protected",
                                   "public",
                                   "register",
                                   "reinterpret_cast",
                                   "requires",
                                   "restrict",
                                   "return",
                                   "short",
                                   "signed",
                                   "sizeof",
                                   "static",
                                   "static_assert",
                                   "static_cast",
                                   "struct",
                                   "switch",
                                   "template",
                                   "this",
                                   "thread_local",
                                   "throw",
                                   "true",
                                   "try",
                                   "typedef",
                                   "typeid",
                                   "typename",
                                   "typeof",
                                   "union",
                                   "unsigned",
                                   "using",
                                   "virtual",
                                   "void",
                                   "volatile",
                                   "wchar_t",
                                   "while",
                                   "xor",
                                   "xor_eq"};

// Macros that compilers or headers of C define and that isMacroForm does not recognize.
constexpr StringRef kMacros[] = {"BUFSIZ", "EDOM",  "EILSEQ",   "EINVAL", "ENOMEM", "EOF",
                                 "ERANGE", "I",     "INFINITY", "NAN",    "NULL",   "errno",
                                 "i386",   "linux", "stderr",   "stdin",  "stdout", "unix"};

/// Returns whether a name has the form of INT8_MAX, M_PI and of the macros of the header itself:
/// upper case with an underscore.
bool isMacroForm(StringRef name) {
  return name.contains('_') && name.upper() == name && name.lower() != name;
}

/// Returns the name as a C identifier, which may not be unique.
std::string identifier(StringRef name) {
  std::string result;
  for (char c : name) {
    result += llvm::isAlnum(c) ? c : '_';
  }
  // Names that start with '_' are reserved in C.
  if (result.empty() || llvm::isDigit(result[0]) || result[0] == '_') {
    result = "t" + result;
  }
  if (llvm::is_contained(kKeywords, result) || llvm::is_contained(kMacros, result) ||
      isMacroForm(result)) {
    result += "_";
  }
  return result;
}

/// Returns the C type of an element in memory.
StringRef cType(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::Complex64:
    return "float";
  case ElementType::F64:
  case ElementType::Complex128:
    return "double";
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::U16:
    return "uint16_t";
  case ElementType::I8:
  case ElementType::I4:
  case ElementType::I2:
    return "int8_t";
  case ElementType::I16:
    return "int16_t";
  case ElementType::I32:
    return "int32_t";
  case ElementType::I64:
    return "int64_t";
  case ElementType::U32:
    return "uint32_t";
  case ElementType::U64:
    return "uint64_t";
  default: // bool, unsigned and floats of a byte or less
    return "uint8_t";
  }
}

/// Returns the storage properties that the C type does not express.
StringRef storageNote(ElementType type) {
  switch (type) {
  case ElementType::Bool:
    return "; 0 or 1 in a byte";
  case ElementType::F16:
  case ElementType::BF16:
    return "; its bits in a uint16_t";
  case ElementType::Complex64:
  case ElementType::Complex128:
    return "; real and imaginary parts alternate";
  default:
    if (isFloat(type) && bitWidth(type) <= 8) {
      return "; its bits in a uint8_t";
    }
    return bitWidth(type) < 8 ? "; one element in a byte" : "";
  }
}

std::string shapeText(llvm::ArrayRef<int64_t> shape, StringRef separator) {
  std::vector<std::string> sizes;
  for (int64_t size : shape) {
    sizes.push_back(std::to_string(size));
  }
  return llvm::join(sizes, separator);
}

/// Writes the sections of the header.
class HeaderWriter {
public:
  HeaderWriter(const ModelInterface &interface)
      : interface(interface), model(interface.model), prefix(StringRef(model).upper()) {}

  std::string write() {
    writeOpening();
    writeSizes();
    writeTensors("INPUT", interface.inputs);
    writeTensors("OUTPUT", interface.outputs);
    if (!interface.isIoInWorkspace()) {
      writeStruct("inputs", "const ", interface.inputs);
      writeStruct("outputs", "", writtenTensors(interface));
    } else if (interface.hasInputRows()) {
      writeRows();
    }
    writeFunctions();
    return std::move(text);
  }

private:
  template <typename... Values>
  void line(const char *format, Values &&...values) {
    text += llvm::formatv(format, std::forward<Values>(values)...).str() + "\n";
  }

  void writeBufferRules() {
    if (interface.hasInputRows()) {
      line(" * Buffers: each tensor is dense and row-major. A run fetches each input row by row "
           "from");
      line(" * a function of the caller. Outputs are parts of the workspace at the offsets below "
           "and");
      line(" * are valid until the workspace is written again.");
      return;
    }
    if (interface.isIoInWorkspace()) {
      line(" * Buffers: each tensor is dense and row-major. Inputs and outputs are parts of the");
      line(" * workspace at the offsets below. Write all inputs before each run, because a run");
      line(" * overwrites them. The outputs are valid until the workspace is written again.");
      return;
    }
    line(" * Buffers: each tensor is dense and row-major. Its pointer is aligned to one element;");
    line(" * an alignment of {0} bytes is fastest. Outputs must not overlap inputs, each other",
         interface.workspaceAlignment);
    line(" * or the workspace. The model only reads inputs and weights.");
  }

  void writeOpening() {
    line("/* Model '{0}', compiled by Convoy for target '{1}'. Generated; do not edit.", model,
         commentText(interface.target));
    line(" *");
    writeBufferRules();
    line(" * Threads: {0}_run is re-entrant; give each concurrent call its own workspace.", model);
    if (interface.threads > 1 && interface.isEmittedC) {
      line(" * With OpenMP, a call is one parallel region of {0} threads. With fewer threads, or",
           interface.threads);
      line(" * without OpenMP, it runs on the calling thread.");
    } else if (interface.threads > 1) {
      line(" * A call runs on the calling thread and on {0} threads of a pool. All models of the",
           interface.threads - 1);
      line(" * process share the pool, which the first call creates. Calls run one at a time.");
    }
    line(" * A call allocates no memory{0}. The workspace keeps no data between calls. */",
         interface.threads > 1 && !interface.isEmittedC ? ", except for the pool" : "");
    line("#ifndef {0}_H", prefix);
    line("#define {0}_H\n", prefix);
    line("#include <stdint.h>\n");
    line("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n");
  }

  void writeSizes() {
    line("/* The interface of this header. {0}_abi_version() and {0}_hash() return the values",
         model);
    line(" * of the library. */");
    line("#define {0}_ABI_VERSION {1}", prefix, CONVOY_ABI_VERSION);
    line("#define {0}_HASH \"{1}\"\n", prefix, interface.hash);
    if (!interface.records.empty()) {
      line("/* The hash of the tuning records of this compilation. */");
      line("#define {0}_RECORDS_HASH \"{1}\"\n", prefix, interface.records);
    }
    line("/* The CPU features that the code {0}. */",
         interface.isEmittedC ? "was generated for; the code does not check them"
                              : "uses; the library checks them when it is loaded");
    line("#define {0}_FEATURES \"{1}\"\n", prefix, interface.features);
    line("#define {0}_WORKSPACE_BYTES {1}", prefix, interface.workspaceBytes);
    line("#define {0}_WORKSPACE_ALIGNMENT {1}", prefix, interface.workspaceAlignment);
    writeMoreWorkspaces();
    line("#define {0}_WEIGHTS_BYTES {1}", prefix, interface.weightsBytes);
    line("#define {0}_THREADS {1}", prefix, interface.threads);
    line("#define {0}_INPUT_COUNT {1}", prefix, interface.inputs.size());
    line("#define {0}_OUTPUT_COUNT {1}", prefix, interface.outputs.size());
    if (interface.extents > 0) {
      line("\n/* Sizes that depend on data. A run writes them to {0}. Each",
           interface.extentsOffset ? prefix + "_EXTENTS_OFFSET of the workspace"
                                   : "the field '" + extentsField(interface) + "' of the outputs");
      line(" * OUTPUT_<i>_DIMS lists, for each dimension, the index of its size in this field, or "
           "-1");
      line(" * if the dimension is fixed. The shape and the bytes of an output are maxima; its");
      line(" * elements are dense for the actual sizes. */");
      line("#define {0}_EXTENT_COUNT {1}", prefix, interface.extents);
      if (interface.extentsOffset) {
        line("#define {0}_EXTENTS_OFFSET {1}", prefix, *interface.extentsOffset);
      }
    }
  }

  /// A target with several memories has one workspace per memory.
  void writeMoreWorkspaces() {
    if (interface.moreWorkspaces.empty()) {
      return;
    }
    line("#define {0}_WORKSPACE_COUNT {1}", prefix, interface.moreWorkspaces.size() + 1);
    line("#define {0}_WORKSPACE_MEMORY \"{1}\"", prefix, interface.workspaceMemory);
    for (auto [i, workspace] : llvm::enumerate(interface.moreWorkspaces)) {
      line("#define {0}_WORKSPACE_{1}_BYTES {2}", prefix, i + 1, workspace.bytes);
      line("#define {0}_WORKSPACE_{1}_MEMORY \"{2}\"", prefix, i + 1, workspace.memory);
    }
  }

  void writeTensors(StringRef kind, llvm::ArrayRef<TensorDescriptor> tensors) {
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      std::string macro = prefix + "_" + kind.str() + "_" + std::to_string(index);
      bool isScalar = tensor.shape.empty();
      line("\n/* {0} {1}, '{2}': {3} {4}{5} */", kind.lower(), index, commentText(tensor.name),
           name(tensor.type), isScalar ? "scalar" : shapeText(tensor.shape, "x"),
           storageNote(tensor.type));
      line("#define {0}_TYPE \"{1}\"", macro, name(tensor.type));
      line("#define {0}_RANK {1}", macro, tensor.shape.size());
      line("#define {0}_SHAPE {{{1}}", macro, isScalar ? "1" : shapeText(tensor.shape, ", "));
      if (!tensor.dims.empty()) {
        line("#define {0}_DIMS {{{1}}", macro,
             shapeText(Shape(tensor.dims.begin(), tensor.dims.end()), ", "));
      }
      line("#define {0}_ELEMENTS {1}", macro, *elementCount(tensor.shape));
      line("#define {0}_BYTES {1}", macro, tensor.bytes);
      writeScales(macro, tensor);
      writeLabels(macro, tensor);
      if (tensor.offset) {
        line("#define {0}_OFFSET {1}", macro, *tensor.offset);
        if (!interface.moreWorkspaces.empty()) {
          line("#define {0}_WORKSPACE {1}", macro, tensor.workspace);
        }
      }
      if (tensor.rows > 0) {
        line("#define {0}_ROWS {1}", macro, tensor.rows);
        line("#define {0}_ROW_BYTES {1}", macro, tensor.bytes / tensor.rows);
      }
    }
  }

  /// Writes how the integers of a quantized tensor represent real numbers.
  void writeScales(const std::string &macro, const TensorDescriptor &tensor) {
    if (tensor.scales.empty()) {
      return;
    }
    std::vector<std::string> scales, zeros;
    for (auto [scale, zero] : llvm::zip(tensor.scales, tensor.zeroPoints)) {
      scales.push_back(floatLiteral(scale));
      zeros.push_back(zero < 0 ? "(" + std::to_string(zero) + ")" : std::to_string(zero));
    }
    if (tensor.scaleAxis < 0) {
      line("#define {0}_SCALE {1}", macro, scales.front());
      line("#define {0}_ZERO_POINT {1}", macro, zeros.front());
      return;
    }
    line("#define {0}_SCALE_AXIS {1}", macro, tensor.scaleAxis);
    line("#define {0}_SCALES {{{1}}", macro, llvm::join(scales, ", "));
    line("#define {0}_ZERO_POINTS {{{1}}", macro, llvm::join(zeros, ", "));
  }

  /// Writes the strings that the integers of an output stand for.
  void writeLabels(const std::string &macro, const TensorDescriptor &tensor) {
    if (tensor.labels.empty()) {
      return;
    }
    std::vector<std::string> texts;
    for (const std::string &label : tensor.labels) {
      texts.push_back(stringLiteral(label));
    }
    line("/* An element is the index of its string in this list. */");
    line("#define {0}_LABEL_COUNT {1}", macro, texts.size());
    line("#define {0}_LABELS {{{1}}", macro, llvm::join(texts, ", "));
  }

  void writeStruct(StringRef kind, StringRef qualifier, llvm::ArrayRef<TensorDescriptor> tensors) {
    line("\ntypedef struct {0}_{1} {{", model, kind);
    std::vector<std::string> fields = fieldNames(tensors);
    for (auto [index, tensor] : llvm::enumerate(tensors)) {
      line("  {0}{1} *{2};", qualifier, cType(tensor.type), fields[index]);
    }
    if (tensors.empty()) {
      line("  const void *unused; /* C does not permit empty structures */");
    }
    line("} {0}_{1};", model, kind);
  }

  /// The inputs of a model that fetches rows.
  void writeRows() {
    line("\n/* Provides the rows of an input. A run calls read once for each row, in ascending "
         "order;");
    line(" * the rows of several inputs may alternate. read writes INPUT_<i>_ROW_BYTES bytes to");
    line(
        " * `bytes`, which is aligned to one element, and returns 0. If it returns another value,");
    line(" * the run fetches no more rows and returns {0}. */", CONVOY_ERROR_ROW);
    line("typedef struct {0}_rows {{", model);
    line("  int (*read)(void *context, uint32_t row, void *bytes);");
    line("  void *context; /* passed to read */");
    line("} {0}_rows;\n", model);
    line("typedef struct {0}_inputs {{", model);
    std::vector<std::string> fields = fieldNames(interface.inputs);
    for (auto [index, tensor] : llvm::enumerate(interface.inputs)) {
      if (tensor.rows > 0) {
        line("  {0}_rows {1};", model, fields[index]);
      }
    }
    line("} {0}_inputs;", model);
  }

  void writeFunctions() {
    line("\n/* Runs the model. Returns 0 if the outputs are written, else:");
    line(interface.hasInputRows()
             ? " *   {0}  the inputs, a function in inputs, or the workspace, is null"
         : interface.isIoInWorkspace()
             ? " *   {0}  the workspace is null"
             : " *   {0}  a pointer in inputs or outputs, or the workspace, is null",
         CONVOY_ERROR_NULL_POINTER);
    if (!interface.isEmittedC) {
      line(" *   {0}  this CPU lacks instructions that the model was compiled for",
           CONVOY_ERROR_UNSUPPORTED_CPU);
    }
    line(" *   {0}  the data selects a branch that cannot be compiled for these shapes",
         CONVOY_ERROR_FAILED_BRANCH);
    line(" *   {0}  the workspace is not aligned to {1}_WORKSPACE_ALIGNMENT bytes",
         CONVOY_ERROR_WORKSPACE, prefix);
    if (interface.weightsInFile) {
      line(" *   {0}  {1}_open has not succeeded yet", CONVOY_ERROR_NOT_OPEN, model);
    }
    if (interface.programs > 0) {
      line(" *   {0}  {1}_init has not succeeded yet", CONVOY_ERROR_NO_DEVICE, model);
      line(" *   {0}  the device failed while it ran", CONVOY_ERROR_DEVICE);
    }
    if (!interface.customFunctions.empty()) {
      line(" *   {0}  the function of a custom op returned an error", CONVOY_ERROR_CUSTOM_OP);
    }
    if (interface.hasInputRows()) {
      line(" *   {0}  a function in inputs failed */", CONVOY_ERROR_ROW);
      line("int {0}_run(const {0}_inputs *inputs, {1});", model, workspaceParameters(interface));
    } else if (interface.isIoInWorkspace()) {
      line(" */\nint {0}_run({1});", model, workspaceParameters(interface));
    } else {
      line(" * The pointer of a tensor without elements may be null. */");
      line("int {0}_run(const {0}_inputs *inputs, {0}_outputs *outputs, {1});", model,
           workspaceParameters(interface));
    }
    if (interface.weightsInFile) {
      writeOpen();
    }
    if (interface.programs > 0) {
      writeInit();
    }
    line("\n/* Returns a sentence that describes a return code; never null. */");
    line("const char *{0}_error_text(int code);\n", model);
    line("int {0}_abi_version(void);", model);
    line("const char *{0}_hash(void);\n", model);
    writeModel();
    line("#ifdef __cplusplus\n}\n#endif\n");
    line("#endif /* {0}_H */", prefix);
  }

  void writeModel() {
    line("/* Returns the table of names, types, shapes and functions in convoy/table.h. */");
    if (interface.isEmittedC) {
      line("#ifndef CONVOY_NO_MODEL_TABLE");
    }
    line("struct convoy_model;");
    line("const struct convoy_model *{0}_model(void);", model);
    line(interface.isEmittedC ? "#endif\n" : "");
  }

  void writeInit() {
    line("\n/* Loads {0} programs onto the device. Its functions (convoy/device.h) must",
         interface.programs);
    line(" * outlive the model{0}. Runs must not overlap. Returns 0, or:",
         interface.weightsInFile ? ". Open the weights first" : "");
    line(" *   {0}  the table is null", CONVOY_ERROR_NULL_POINTER);
    line(" *   {0}  the device cannot run the programs", CONVOY_ERROR_PROGRAM);
    line(" *   {0}  the device does not have enough memory */", CONVOY_ERROR_DEVICE);
    line("struct convoy_device;");
    line("int {0}_init(const struct convoy_device *device);", model);
  }

  void writeOpen() {
    line("\n/* Maps the weights file '{0}.weights' of the same compilation; {0}_close unmaps it.",
         model);
    line(" * Neither function may run concurrently with {0}_run. Returns 0, or:", model);
    line(" *   {0}  the path is null", CONVOY_ERROR_NULL_POINTER);
    line(" *   {0}  the file cannot be mapped; errno contains the reason",
         CONVOY_ERROR_WEIGHTS_FILE);
    line(" *   {0}  the file belongs to a different compilation */", CONVOY_ERROR_WRONG_WEIGHTS);
    line("int {0}_open(const char *path);", model);
    line("void {0}_close(void);", model);
  }

  const ModelInterface &interface;
  std::string model;
  std::string prefix;
  std::string text;
};

} // namespace

std::vector<std::string> fieldNames(llvm::ArrayRef<TensorDescriptor> tensors) {
  llvm::StringSet<> taken;
  std::vector<std::string> fields;
  for (const TensorDescriptor &tensor : tensors) {
    std::string base = identifier(tensor.name);
    std::string field = base;
    for (int number = 2; !taken.insert(field).second; ++number) {
      field = base + "_" + std::to_string(number);
    }
    fields.push_back(field);
  }
  return fields;
}

std::string floatLiteral(float value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.9g", static_cast<double>(value));
  return text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f");
}

std::string extentsField(const ModelInterface &interface) {
  return fieldNames(writtenTensors(interface)).back();
}

std::string workspaceName(size_t index) {
  return index == 0 ? "workspace" : "workspace_" + std::to_string(index);
}

std::string workspaceParameters(const ModelInterface &interface) {
  std::string text = "void *workspace";
  for (size_t i = 0; i < interface.moreWorkspaces.size(); ++i) {
    text += ", void *" + workspaceName(i + 1);
  }
  return text;
}

std::string headerText(const ModelInterface &interface) { return HeaderWriter(interface).write(); }

} // namespace convoy::codegen
