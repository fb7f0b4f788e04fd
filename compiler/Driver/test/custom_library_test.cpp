// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests how the C files of custom ops are compiled and loaded, and the words of the errors. The
// tests use the C compiler of this machine.

#include "Driver/Backends/Source/CustomSource.h"
#include "Driver/CustomLibrary.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::driver;
using testing::HasSubstr;

namespace {

constexpr const char *kParameters =
    "(const convoy_custom_tensor *in, const convoy_custom_tensor *out,"
    " const convoy_custom_attribute *attributes)";

/// A context with ops whose functions are in C files.
class CustomLibraryTest : public testing::Test {
protected:
  void SetUp() override { llvm::cantFail(folder.createInSystem()); }

  /// Declares an op whose function returns `result`. Returns the path of its file.
  std::string declare(const std::string &file, const std::string &function,
                      const std::string &result, const std::string &before = "") {
    import::CustomOp op;
    op.file = "ops.json";
    op.domain = "d";
    op.name = "Op" + function;
    op.function = function;
    op.source = folder.file(file);
    llvm::cantFail(createFolder(llvm::sys::path::parent_path(op.source)));
    llvm::cantFail(writeFile(op.source, "#include <convoy/custom_op.h>\n" + before + "\nint32_t " +
                                            function + kParameters + " { return " + result +
                                            "; }\n"));
    ops->ops.push_back(op);
    return op.source;
  }

  const CustomLibrary &library() {
    CustomLibrary::attach(context, ops, "");
    return static_cast<const CustomLibrary &>(*graph::CustomFunctions::of(&context));
  }

  int32_t call(const std::string &function) {
    auto found = library().find(function);
    EXPECT_TRUE(bool(found)) << llvm::toString(found.takeError());
    return found ? (*found)(nullptr, nullptr, nullptr) : -1;
  }

  std::string findError(const std::string &function) {
    return llvm::toString(library().find(function).takeError());
  }

  TemporaryFolder folder;
  mlir::MLIRContext context;
  std::shared_ptr<import::CustomOps> ops = std::make_shared<import::CustomOps>();
};

TEST_F(CustomLibraryTest, FilesOfOneNameDoNotCollide) {
  declare("one/op.c", "f", "1");
  declare("two/op.c", "g", "2");
  EXPECT_EQ(call("f"), 1);
  EXPECT_EQ(call("g"), 2);
  EXPECT_EQ(findError("h"), "no declared custom op has the function 'h'");
}

TEST_F(CustomLibraryTest, FilesIncludeHeadersBesideThem) {
  llvm::cantFail(writeFile(folder.file("local.h"), "enum { kResult = 7 };\n"));
  declare("op.c", "f", "kResult", "#include \"local.h\"");
  EXPECT_EQ(call("f"), 7);
}

TEST_F(CustomLibraryTest, ReportsWhatDoesNotLoad) {
  declare("op.c", "f", "missing()", "int32_t missing(void);");
  EXPECT_THAT(findError("f"), HasSubstr("cannot load the functions of custom ops: "));
}

TEST_F(CustomLibraryTest, ReportsAFileThatDoesNotCompile) {
  std::string source = declare("op.c", "f", "no C");
  EXPECT_THAT(findError("f"),
              HasSubstr("the C file '" + source + "' of a custom op does not compile: "));
}

TEST_F(CustomLibraryTest, ReportsATargetWithoutCCompiler) {
  declare("op.c", "f", "1");
  targets::Target target;
  target.name = "odd";
  EXPECT_EQ(llvm::toString(library().objectsFor(target, {"f"}).takeError()),
            "cannot compile custom ops for target 'odd': its description names no C compiler; add "
            "sourceCompiler to it, or write C with --emit=c");
}

// The program prints its arguments and fails.
TEST(CustomSource, RoundsSumsAndProductsSeparately) {
  TemporaryFolder folder;
  llvm::cantFail(folder.createInSystem());
  targets::Tool compiler{
      "", {"/bin/sh", "-c", "echo \"$@\"; exit 1", "cc", "-ffp-contract=fast"}, {}};
  std::string object = folder.file("f.o");
  llvm::Error error = compileCustomSource(compiler, "f.c", object, {"-Ix"});
  EXPECT_EQ(llvm::toString(std::move(error)),
            "the C file 'f.c' of a custom op does not compile: -ffp-contract=fast -Ix -std=c11 "
            "-ffp-contract=off -c -o " +
                object + " f.c");
}

} // namespace
