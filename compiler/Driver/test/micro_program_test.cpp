// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the generated parts of a microcontroller's program, and the errors of its tool chain. The
// tests of errors replace the tools by programs of the host. tests/models/micro runs models on
// boards.

#include "Driver/Backends/Micro/MemoryFit.h"
#include "Driver/Backends/Micro/MicroText.h"
#include "Driver/Backends/Micro/MicroTools.h"
#include "Driver/CompileModel.h"
#include "Driver/Operators.h"
#include "Driver/ResolveTarget.h"
#include "Targets/AllowedCommands.h"
#include "io/test/TestModel.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::driver;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

targets::Target board(llvm::StringRef name) { return llvm::cantFail(targets::findTarget(name)); }

TEST(MicroText, PlacesTheParts) {
  targets::Target target = board("cortex-m55");
  target.memories[0].holds = {"code"};
  target.memories.push_back({"flash", 1024, 64, 0x60000000, 4, {"weights"}});
  std::string text = linkerScriptText(target, 4096);
  EXPECT_THAT(text, HasSubstr("memory_0 : ORIGIN = 0x0, LENGTH = 524288 /* code */"));
  EXPECT_THAT(text, HasSubstr("memory_2 : ORIGIN = 0x60000000, LENGTH = 1024 /* weights */"));
  EXPECT_THAT(text, HasSubstr("*(.text .text.*) } > memory_0"));
  EXPECT_THAT(text, HasSubstr(".srodata.*) } > memory_2"));
  EXPECT_THAT(text, HasSubstr(". += 4096;\n    convoy_stack_top = .;\n  } > memory_1"));
  EXPECT_THAT(text, HasSubstr("} > memory_1 AT > memory_2"));
}

TEST(MicroText, PlacesWorkspacesInTheirMemories) {
  targets::Target target = board("cortex-m4");
  target.memories[1].accessCycles = 3;
  target.memories.push_back({"tcm", 1024, 8, 0x10000000, 1, {"data", "stack"}});
  std::string script = linkerScriptText(target, 256);
  EXPECT_THAT(script, HasSubstr("  .bss.convoy_memory_1 (NOLOAD) : { *(.bss.convoy_memory_1) } > "
                                "memory_1\n  .data : ALIGN(8)"));
  EXPECT_THAT(script, HasSubstr("} > memory_2 AT > memory_0"));
  codegen::ModelInterface interface;
  interface.model = "net";
  interface.workspaceBytes = 100;
  interface.workspaceAlignment = 8;
  interface.moreWorkspaces.push_back({target.memories[1].name, 200});
  std::string text = microProgramText(interface, target);
  EXPECT_THAT(text, HasSubstr("__attribute__((section(\".bss.convoy_memory_1\")))\n"
                              "static _Alignas(8) unsigned char workspace_1[200];"));
  EXPECT_THAT(text, HasSubstr("return net_run(NULL, NULL, workspace, workspace_1);"));
}

TEST(MicroText, DeclaresTheBuffers) {
  codegen::ModelInterface interface;
  interface.model = "net";
  interface.workspaceBytes = 640;
  interface.inputs.push_back({"image", ElementType::I8, {3}, {}, 3});
  interface.outputs.push_back({"y", ElementType::F32, {2}, {}, 8});
  std::string text = microProgramText(interface, board("cortex-m55"));
  EXPECT_THAT(text, HasSubstr("#include \"net.h\""));
  EXPECT_THAT(text, HasSubstr("unsigned char workspace[640];"));
  EXPECT_THAT(text, HasSubstr("convoy_micro_inputs[] = {{input_0, 3u}};"));
  EXPECT_THAT(text, HasSubstr("  inputs.image = (void *)input_0;\n"));
  EXPECT_THAT(text, HasSubstr("return net_run(&inputs, &outputs, workspace);"));
  interface.inputs.clear();
  EXPECT_THAT(microProgramText(interface, board("cortex-m55")),
              HasSubstr("net_run(NULL, &outputs, workspace)"));
}

TEST(MicroText, TensorsInTheWorkspaceHaveNoBuffers) {
  codegen::ModelInterface interface;
  interface.model = "net";
  interface.workspaceBytes = 100;
  interface.workspaceAlignment = 8;
  interface.inputs.push_back({"image", ElementType::I8, {3}, {}, 3});
  interface.inputs.back().offset = 8;
  interface.outputs.push_back({"y", ElementType::F32, {2}, {}, 8});
  interface.outputs.back().offset = 16;
  std::string text = microProgramText(interface, board("cortex-m55"));
  EXPECT_THAT(text, HasSubstr("static _Alignas(8) unsigned char workspace[100];\n\n"));
  EXPECT_THAT(text, HasSubstr("convoy_micro_inputs[] = {{workspace + 8, 3u}};"));
  EXPECT_THAT(text, HasSubstr("convoy_micro_outputs[] = {{workspace + 16, 8u}};"));
  EXPECT_THAT(text, HasSubstr("int convoy_micro_run(void) {\n  return net_run(workspace);"));
}

TEST(MicroTools, MissingProgramsNameTheirPackages) {
  targets::Target target = board("cortex-m4");
  target.toolchain->compilers.front() = {"gcc", {"no-such-compiler"}, {"one", "two"}};
  EXPECT_EQ(llvm::toString(checkMicroTools(target)),
            "cannot run code for target 'cortex-m4' here: the program 'no-such-compiler' is not on "
            "the path; install one two");
  EXPECT_EQ(llvm::toString(checkMicroTools(board("cortex-m85"))),
            "cannot run code for target 'cortex-m85' here: its description names no emulator; "
            "`convoy compile --emit=c` writes the C source");
}

/// Compiles a small convolution for a changed board and runs it. Returns the first error.
class MicroErrors : public testing::Test {
protected:
  void SetUp() override {
    target = board("cortex-m4");
    std::string problem = llvm::toString(checkMicroTools(target));
    if (!problem.empty()) {
      GTEST_SKIP() << problem;
    }
  }

  std::string error() const {
    return errorOf(operatorModel("ConvWithBias", /*isQuantized=*/false), {});
  }

  std::string errorOf(const Model &model, const std::vector<std::string> &customOps) const {
    test::TemporaryFolder folder;
    CompileRequest request;
    request.inputs.customOps = customOps;
    const std::string file = folder.file("board.json");
    request.target.name = targets::withTrust(file, "");
    request.output.emit = Emit::Memory;
    std::error_code failure;
    llvm::raw_fd_ostream(file, failure) << targets::toJson(target);
    EXPECT_FALSE(failure);
    Result<Artifact> artifact = compileModel(model, request);
    if (!artifact) {
      return artifact.problems().firstError();
    }
    NamedTensors inputs;
    for (const TensorInfo &input : artifact->report.inputs) {
      auto zeros = std::make_shared<std::vector<uint8_t>>(static_cast<size_t>(input.bytes));
      inputs[input.name] = {
          input.type, input.shape, std::shared_ptr<const void>(zeros, zeros->data()), {}};
    }
    return artifact->memory->run(inputs).problems().firstError();
  }

  targets::Target target;
};

TEST_F(MicroErrors, AreAbsentOnTheBoard) { EXPECT_EQ(error(), ""); }

TEST_F(MicroErrors, MemoriesThatAreTooSmall) {
  target.memories[0].bytes = 1024;
  target.memories[1].bytes = 2048;
  std::string text = error();
  EXPECT_THAT(text, StartsWith("the model does not fit in target 'cortex-m4': "));
  EXPECT_THAT(text, HasSubstr("memory 'ssram1' has 1024 bytes for code and weights, the program "
                              "needs "));
  EXPECT_THAT(text, HasSubstr("memory 'ssram2' has 2048 bytes for data and stack, the program "
                              "needs "));
  EXPECT_THAT(text,
              ContainsRegex("stack [0-9]+ bytes\\); use a smaller model or a target with more "
                            "memory"));
}

TEST_F(MicroErrors, EmulatorsThatDoNotEnd) {
  target.toolchain->emulator.command = {"sh", "-c", "sleep 60"};
  target.toolchain->timeoutSeconds = 1;
  EXPECT_EQ(error(), "the emulator 'sh' did not finish a run for target 'cortex-m4' within 1 s; "
                     "increase toolchain.timeoutSeconds in the target's description");
}

TEST_F(MicroErrors, ProgramsThatFail) {
  target.toolchain->linker.command.push_back("-Wl,--trace"); // its text must not be in the error
  target.toolchain->emulator.command = {"sh", "-c", "echo fault at address 0x12; exit 2"};
  EXPECT_EQ(error(), "the program for target 'cortex-m4' ended with code 2 in the emulator 'sh': "
                     "fault at address 0x12");
  target.toolchain->emulator.command = {"sh", "-c", "true"};
  EXPECT_THAT(error(), HasSubstr("the emulated program did not write "));
}

TEST_F(MicroErrors, StacksThatAreTooSmall) {
  // Without a bound, the description has the size of the stack.
  std::vector<std::string> &command = target.toolchain->compilers.front().command;
  command.insert(command.begin(), "env");
  target.toolchain->stackBytes = 64;
  EXPECT_THAT(error(), HasSubstr("the stack is too small; increase toolchain.stackBytes"));
}

TEST_F(MicroErrors, CompilersThatFail) {
  target.toolchain->compilers.front().command.push_back("-mcpu=cortex-m99");
  std::string text = error();
  EXPECT_THAT(text, StartsWith("'arm-none-eabi-gcc' does not compile emitted C for target "
                               "'cortex-m4': "));
  EXPECT_THAT(text, HasSubstr("; install gcc-arm-none-eabi libnewlib-arm-none-eabi, or correct "
                              "the compiler's command in the target's description"));
}

// The program has a file main.c of its own, too.
TEST_F(MicroErrors, FilesOfCustomOpsThatDoNotCompile) {
  test::TemporaryFolder folder;
  auto write = [&](const char *name, const char *text) {
    std::error_code failure;
    llvm::raw_fd_ostream(folder.file(name), failure) << text;
    EXPECT_FALSE(failure);
  };
  write("ops.json", R"({"ops": [{"domain": "ai.onnx", "name": "Twice", "source": "main.c",
                       "function": "twice", "inputs": [{"name": "x"}],
                       "outputs": [{"type": "x", "shape": "x"}]}]})");
  write("local.h", "enum { kFactor = 2 };\n");
  write("main.c", R"(#include "local.h"
#include <convoy/custom_op.h>
int32_t twice(const convoy_custom_tensor *in, const convoy_custom_tensor *out,
              const convoy_custom_attribute *attributes) {
  (void)attributes;
  for (int i = 0; i < 4; ++i) {
    ((float *)out[0].data)[i] = kFactor * ((const float *)in[0].data)[i];
  }
  return 0;
}
)");
  Model model = test::loaded(test::unaryModel("Twice", {"4"}));
  EXPECT_EQ(errorOf(model, {folder.file("ops.json")}), "");
  write("main.c", "no C\n");
  EXPECT_THAT(
      errorOf(model, {folder.file("ops.json")}),
      StartsWith("the C file '" + folder.file("main.c") + "' of a custom op does not compile: "));
}

TEST(Micro, HasNoLibrariesAndNoThreads) {
  Model model = operatorModel("ConvWithBias", /*isQuantized=*/false);
  CompileRequest request;
  request.target.name = "cortex-m4";
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--emit=library expects a target with shared libraries, got 'cortex-m4'; use --emit=c");
  request.output.emit = Emit::Source;
  request.schedule.threads = 2;
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--threads expects 1 for target 'cortex-m4', which has one core and no threads, got 2");
}

TEST(Micro, ArenaInputsNeedSource) {
  Model model = operatorModel("ConvWithBias", /*isQuantized=*/false);
  CompileRequest request;
  request.output.io = IoPlace::Arena;
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--io=workspace expects C source, got target 'host' without --emit=c; add --emit=c, or "
            "choose a microcontroller as --target");
}

TEST(Micro, InputsByRowsNeedSourceAndOneThread) {
  Model model = operatorModel("ConvWithBias", /*isQuantized=*/false);
  CompileRequest request;
  request.output.io = IoPlace::Rows;
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--io=rows expects C source, got target 'host' without --emit=c; add --emit=c, or "
            "choose a microcontroller as --target");
  request.output.emit = Emit::Source;
  request.schedule.threads = 2;
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--io=rows expects --threads=1, because rows are fetched in order, got 2");
}

MemoryNeed smallNeed() {
  MemoryNeed need;
  need.interface.model = "net";
  need.interface.workspaceBytes = 1000;
  need.interface.weightsBytes = 2000;
  need.interface.peakNode = "'conv1' (Conv)";
  need.interface.peakBytes = 900;
  need.interface.inputs.push_back({"x", ElementType::I8, {60}, {}, 60});
  need.interface.outputs.push_back({"y", ElementType::I8, {40}, {}, 40});
  need.target = "cortex-m4";
  need.compilers = {"cortex-m4:clang"};
  need.stackBytes = 100;
  need.ramBytes = 1200;
  need.flashBytes = 3500;
  return need;
}

TEST(MemoryFit, SaysWhatExceedsTheLimitsAndWhatHelps) {
  MemoryNeed need = smallNeed();
  EXPECT_FALSE(bool(checkLimits(need, {1200, 3500})));
  EXPECT_FALSE(bool(checkLimits(need, {})));
  EXPECT_EQ(
      llvm::toString(checkLimits(need, {1024, 3500})),
      "--max-ram of 1024 bytes is 176 bytes too small for model 'net' on target 'cortex-m4': the "
      "model needs 1200 bytes (workspace 1000, inputs and outputs outside the workspace 100, "
      "stack 100); 'conv1' (Conv) makes the peak of the workspace with 900 bytes of tensors; "
      "use --io=workspace, which lets tensors overwrite the inputs after their last use; use a "
      "model with smaller tensors at the peak, or a target with at least 1200 bytes of RAM");
  EXPECT_EQ(
      llvm::toString(checkLimits(need, {0, 3000})),
      "--max-flash of 3000 bytes is 500 bytes too small for model 'net' on target 'cortex-m4': "
      "the program needs 3500 bytes (weights 2000, code and constants 1500); use "
      "--target=cortex-m4:clang, or -Os instead of -O3 in the compiler's command of the "
      "target's description; use a model with fewer weights, or a target with at least 3500 "
      "bytes of flash");
}

TEST(MemoryFit, GivesOnlyAdviceThatHelps) {
  MemoryNeed need = smallNeed();
  need.interface.inputs[0].offset = need.interface.outputs[0].offset = 8;
  need.stackProblem = "the stack of 'net_run' has no bound: 'f' calls itself";
  std::string text = llvm::toString(checkLimits(need, {1024, 1024}));
  EXPECT_THAT(text, HasSubstr("the size of the stack is the one in the target's description, "
                              "because the stack of 'net_run' has no bound: 'f' calls itself; try "
                              "--io=rows, which needs no memory for an input that the first layers "
                              "read row by row; use a model with smaller tensors"));
  need.interface.inputs[0].offset.reset();
  need.interface.inputs[0].rows = 6;
  EXPECT_THAT(llvm::toString(checkLimits(need, {1024, 0})), Not(HasSubstr("--io=")));
  EXPECT_THAT(text, HasSubstr("; quantize float weights to 8 bits with `convoy quantize`; use a "
                              "model with fewer weights"));
}

TEST(Micro, LimitsNeedAMicrocontroller) {
  CompileRequest request;
  request.output.limits.ramBytes = 1024;
  Model model = operatorModel("ConvWithBias", /*isQuantized=*/false);
  EXPECT_EQ(compileModel(model, request).problems().firstError(),
            "--max-ram and --max-flash expect a microcontroller as --target, got 'host'; `convoy "
            "targets` "
            "lists the targets");
}

TEST(Micro, NamesSelectTheCompiler) {
  TargetRequest request;
  request.name = "cortex-m4:clang";
  llvm::Expected<ResolvedTarget> target = resolveTarget(request, /*isForMemory=*/true);
  ASSERT_TRUE(bool(target)) << llvm::toString(target.takeError());
  EXPECT_EQ(target->name, "cortex-m4:clang");
  request.name = "cortex-m4:icc";
  EXPECT_EQ(llvm::toString(resolveTarget(request, /*isForMemory=*/true).takeError()),
            "unknown compiler 'icc' of target 'cortex-m4'; expected one of gcc, clang");
}

} // namespace
