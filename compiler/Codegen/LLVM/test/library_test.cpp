// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests libraries on disk. A library loaded with dlopen gives the results of the model in memory,
// two writes give the same bytes, and only the C interface is exported.

#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/LoadedModel.h"
#include "Codegen/LLVM/test/TinyModel.h"
#include "Support/test/TestFolder.h"
#include "convoy/convoy.h"
#include "llvm-c/Disassembler.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/TargetSelect.h"
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using codegen::LibraryFiles;
using codegen::LoadedModel;
using convoy::WeightsPlace;
using test::hostOptions;
using test::TinyModel;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

namespace {

LibraryFiles write(const codegen::CodegenOptions &options, const test::TemporaryFolder &folder) {
  TinyModel tiny;
  auto files = codegen::writeLibrary(tiny.module(), options, folder.path());
  EXPECT_TRUE(bool(files)) << llvm::toString(files.takeError()) << tiny.diagnostics();
  return files ? *files : LibraryFiles();
}

std::string bytesOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Loads a library as a user's program does.
class OpenLibrary {
public:
  explicit OpenLibrary(const std::string &path) : handle(dlopen(path.c_str(), RTLD_NOW)) {
    EXPECT_TRUE(handle) << dlerror();
  }
  ~OpenLibrary() { dlclose(handle); }

  template <typename Function>
  Function *get(const char *name) {
    return reinterpret_cast<Function *>(dlsym(handle, name));
  }

private:
  void *handle;
};

using RunFunction = int(const void *const *, void *const *, void *);

struct Buffers {
  alignas(64) char workspace[128];
  alignas(64) float x[10];
  alignas(64) float y[10];
  alignas(64) float copy[10];

  Buffers() {
    for (int i = 0; i < 10; ++i) {
      x[i] = 0.1f * static_cast<float>(i);
    }
  }
  int run(RunFunction *function) {
    const void *inputs[] = {x};
    void *outputs[] = {y, copy};
    return function(inputs, outputs, workspace);
  }
};

/// Returns the bits of the values: equal floats may differ in their bits.
std::vector<uint32_t> bits(const float (&values)[10]) {
  std::vector<uint32_t> result(10);
  std::memcpy(result.data(), values, sizeof(values));
  return result;
}

/// Returns the names of defined symbols: only exported symbols, or all.
std::vector<std::string> symbols(const std::string &path, bool exportedOnly) {
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
  auto *elf = llvm::cast<llvm::object::ELFObjectFileBase>(binary.getBinary());
  std::vector<std::string> names;
  auto add = [&](const llvm::object::SymbolRef &symbol) {
    if (!(llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)) {
      names.push_back(llvm::cantFail(symbol.getName()).str());
    }
  };
  if (exportedOnly) {
    llvm::for_each(elf->getDynamicSymbolIterators(), add);
  } else {
    llvm::for_each(elf->symbols(), add);
  }
  return names;
}

TEST(WriteLibrary, GivesWhatTheModelInMemoryGives) {
  test::TemporaryFolder folder;
  LibraryFiles files = write(hostOptions(), folder);
  OpenLibrary library(files.library);
  RunFunction *run = library.get<RunFunction>("tiny_run");
  ASSERT_TRUE(run);
  Buffers onDisk;
  ASSERT_EQ(onDisk.run(run), CONVOY_OK);

  TinyModel tiny;
  auto model = LoadedModel::load(tiny.module(), hostOptions());
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  Buffers inMemory;
  ASSERT_EQ(
      llvm::toString((*model)->run({inMemory.x}, {inMemory.y, inMemory.copy}, inMemory.workspace)),
      "");
  EXPECT_EQ(bits(onDisk.y), bits(inMemory.y));
  EXPECT_EQ(bits(onDisk.copy), bits(inMemory.copy));
  EXPECT_EQ(onDisk.y[0], 0.5f);
}

TEST(WriteLibrary, GivesTheSameBytesTwice) {
  test::TemporaryFolder first;
  test::TemporaryFolder second;
  LibraryFiles one = write(hostOptions(), first);
  LibraryFiles two = write(hostOptions(), second);
  EXPECT_FALSE(bytesOf(one.library).empty());
  EXPECT_TRUE(bytesOf(one.library) == bytesOf(two.library));
  EXPECT_EQ(bytesOf(one.header), bytesOf(two.header));
}

TEST(WriteLibrary, LeavesNothingBesideItsFiles) {
  test::TemporaryFolder folder;
  codegen::CodegenOptions options = hostOptions();
  write(options, folder);
  EXPECT_THAT(folder.files(), UnorderedElementsAre("tiny.so", "tiny.h"));
  options.keepObject = true;
  options.weights = WeightsPlace::File;
  write(options, folder);
  EXPECT_THAT(folder.files(), UnorderedElementsAre("tiny.so", "tiny.h", "tiny.o", "tiny.weights"));
}

TEST(WriteLibrary, TakesAnyIdentifierAsName) {
  for (const char *name : {"weights", "glue", "runtime", "model", "abi", "library"}) {
    test::TemporaryFolder folder;
    codegen::CodegenOptions options = hostOptions();
    options.model = name;
    OpenLibrary library(write(options, folder).library);
    EXPECT_TRUE(library.get<RunFunction>((options.model + "_run").c_str())) << name;
  }
}

TEST(WriteLibrary, ExportsTheInterfaceAndNamesKernels) {
  test::TemporaryFolder folder;
  LibraryFiles files = write(hostOptions(), folder);
  EXPECT_THAT(symbols(files.library, /*exportedOnly=*/true),
              UnorderedElementsAre("tiny_run", "tiny_error_text", "tiny_abi_version", "tiny_hash",
                                   "tiny_model", "convoy_library_model"));
  EXPECT_THAT(symbols(files.library, /*exportedOnly=*/false), Contains("tiny_add_0"));
  EXPECT_THAT(symbols(files.library, /*exportedOnly=*/false), Contains("tiny_relu_1"));
}

TEST(WriteLibrary, LineTablesNameNodes) {
  test::TemporaryFolder folder;
  LibraryFiles files = write(hostOptions(), folder);
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(files.library));
  auto dwarf = llvm::DWARFContext::create(*binary.getBinary());
  auto lineOf = [&](llvm::StringRef name) {
    for (const llvm::object::SymbolRef &symbol : binary.getBinary()->symbols()) {
      if (llvm::cantFail(symbol.getName()) == name) {
        llvm::object::SectionedAddress at{llvm::cantFail(symbol.getAddress()),
                                          llvm::object::SectionedAddress::UndefSection};
        using Kind = llvm::DINameKind;
        return dwarf->getLineInfoForAddress(
            at, {llvm::DILineInfoSpecifier::FileLineInfoKind::RawValue, Kind::ShortName});
      }
    }
    return llvm::DILineInfo();
  };
  EXPECT_EQ(lineOf("tiny_add_0").FunctionName, "block1/add");
  EXPECT_EQ(lineOf("tiny_add_0").FileName, "tiny.onnx");
  EXPECT_EQ(lineOf("tiny_add_0").Line, 1u);
  EXPECT_EQ(lineOf("tiny_relu_1").FunctionName, "block1/relu");
  EXPECT_EQ(lineOf("tiny_relu_1").Line, 2u);
}

TEST(WriteLibrary, WeightsStartOnAPage) {
  test::TemporaryFolder folder;
  LibraryFiles files = write(hostOptions(), folder);
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(files.library));
  for (const llvm::object::SymbolRef &symbol : binary.getBinary()->symbols()) {
    if (llvm::cantFail(symbol.getName()) == "tiny_weights") {
      EXPECT_EQ(llvm::cantFail(symbol.getAddress()) % 4096, 0u);
      return;
    }
  }
  FAIL() << "no symbol tiny_weights";
}

TEST(WriteLibrary, WeightsInAFileAreOpened) {
  test::TemporaryFolder folder;
  codegen::CodegenOptions options = hostOptions();
  options.weights = WeightsPlace::File;
  LibraryFiles files = write(options, folder);
  OpenLibrary library(files.library);
  auto *open = library.get<int(const char *)>("tiny_open");
  auto *close = library.get<void()>("tiny_close");
  RunFunction *run = library.get<RunFunction>("tiny_run");
  ASSERT_TRUE(open && close && run);
  Buffers buffers;
  EXPECT_EQ(buffers.run(run), CONVOY_ERROR_NOT_OPEN);
  EXPECT_EQ(open(folder.file("missing").c_str()), CONVOY_ERROR_WEIGHTS_FILE);
  EXPECT_EQ(open(files.header.c_str()), CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(open(files.weights.c_str()), CONVOY_OK);
  EXPECT_EQ(buffers.run(run), CONVOY_OK);
  EXPECT_EQ(buffers.y[0], 0.5f);
  close();
  EXPECT_EQ(buffers.run(run), CONVOY_ERROR_NOT_OPEN);
}

TEST(WriteLibrary, SaysWhatTheCpuLacks) {
  test::TemporaryFolder folder;
  codegen::CodegenOptions options = hostOptions();
  options.target.name = "future";
  LibraryFiles files;
  {
    // The library checks the feature even if LLVM does not know it.
    TinyModel tiny;
    options.target.features.push_back("quantum");
    testing::internal::CaptureStderr();
    auto written = codegen::writeLibrary(tiny.module(), options, folder.path());
    testing::internal::GetCapturedStderr();
    ASSERT_TRUE(bool(written)) << llvm::toString(written.takeError());
    files = *written;
  }
  OpenLibrary library(files.library);
  Buffers buffers;
  EXPECT_EQ(buffers.run(library.get<RunFunction>("tiny_run")), CONVOY_ERROR_UNSUPPORTED_CPU);
  auto *errorText = library.get<const char *(int)>("tiny_error_text");
  ASSERT_TRUE(errorText);
  EXPECT_THAT(
      errorText(CONVOY_ERROR_UNSUPPORTED_CPU),
      HasSubstr("model 'tiny' was compiled for target 'future', and this CPU lacks quantum"));
}

/// Returns the number of instructions in the object's code that start with 0x62, the prefix of
/// AVX-512 instructions only.
int avx512Instructions(const std::string &path) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  auto binary = llvm::cantFail(llvm::object::ObjectFile::createObjectFile(path));
  LLVMDisasmContextRef context =
      LLVMCreateDisasm("x86_64-unknown-linux-gnu", nullptr, 0, nullptr, nullptr);
  int found = 0;
  for (const llvm::object::SectionRef &section : binary.getBinary()->sections()) {
    if (!section.isText()) {
      continue;
    }
    llvm::StringRef code = llvm::cantFail(section.getContents());
    for (size_t at = 0; at < code.size();) {
      auto *bytes = reinterpret_cast<uint8_t *>(const_cast<char *>(code.data()) + at);
      char text[256];
      size_t length =
          LLVMDisasmInstruction(context, bytes, code.size() - at, at, text, sizeof(text));
      EXPECT_GT(length, 0u) << "cannot decode offset " << at;
      found += *bytes == 0x62;
      at += std::max<size_t>(length, 1);
    }
  }
  LLVMDisasmDispose(context);
  return found;
}

TEST(WriteLibrary, CodeForAvx2HasNoAvx512) {
  test::TemporaryFolder folder;
  codegen::CodegenOptions options = hostOptions();
  options.keepObject = true;
  // Sixteen lanes, a mask and a gather, for which LLVM would use AVX-512.
  std::string text = test::oneKernel(R"(
      %n = arith.constant 9 : index
      %zero = arith.constant dense<0.0> : vector<16xf32>
      %at = arith.constant dense<[0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]> : vector<16xi32>
      %m = vector.create_mask %n : vector<16xi1>
      %a = vector.maskedload %x[%c0], %m, %zero : memref<16xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
      %b = vector.gather %x[%c0][%at], %m, %a : memref<16xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
      %c = vector.fma %a, %b, %b : vector<16xf32>
      vector.store %c, %y[%c0] : memref<16xf32>, vector<16xf32>)");
  for (llvm::StringRef name : {"x86-64-v3", "x86-64-v4"}) {
    TinyModel tiny(text);
    options.target = llvm::cantFail(targets::findTarget(name));
    auto files = codegen::writeLibrary(tiny.module(), options, folder.file(name));
    ASSERT_TRUE(bool(files)) << llvm::toString(files.takeError()) << tiny.diagnostics();
    EXPECT_EQ(avx512Instructions(files->object) > 0, name == "x86-64-v4") << name.str();
  }
}

TEST(WriteLibrary, ReportsAFolderItCannotWrite) {
  TinyModel tiny;
  auto files = codegen::writeLibrary(tiny.module(), hostOptions(), "/proc/convoy");
  EXPECT_THAT(llvm::toString(files.takeError()), HasSubstr("cannot write '/proc/convoy'"));
}

codegen::TensorDescriptor tensor(llvm::StringRef name, ElementType type, Shape shape = {2}) {
  return {name.str(), type, shape, {}, *elementCount(shape) * storageBytes(type)};
}

TEST(Header, FieldsAreDistinctIdentifiers) {
  std::vector<codegen::TensorDescriptor> tensors = {
      tensor("data:0", ElementType::F32), tensor("data/0", ElementType::F32),
      tensor("0", ElementType::F32),      tensor("class", ElementType::F32),
      tensor("x", ElementType::F32),      tensor("X", ElementType::F32),
      tensor("", ElementType::F32),       tensor("_Bool", ElementType::F32)};
  EXPECT_THAT(codegen::fieldNames(tensors),
              testing::ElementsAre("data_0", "data_0_2", "t0", "class_", "x", "X", "t", "t_Bool"));
}

TEST(Header, FieldsAreNoMacros) {
  std::vector<codegen::TensorDescriptor> tensors;
  for (llvm::StringRef name :
       {"NULL", "INT8_MAX", "M_PI", "linux", "TINY_HASH", "IMAGE", "x_0", "_1"}) {
    tensors.push_back(tensor(name, ElementType::F32));
  }
  EXPECT_THAT(codegen::fieldNames(tensors),
              testing::ElementsAre("NULL_", "INT8_MAX_", "M_PI_", "linux_", "TINY_HASH_", "IMAGE",
                                   "x_0", "t_1"));
}

TEST(Header, HasTheScalesOfQuantizedTensors) {
  codegen::ModelInterface interface;
  interface.model = "net";
  interface.inputs = {tensor("x", ElementType::I8), tensor("mask", ElementType::I8)};
  interface.inputs[0].scales = {0.5F};
  interface.inputs[0].zeroPoints = {-128};
  interface.outputs = {tensor("y", ElementType::U8), tensor("rows", ElementType::U8)};
  interface.outputs[0].scales = {2};
  interface.outputs[0].zeroPoints = {3};
  interface.outputs[1].scales = {0.25F, 0.125F};
  interface.outputs[1].zeroPoints = {0, 7};
  interface.outputs[1].scaleAxis = 0;
  std::string text = codegen::headerText(interface);
  EXPECT_THAT(text, HasSubstr("#define NET_INPUT_0_SCALE 0.5f\n"
                              "#define NET_INPUT_0_ZERO_POINT (-128)\n"));
  EXPECT_THAT(text, Not(HasSubstr("NET_INPUT_1_SCALE")));
  EXPECT_THAT(text, HasSubstr("#define NET_OUTPUT_0_SCALE 2.0f\n"
                              "#define NET_OUTPUT_0_ZERO_POINT 3\n"));
  EXPECT_THAT(text, HasSubstr("#define NET_OUTPUT_1_SCALE_AXIS 0\n"
                              "#define NET_OUTPUT_1_SCALES {0.25f, 0.125f}\n"
                              "#define NET_OUTPUT_1_ZERO_POINTS {0, 7}\n"));
}

TEST(Header, DescribesEveryTensor) {
  codegen::ModelInterface interface;
  interface.model = "net";
  interface.inputs = {tensor("x*/ /*\n", ElementType::F16, {1, 3})};
  interface.outputs = {tensor("ok", ElementType::Bool, {}), tensor("i", ElementType::I4)};
  interface.workspaceBytes = 192;
  std::string text = codegen::headerText(interface);
  EXPECT_THAT(text, HasSubstr("/* input 0, 'x*| /|?': float16 1x3; its bits in a uint16_t */"));
  EXPECT_THAT(text, HasSubstr("#define NET_INPUT_0_SHAPE {1, 3}\n"));
  EXPECT_THAT(text, HasSubstr("#define NET_WORKSPACE_BYTES 192\n"));
  EXPECT_THAT(text, HasSubstr("  const uint16_t *x______;\n} net_inputs;"));
  EXPECT_THAT(text, HasSubstr("/* output 0, 'ok': bool scalar; 0 or 1 in a byte */"));
  EXPECT_THAT(text, HasSubstr("  uint8_t *ok;\n  int8_t *i;\n} net_outputs;"));
  EXPECT_THAT(text,
              HasSubstr("struct convoy_model;\nconst struct convoy_model *net_model(void);\n"));
  EXPECT_THAT(text, Not(HasSubstr("net_open")));
  interface.weightsInFile = true;
  EXPECT_THAT(codegen::headerText(interface), HasSubstr("int net_open(const char *path);"));
}

} // namespace
