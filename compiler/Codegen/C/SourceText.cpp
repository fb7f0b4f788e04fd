// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles the text of the C file.

#include "Codegen/C/CTypes.h"
#include "Codegen/C/FunctionPrinter.h"
#include "Codegen/C/Source.h"
#include "Codegen/C/TableText.h"
#include "Codegen/C/WeightsText.h"
#include "Codegen/LLVM/DeviceInit.h"
#include "Codegen/LLVM/GeneratedText.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/Weights.h"
#include "Support/TypedError.h"
#include "Task/Team.h"
#include "convoy/convoy.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace mlir;

namespace convoy::codegen {
namespace {

constexpr StringRef kOpening = R"(
#include "<model>.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sums and products round separately. Fused operations call fma. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && !defined(__STRICT_ANSI__)
#pragma GCC optimize("fp-contract=off")
#endif

/* Precedes loops with independent iterations. Define it as the pragma of your
 * compiler, for example -D'CONVOY_SIMD=_Pragma("ivdep")'. */
#ifndef CONVOY_SIMD
#if defined(__NEC__)
#define CONVOY_SIMD _Pragma("_NEC ivdep")
#elif defined(_OPENMP)
#define CONVOY_SIMD _Pragma("omp simd")
#else
#define CONVOY_SIMD
#endif
#endif

/* These macros enclose each layer and pass its number. Define both to measure layers. */
#ifndef CONVOY_LAYER_BEGIN
#define CONVOY_LAYER_BEGIN(layer)
#define CONVOY_LAYER_END(layer)
#endif

#ifndef CONVOY_PREFETCH
#if defined(__GNUC__)
#define CONVOY_PREFETCH(address, write, locality) __builtin_prefetch(address, write, locality)
#else
#define CONVOY_PREFETCH(address, write, locality)
#endif
#endif

#if defined(__has_builtin)
#define CONVOY_HAS_BUILTIN(name) __has_builtin(name)
#else
#define CONVOY_HAS_BUILTIN(name) 0
#endif

/* Marks where a core may change its power state. Define it for your system. */
#ifndef CONVOY_FV
#define CONVOY_FV(core, state) ((void)0)
#endif

/* On some x86 CPUs, clang splits wide vectors unless a function requests them. With long vectors,
 * clang computes the address of each weight in the loop if it knows the address of the first. */
#if defined(__has_attribute)
#define CONVOY_HAS_ATTRIBUTE(name) __has_attribute(name)
#else
#define CONVOY_HAS_ATTRIBUTE(name) 0
#endif
#if defined(CONVOY_KERNEL)
#elif defined(__x86_64__) && CONVOY_HAS_ATTRIBUTE(min_vector_width)
#define CONVOY_KERNEL static __attribute__((min_vector_width(512)))
#elif defined(__riscv_vector) && CONVOY_HAS_ATTRIBUTE(noinline)
#define CONVOY_KERNEL static __attribute__((noinline))
#else
#define CONVOY_KERNEL static
#endif

/* Returns the tensor at an offset of the workspace. */
#define ARENA(type, offset) ((type *)(void *)(arena + (offset)))
)";

constexpr StringRef kWeights = R"(
/* All weights: the bytes of <model>.weights, which <model>_weights.S includes. */
extern const unsigned char <model>_weights[];
#define WEIGHTS(type, offset) ((const type *)(const void *)(<model>_weights + (offset)))
)";

// The includes for models with a device. The runtime's device.c is compiled together with this
// file.
constexpr StringRef kDevice = R"(
#include "convoy/device.h"

/* The programs of the device, which <model>_init loads. */
static convoy_loaded_program <model>_programs[<count>];
)";

constexpr StringRef kFlags = R"(
#ifdef _OPENMP
#include <stdatomic.h>

int omp_get_num_threads(void);
int omp_get_thread_num(void);

/* Runs between two reads of a flag: yields if C11 threads are available. */
#ifndef CONVOY_YIELD
#ifndef __STDC_NO_THREADS__
#include <threads.h>
#define CONVOY_YIELD thrd_yield()
#else
#define CONVOY_YIELD (void)0
#endif
#endif

/* A flag in the workspace counts the finished steps of a thread. */
static void <model>_post(uint32_t *flag, uint32_t count) {
  atomic_store_explicit((_Atomic uint32_t *)(void *)flag, count, memory_order_release);
}

static void <model>_wait(uint32_t *flag, uint32_t count) {
  for (uint32_t turn = 0;
       <is_less>;
       ++turn) {
    if (turn % 1024u == 1023u) {
      CONVOY_YIELD;
    }
  }
}
#endif
)";

std::string named(StringRef text, StringRef model) {
  std::string result = text.str();
  constexpr StringRef kMark = "<model>";
  for (size_t at = 0; (at = result.find(kMark.str(), at)) != std::string::npos;) {
    result.replace(at, kMark.size(), model.str());
  }
  return result;
}

class SourceWriter {
public:
  SourceWriter(ModuleOp module, const SourceOptions &options, const ModelInterface &interface)
      : module(module), options(options), interface(interface), model(interface.model) {
    helpers.setVectorBytes(options.target.vectorBytes);
  }

  llvm::Expected<std::string> write() {
    WeightsText weightsText(options.model);
    if (!interface.weightsInFile) {
      if (llvm::Error error = weightsText.add(module)) {
        return std::move(error);
      }
    }
    for (auto kernel : module.getOps<task::KernelOp>()) {
      code += "\n" + FunctionPrinter(kernel, options, weightsText.names, helpers).print();
    }
    printWorkers(weightsText.names);
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main) {
      return createBug("the module has no function 'main'; this is a bug in convoy");
    }
    code += "\n" + FunctionPrinter(main, options, weightsText.names, helpers).print();
    printRun(main);
    printInit(weightsText.names);
    std::string text = opening() + named(kOpening, model);
    text += interface.weightsInFile ? named(kWeights, model) : "";
    text += deviceText() + customText();
    text += "\n" + helpers.text();
    text += weightsText.text + (interface.threads > 1 ? flagsText() : "");
    return text + code;
  }

  std::vector<std::string> layers() const { return helpers.layerKeys(); }

private:
  std::string opening() const {
    return "/* Model '" + model + "' as C11, generated by Convoy for target '" +
           commentText(interface.target) + "'. Do not edit.\n" + " *\n * " + model +
           ".h describes the interface. Link with the math library (-lm) for fma,\n" +
           " * sqrt, rint and similar functions, which are exact. */\n";
  }

  /// Returns the functions of the flags. The counts of a loop that several threads execute may wrap
  /// around.
  std::string flagsText() {
    bool hasLoops =
        module.walk([](task::TeamWaitOp) { return WalkResult::interrupt(); }).wasInterrupted();
    std::string text = named(kFlags, model);
    std::string load =
        "atomic_load_explicit((_Atomic uint32_t *)(void *)flag, memory_order_acquire)";
    constexpr StringRef kMark = "<is_less>";
    return text.replace(text.find(kMark.str()), kMark.size(),
                        hasLoops ? load + " - count > 0x7fffffffu" : load + " < count");
  }

  std::string deviceText() const {
    if (interface.programs == 0) {
      return "";
    }
    std::string text = named(kDevice, model);
    constexpr StringRef kMark = "<count>";
    return text.replace(text.find(kMark.str()), kMark.size(), std::to_string(interface.programs));
  }

  /// Declares the functions of custom ops, which the user's files define.
  std::string customText() const {
    std::string text =
        interface.customFunctions.empty() ? "" : "\n#include \"convoy/custom_op.h\"\n\n";
    for (const std::string &function : interface.customFunctions) {
      text += "extern convoy_custom_function " + function + ";\n";
    }
    return text;
  }

  /// Prints <model>_init, which loads each program from the weights.
  void printInit(const WeightNames &names) {
    llvm::SmallVector<ProgramPlace> places = programPlaces(module);
    if (places.empty()) {
      return;
    }
    code += "\nint " + model + "_init(const struct convoy_device *device) {\n  int code = 0;\n";
    for (auto [i, place] : llvm::enumerate(places)) {
      auto name = names.find(place.offset);
      std::string address = name != names.end()
                                ? name->second
                                : "WEIGHTS(uint8_t, " + std::to_string(place.offset) + ")";
      code += "  if (code == 0) {\n    code = convoy_load_program(device, " + address + ", " +
              std::to_string(place.bytes) + "u, &" + model + "_programs[" + std::to_string(i) +
              "]);\n  }\n";
    }
    code += "  return code;\n}\n";
  }

  /// Prints a function per thread, and a function that starts the threads; only with OpenMP.
  void printWorkers(const WeightNames &names) {
    if (interface.threads <= 1) {
      return;
    }
    code += "\n#ifdef _OPENMP";
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(task::kWorkerAttr)) {
        code += "\n" + FunctionPrinter(function, options, names, helpers).print();
      }
    }
    code += "#endif\n";
    auto main = module.lookupSymbol<func::FuncOp>("main");
    FunctionPrinter printer(main, options, names, helpers);
    std::string parameters = StringRef(printer.signature()).split('(').second.str();
    std::vector<std::string> list = printer.argumentNames();
    std::string arguments = llvm::join(list, ", ");
    std::string unused;
    for (const std::string &name : list) {
      unused += "  (void)" + name + ";\n";
    }
    std::string threads = std::to_string(interface.threads);
    code += "\n/* Runs the work of all threads, or nothing if there are fewer threads. */\n"
            "static bool " +
            model + "_parallel(uint32_t *flags, " + parameters + " {\n" +
            "  bool ran = false;\n#ifdef _OPENMP\n";
    for (int64_t worker = 0; worker < interface.threads; ++worker) {
      code +=
          "  " + model + "_post(flags + " + std::to_string(worker * task::kFlagElems) + ", 0u);\n";
    }
    for (int64_t flag : flagsOfParts()) {
      code += "  " + model + "_post(flags + " + std::to_string(flag) + ", 0u);\n";
    }
    code += "#pragma omp parallel num_threads(" + threads + ")\n  {\n" +
            "    if (omp_get_num_threads() == " + threads + ") {\n" +
            "      switch (omp_get_thread_num()) {\n";
    for (int64_t worker = 0; worker < interface.threads; ++worker) {
      std::string number = std::to_string(worker);
      code += "      case " + number + ":\n        " + model + "_worker_" + number + "(" +
              arguments + ");\n" + (worker == 0 ? "        ran = true;\n" : "") +
              "        break;\n";
    }
    code += "      default:\n        break;\n      }\n    }\n  }\n#else\n  (void)flags;\n" +
            unused + "#endif\n  return ran;\n}\n";
  }

  /// Returns the flags that follow those of the workers: one per part of rounds and of a loop that
  /// several workers execute. Simplifications of a loop may drop its attributes, so the posts say
  /// which flags a loop has.
  std::set<int64_t> flagsOfParts() {
    std::set<int64_t> flags;
    module.walk([&](Operation *op) {
      if (auto rounds = dyn_cast<task::RoundsOp>(op)) {
        flags.insert(rounds.getWord() + rounds.getPart() * task::kFlagElems);
      } else if (auto post = dyn_cast<task::TeamPostOp>(op)) {
        flags.insert(static_cast<int64_t>(post.getWorker()) * task::kFlagElems);
      }
    });
    return flags;
  }

  std::string checkPointers(StringRef structure, ArrayRef<TensorDescriptor> tensors) {
    std::string text;
    for (auto [tensor, field] : llvm::zip(tensors, fieldNames(tensors))) {
      if (tensor.bytes > 0) {
        text += (" ||\n      " + structure + "->" + field + " == NULL").str();
      }
    }
    return text;
  }

  void printRun(func::FuncOp main) {
    StringRef parameters = "";
    if (!interface.isIoInWorkspace()) {
      parameters = "const <model>_inputs *inputs, <model>_outputs *outputs, ";
    } else if (interface.hasInputRows()) {
      parameters = "const <model>_inputs *inputs, ";
    }
    code += "\nint " + model + "_run(" + named(parameters, model) + workspaceParameters(interface) +
            ") {\n";
    std::string nulls, misaligned, arguments, arenas;
    for (size_t i = 0; i <= interface.moreWorkspaces.size(); ++i) {
      std::string name = workspaceName(i);
      nulls += (i == 0 ? "" : " || ") + name + " == NULL";
      misaligned += (i == 0 ? "" : " ||\n      ") + ("(uintptr_t)" + name) + " % " +
                    std::to_string(interface.workspaceAlignment) + "u != 0u";
      arenas += (i == 0 ? "" : ", ") + ("(uint8_t *)" + name);
    }
    if (!interface.isIoInWorkspace()) {
      printPointers(main, nulls, arguments);
    } else if (interface.hasInputRows()) {
      printSources(nulls, arguments);
    }
    code += "  if (" + nulls + ") {\n    return " + std::to_string(CONVOY_ERROR_NULL_POINTER) +
            ";\n  }\n  if (" + misaligned + ") {\n    return " +
            std::to_string(CONVOY_ERROR_WORKSPACE) + ";\n  }\n" + requestText() + "  return (int)" +
            model + "_main(" + arguments + arenas + ");\n}\n";
    std::string functions = kFunctions.str();
    constexpr StringRef kMark = "<errors>";
    std::string errors = helpers.hasTiles() ? kTileErrors.str() : "";
    errors += interface.programs > 0 ? kDeviceErrors : StringRef();
    errors += interface.hasInputRows() ? kRowErrors : StringRef();
    errors += interface.customFunctions.empty() ? StringRef() : kCustomErrors;
    functions.replace(functions.find(kMark.str()), kMark.size(), errors);
    code += named(functions, model);
  }

  /// Returns the request of tile registers, if a kernel uses them.
  std::string requestText() const {
    return helpers.hasTiles() ? "  if (!convoy_request_tiles()) {\n    return " +
                                    std::to_string(CONVOY_ERROR_UNSUPPORTED_CPU) + ";\n  }\n"
                              : "";
  }

  /// Adds the checks of the functions that provide rows to `nulls` and their addresses to
  /// `arguments`.
  void printSources(std::string &nulls, std::string &arguments) {
    nulls += " ||\n      inputs == NULL";
    for (auto [input, field] : llvm::zip(interface.inputs, fieldNames(interface.inputs))) {
      if (input.rows > 0) {
        nulls += " ||\n      inputs->" + field + ".read == NULL";
        arguments += "&inputs->" + field + ", ";
      }
    }
  }

  /// Adds the checks of the caller's pointers to `nulls` and the pointers to `arguments`.
  void printPointers(func::FuncOp main, std::string &nulls, std::string &arguments) {
    std::vector<TensorDescriptor> written = writtenTensors(interface);
    for (auto [name, tensors] : {std::pair("inputs", ArrayRef(interface.inputs)),
                                 std::pair("outputs", ArrayRef(written))}) {
      if (tensors.empty()) {
        code += "  (void)" + std::string(name) + ";\n";
      } else {
        nulls += " ||\n      " + std::string(name) + " == NULL" + checkPointers(name, tensors);
      }
    }
    unsigned argument = 0;
    auto pass = [&](StringRef structure, StringRef qualifier, ArrayRef<TensorDescriptor> tensors) {
      for (const std::string &field : fieldNames(tensors)) {
        auto type = cast<MemRefType>(main.getArgumentTypes()[argument++]);
        std::string pointer =
            (qualifier + scalarType(scalarKey(type.getElementType())) + " *").str();
        arguments += "(" + pointer + ")" + structure.str() + "->" + field + ", ";
      }
    };
    pass("inputs", "const ", interface.inputs);
    pass("outputs", "", written);
  }

  static constexpr StringRef kFunctions = R"(
const char *<model>_error_text(int code) {
  switch (code) {
  case 0:
    return "no error";
  case 1:
    return "a pointer in inputs or outputs, or the workspace, is null";
  case 3:
    return "the data selects a branch that cannot be compiled for these shapes";
  case 4:
    return "the workspace does not have the alignment that the header requires";
<errors>  default:
    return "unknown return code";
  }
}

)";

  /// The code that only a model with tile registers returns.
  static constexpr StringRef kTileErrors = R"(  case 2:
    return "the CPU or the system has no tile registers; compile the source without -mamx-tile";
)";

  /// Codes that only a model with device programs returns.
  static constexpr StringRef kDeviceErrors = R"(  case 8:
    return "a part runs on a device; call <model>_init with the device's functions first";
  case 9:
    return "the device cannot run this program";
  case 10:
    return "the device failed: it is out of memory, or an error occurred while it ran";
)";

  /// The code that only a model with inputs by rows returns.
  static constexpr StringRef kRowErrors = R"(  case 13:
    return "a function that provides the rows of an input failed";
)";

  /// The code that only a model with custom ops returns.
  static constexpr StringRef kCustomErrors = R"(  case 14:
    return "the function of a custom op returned an error";
)";

  ModuleOp module;
  const SourceOptions &options;
  const ModelInterface &interface;
  std::string model;
  Helpers helpers;
  std::string code;
};

} // namespace

llvm::Expected<std::string> sourceText(ModuleOp module, const SourceOptions &options,
                                       ModelInterface &interface,
                                       std::vector<std::string> *layers) {
  SourceWriter writer(module, options, interface);
  llvm::Expected<std::string> text = writer.write();
  if (!text) {
    return text.takeError();
  }
  if (layers) {
    *layers = writer.layers();
  }
  llvm::Expected<std::string> weights = hashWeights(module);
  if (!weights) {
    return weights.takeError();
  }
  interface.hash = hashBytes(llvm::arrayRefFromStringRef(*text + *weights));
  interface.weightsHash = std::move(*weights);
  std::string prefix = StringRef(interface.model).upper();
  return *text + "int " + interface.model + "_abi_version(void) {\n  return " + prefix +
         "_ABI_VERSION;\n}\n\nconst char *" + interface.model + "_hash(void) {\n  return " +
         prefix + "_HASH;\n}\n" + tableSource(interface);
}

} // namespace convoy::codegen
