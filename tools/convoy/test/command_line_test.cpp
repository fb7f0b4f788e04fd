// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the driver as a user runs it: arguments in, text and exit code out.

#include "Import/OpTable.h"
#include "Import/OpVersions.h"
#include "Targets/Target.h"
#include "io/InputData.h"
#include "io/Npy.h"
#include "io/OnnxData.h"
#include "tools/convoy/output/Results.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::tool;

namespace {

struct CommandLineTest : tool::test::DriverCase {
  std::string relu() { return model(convoy::test::unaryModel("Relu", {"1", "3"})); }

  std::string npy(const std::vector<float> &values) {
    Tensor tensor(ElementType::F32, {1, static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.mutableData<float>());
    return folder.write("x.npy", io::encodeNpy(tensor));
  }
};

TEST_F(CommandLineTest, NamesTheVerbs) {
  EXPECT_EQ(convoy({"fly"}), kUserError);
  EXPECT_EQ(err,
            "error: unknown verb 'fly'; expected compile, run, check, reduce, bench, quantize, "
            "tune, explain, inspect, verify, ops, targets, sweep, records, service\n");
}

TEST_F(CommandLineTest, PointsToTheHelpOfTheVerb) {
  EXPECT_EQ(convoy({"run"}), kUserError);
  EXPECT_EQ(err, "error: MODEL is required\nsee `convoy run --help`\n");
  EXPECT_EQ(convoy({"run", "a.onnx", "--color", "green"}), kUserError);
  EXPECT_EQ(err, "error: --color: expected rgb, bgr or gray, got 'green'\n"
                 "see `convoy run --help`\n");
  EXPECT_EQ(convoy({"run", "a.onnx", "--mean", "1,x"}), kUserError);
  EXPECT_EQ(err, "error: --mean: expected a number or a list of numbers such as 0.5,0.5,0.5, got "
                 "'1,x'\nsee `convoy run --help`\n");
}

TEST_F(CommandLineTest, HidesRareFlagsFromTheShortHelp) {
  EXPECT_EQ(convoy({"run", "--help"}), kDone);
  EXPECT_NE(out.find("--labels"), std::string::npos);
  EXPECT_EQ(out.find("--image-layout"), std::string::npos);
  EXPECT_EQ(convoy({"run", "--help-all"}), kDone);
  EXPECT_NE(out.find("--image-layout"), std::string::npos);
}

TEST_F(CommandLineTest, ReportsAMissingModel) {
  EXPECT_EQ(convoy({"inspect", "none.onnx"}), kUserError);
  EXPECT_EQ(err, "error: cannot read model 'none.onnx': No such file or directory\n");
}

TEST_F(CommandLineTest, ReportsAScheduleThatCannotBeWrittenWithoutShowingCode) {
  EXPECT_EQ(convoy({"compile", relu(), "--threads", "2", "--report", "/proc/none/page.html", "-o",
                    folder.file("out")}),
            kUserError);
  EXPECT_EQ(err, "error: --report: cannot write '/proc/none': No such file or directory\n");
}

TEST_F(CommandLineTest, SchedulesByMeasuredTimes) {
  auto compile = [&](llvm::StringRef times, llvm::StringRef threads) {
    return convoy({"compile", model(convoy::test::unaryModel("Exp", {"64", "4096"})), "--threads",
                   threads.str(), "--kernel-times", times.str(), "-o", folder.file("out"),
                   "--json"});
  };
  // 0.5 s on one thread is 0.25 s on two.
  std::string times = folder.write("times.json", R"([{"kernel": "unary_0", "ms": 400},
                                                     {"kernel": "unary_0", "ms": 600}])");
  EXPECT_EQ(compile(times, "2"), kDone) << err;
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(out));
  const llvm::json::Object *schedule = json.getAsObject()->getObject("schedule");
  ASSERT_TRUE(schedule) << out;
  EXPECT_EQ(schedule->getNumber("serial_ms"), 500);
  EXPECT_NEAR(*schedule->getNumber("predicted_ms"), 250, 1);

  EXPECT_EQ(compile(times, "1"), kUserError);
  EXPECT_EQ(err, "error: --kernel-times expects several threads, got one; add "
                 "--threads=N\n");
  std::string other = folder.write("other.json", R"([{"kernel": "conv_0", "ms": 1}])");
  EXPECT_EQ(compile(other, "2"), kUserError);
  EXPECT_EQ(err,
            "error: no kernel of the model has a measured time; measure the same model with the "
            "same target and options\n");
  EXPECT_EQ(compile("none.json", "2"), kUserError);
  EXPECT_EQ(
      err,
      "error: --kernel-times: kernel times 'none.json': cannot be read: No such file or directory; "
      "`convoy bench MODEL --layers --json=FILE` writes them\n");
  std::string wrong = folder.write("wrong.json", R"([{"kernel": "unary_0"}])");
  EXPECT_EQ(compile(wrong, "2"), kUserError);
  EXPECT_EQ(err, "error: --kernel-times: kernel times '" + wrong +
                     "': expected each entry to have a \"kernel\" and its \"ms\"; "
                     "`convoy bench MODEL --layers --json=FILE` writes them\n");
}

TEST_F(CommandLineTest, TakesTheCompilerOfTheEnvironment) {
  ::setenv("CC", "no-such-compiler", 1);
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({-1, 2, 3}), "--target", "c"}), kUserError);
  ::unsetenv("CC");
  EXPECT_NE(err.find("the C compiler 'no-such-compiler', which the environment variable CC or the "
                     "request names, is not on the path"),
            std::string::npos)
      << err;
}

TEST_F(CommandLineTest, PassesTheFeaturesOfTheHostToTheCompilerOfC) {
  std::string arguments = folder.file("arguments.txt");
  std::string compiler = folder.write("cc", "#!/bin/sh\necho \"$@\" >" + arguments + "\nexit 1\n");
  ASSERT_FALSE(llvm::sys::fs::setPermissions(compiler, llvm::sys::fs::perms::owner_all));
  ::setenv("CC", compiler.c_str(), 1);
  EXPECT_NE(convoy({"run", relu(), "--input", npy({-1, 2, 3}), "--target", "c"}), kDone);
  ::unsetenv("CC");
  auto passed = llvm::MemoryBuffer::getFile(arguments);
  ASSERT_TRUE(passed) << err;
  // -march=native must not appear: clang 19 warns about CPUs that it supports only in part, and the
  // code needs only the features of its target.
  EXPECT_FALSE((*passed)->getBuffer().contains("native")) << (*passed)->getBuffer().str();
  for (llvm::StringRef flag : targets::detectHost().sourceCompiler) {
    EXPECT_EQ((*passed)->getBuffer().contains((" " + flag + " ").str()), flag.starts_with("-m"))
        << flag.str() << " in " << (*passed)->getBuffer().str();
  }
}

TEST_F(CommandLineTest, NamesTheCompilerOfTheSource) {
  std::string output = folder.file("out");
  EXPECT_EQ(convoy({"compile", relu(), "--emit=c", "--target=x86-64-v3", "-o", output}), kDone);
  EXPECT_NE(out.find("\ncompiler   clang-19 -march=x86-64-v3 -O3\n"), std::string::npos) << out;
  EXPECT_EQ(convoy({"compile", relu(), "--emit=c", "--json", "-o", output}), kDone);
  auto facts = llvm::json::parse(out);
  ASSERT_TRUE(bool(facts)) << llvm::toString(facts.takeError());
  const llvm::json::Array *command = facts->getAsObject()->getArray("source_compiler");
  ASSERT_TRUE(command) << out;
  EXPECT_EQ(*command, llvm::json::Array(targets::detectHost().sourceCompiler));
}

TEST_F(CommandLineTest, ReportsRecordsThatAreMissing) {
  EXPECT_EQ(convoy({"compile", relu(), "--records", "none.db", "-o", folder.file("out")}),
            kUserError);
  EXPECT_NE(err.find("none.db"), std::string::npos) << err;
}

TEST_F(CommandLineTest, PutsDataIntoTheTestBench) {
  std::string input = "x=" + npy({-1, 2, 37});
  EXPECT_EQ(convoy({"compile", relu(), "--input", input, "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, "error: --input is the data of a test bench; add --emit=c --with-test\n");
  EXPECT_EQ(convoy({"compile", relu(), "--emit=c", "--with-test", "--input", input, "-o",
                    folder.file("out")}),
            kDone)
      << err;
  auto bench = llvm::MemoryBuffer::getFile(folder.file("out/model_test.c"));
  ASSERT_TRUE(bench);
  EXPECT_TRUE((*bench)->getBuffer().contains("37.0f")) << (*bench)->getBuffer().str();
}

TEST_F(CommandLineTest, RunsAModel) {
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({-1, 2, 3}), "--target", "reference"}), kDone);
  EXPECT_EQ(err, "");
  EXPECT_EQ(out.rfind("y: float 1x3\n  0 2 3\nran model on reference in ", 0), 0u) << out;
}

TEST_F(CommandLineTest, PrintsTheTopWithLabels) {
  std::string labels = folder.write("labels.txt", "cat\r\ndog\nfox\n");
  EXPECT_EQ(convoy({"run", relu(), "--input", "x=" + npy({-1, 2, 3}), "--target", "reference",
                    "--top", "2", "--class-names", labels}),
            kDone);
  EXPECT_EQ(out.rfind("y: float 1x3\n  2  3  fox\n  1  2  dog\n", 0), 0u) << out;
}

TEST_F(CommandLineTest, PrintsJson) {
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({-1, 2, 3}), "--target", "reference", "--json"}),
            kDone);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(out);
  ASSERT_TRUE(bool(value)) << out;
  const llvm::json::Object &output = *(*value->getAsObject()->getArray("outputs"))[0].getAsObject();
  EXPECT_EQ(output.getString("name"), "y");
  EXPECT_EQ(*output.getArray("elements"), (llvm::json::Array{0.0, 2.0, 3.0}));
}

TEST_F(CommandLineTest, WritesOutputs) {
  EXPECT_EQ(convoy({"run", relu(), "--input", npy({-1, 2, 3}), "--target", "reference", "--output",
                    folder.file("out")}),
            kDone);
  llvm::Expected<Tensor> npy = io::readNpy(folder.file("out/y.npy"));
  ASSERT_TRUE(bool(npy));
  EXPECT_EQ(npy->data<float>()[2], 3);
  EXPECT_EQ(convoy({"run", relu(), "--input", folder.file("x.npy"), "--target", "reference",
                    "--output", folder.file("out"), "--output-format", "pb"}),
            kDone);
  llvm::Expected<Tensor> pb = io::readOnnxTensor(folder.file("out/y.pb"));
  ASSERT_TRUE(bool(pb));
  EXPECT_EQ(pb->data<float>()[1], 2);
}

TEST_F(CommandLineTest, ListsEveryProblemAtOnce) {
  EXPECT_EQ(convoy({"run", relu(), "--target", "moon", "--input", "z=a.npy", "--dim", "n",
                    "--input-shape", "q:1x3", "--const", "w=1.pb"}),
            kUserError);
  EXPECT_EQ(err,
            "error: --target: unknown target 'moon'; expected one of host, x86-64-v2, x86-64-v3, "
            "x86-64-v4, aarch64, aarch64-dotprod, aarch64-i8mm, rv64gcv-256, rv64gcv-1024, ve, "
            "cortex-m0plus, cortex-m3, cortex-m4, cortex-m7, cortex-m33, cortex-m55, cortex-m85, "
            "rv32imc, rv32imafc, "
            "rv32imc-zve32x, c, c-plain, reference, "
            "abstract, bm1880, example, nvdla-small, nvdla-small-256, nvdla-medium-512, "
            "nvdla-large, nvdla-full, or the path of a .json file\n"
            "error: --input-shape: the model has no input 'q'; it has 'x'\n"
            "error: --dim 'n' is not of the form NAME=SIZE\n"
            "error: --const: the model has no input 'w'; it has 'x'\n"
            "error: --input: the model has no input 'z'; it has 'x'\n"
            "error: no data for input 'x' (float 1x3); add --input x=FILE or --input "
            "random\n");
}

TEST_F(CommandLineTest, DescribesTargetsToPrograms) {
  ASSERT_EQ(convoy({"targets", "--json"}), kDone) << err;
  llvm::Expected<llvm::json::Value> listed = llvm::json::parse(out);
  ASSERT_TRUE(bool(listed)) << llvm::toString(listed.takeError());
  std::vector<std::string> names;
  for (const llvm::json::Value &target : *listed->getAsArray()) {
    names.push_back(target.getAsObject()->getString("name").value_or("").str());
    EXPECT_FALSE(target.getAsObject()->getString("summary").value_or("").empty()) << names.back();
  }
  EXPECT_EQ(llvm::join(names, ", "),
            "host, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, aarch64-dotprod, aarch64-i8mm, "
            "rv64gcv-256, rv64gcv-1024, ve, "
            "cortex-m0plus, cortex-m3, cortex-m4, cortex-m7, cortex-m33, cortex-m55, cortex-m85, "
            "rv32imc, rv32imafc, rv32imc-zve32x, c, "
            "c-plain, reference, abstract, bm1880, example, nvdla-small, nvdla-small-256, "
            "nvdla-medium-512, nvdla-large, nvdla-full");
}

TEST_F(CommandLineTest, RejectsDataThatDoesNotFit) {
  std::string x = npy({1, 2});
  EXPECT_EQ(convoy({"run", relu(), "--input", x, "--target", "reference"}), kUserError);
  EXPECT_EQ(
      err,
      "error: input 'x' has size 3 in dimension 1, but --input-shape or the input data has 2\n");
  Tensor bytes(ElementType::U8, {1, 3});
  x = folder.write("x.npy", io::encodeNpy(bytes));
  EXPECT_EQ(convoy({"run", relu(), "--input", x, "--target", "reference"}), kUserError);
  EXPECT_EQ(err, "error: --input: '" + x + "' contains uint8, input 'x' expects float\n");
  std::string raw = folder.write("x.raw", "1234");
  EXPECT_EQ(convoy({"run", relu(), "--input", raw, "--target", "reference"}), kUserError);
  EXPECT_EQ(err, "error: --input: '" + raw + "' has 4 bytes, the input is float 1x3\n");
  EXPECT_EQ(
      convoy({"run", relu(), "--input", "random", "--input", "random", "--target", "reference"}),
      kUserError);
  EXPECT_EQ(err, "error: --input 'random': every input of the model already has data: 'x'\n");
}

TEST_F(CommandLineTest, LeavesTheSizeOfAnOpenDimensionToTheUser) {
  std::string image = model(convoy::test::unaryModel("Relu", {"batch", "3", "48", "width"}));
  EXPECT_EQ(convoy({"compile", image, "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, "error: input 'x' has dynamic dimensions; set their sizes with --input-shape "
                 "x:1x3x48xW or --dim batch=1 --dim width=W; replace W by a size that the model "
                 "accepts\n");
  EXPECT_EQ(convoy({"compile", image, "--input-shape", "x:1x3x48x160", "-o", folder.file("out")}),
            kDone)
      << err;
}

TEST_F(CommandLineTest, AMissingFileOfWeightsIsOneError) {
  onnx::ModelProto proto = convoy::test::unaryModel("Relu", {"1", "3"});
  for (const char *name : {"v", "w"}) {
    onnx::TensorProto &tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_dims(2);
    tensor.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto &location = *tensor.add_external_data();
    location.set_key("location");
    location.set_value("model.data");
  }
  EXPECT_EQ(convoy({"compile", model(proto), "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, "error: tensor 'v' has external data 'model.data': No such file or directory; "
                 "copy the file into the model's directory\n");
}

TEST_F(CommandLineTest, InputsWithTheSameOpenDimensionsAreOneError) {
  onnx::ModelProto proto = convoy::test::unaryModel("Relu", {"batch", "length"});
  for (const char *name : {"k", "l", "m"}) {
    convoy::test::setType(*proto.mutable_graph()->add_input(), name, onnx::TensorProto::FLOAT,
                          {"batch", "length"});
  }
  convoy::test::setType(*proto.mutable_graph()->add_input(), "n", onnx::TensorProto::FLOAT,
                        {"batch", "past"});
  EXPECT_EQ(convoy({"compile", model(proto), "-o", folder.file("out")}), kUserError);
  EXPECT_EQ(err, "error: 4 inputs ('x', 'k', 'l', ...) have dynamic dimensions; set their sizes "
                 "with --dim batch=1 --dim length=D1; replace D1 by a size that the model accepts\n"
                 "error: input 'n' has dynamic dimensions; set their sizes with --input-shape "
                 "n:1xD1 or --dim batch=1 --dim past=D1; replace D1 by a size that the model "
                 "accepts\n");
}

TEST_F(CommandLineTest, ShowsTheFlagThatPinsADimension) {
  std::string path = model(convoy::test::unaryModel("Relu", {"batch", "3"}));
  EXPECT_EQ(convoy({"run", path, "--input", "random", "--target", "reference"}), kDone) << err;
  EXPECT_EQ(out.rfind("y: float 1x3\n", 0), 0u); // a lone open batch is 1
  EXPECT_EQ(convoy({"compile", path, "-o", folder.file("out")}), kDone) << err;
  EXPECT_EQ(err, "warning: input 'x' has an open batch, which is compiled as 1; set another size "
                 "with --dim batch=1\n");
  EXPECT_EQ(convoy({"run", path, "--input", "random", "--target", "reference", "--dim", "batch=2"}),
            kDone);
  EXPECT_EQ(out.rfind("y: float 2x3\n", 0), 0u);
  EXPECT_EQ(convoy({"run", path, "--input", "random", "--target", "reference", "--dim", "n=2"}),
            kUserError);
  EXPECT_EQ(err.rfind("error: --dim: no input has a dimension 'n'; named dimensions are "
                      "'batch'\n",
                      0),
            0u);
}

TEST_F(CommandLineTest, UnsupportedIsExitCode2AndNamesTheNode) {
  std::string path = model(convoy::test::unaryModel("NoSuchOp", {"1"}));
  EXPECT_EQ(convoy({"run", path, "--input", "random", "--target", "reference"}), kUnsupported);
  EXPECT_EQ(err.rfind("error: node 'the_node' (NoSuchOp): not supported: ", 0), 0u) << err;
}

TEST_F(CommandLineTest, RandomDataDependsOnTheSeedOnly) {
  Tensor a = io::randomTensor(ElementType::F32, {4}, 7),
         b = io::randomTensor(ElementType::F32, {4}, 7),
         c = io::randomTensor(ElementType::F32, {4}, 8);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(a.data<float>()[i], b.data<float>()[i]);
    EXPECT_NE(a.data<float>()[i], c.data<float>()[i]);
    EXPECT_GE(a.data<float>()[i], 0);
    EXPECT_LT(a.data<float>()[i], 1);
  }
}

TEST_F(CommandLineTest, ChecksGoldens) {
  Tensor x(ElementType::F32, {1, 3}), y(ElementType::F32, {1, 3});
  x.setDouble(0, 5);
  y.setDouble(0, 5.001);
  std::string path = relu();
  ASSERT_FALSE(llvm::sys::fs::create_directory(folder.file("case")));
  ASSERT_FALSE(bool(io::writeOnnxTensor(folder.file("case/input_0.pb"), "x", x)));
  ASSERT_FALSE(bool(io::writeOnnxTensor(folder.file("case/output_0.pb"), "y", y)));
  // The folder itself, and its parent folder.
  EXPECT_EQ(convoy({"check", path, "--golden", folder.file("case"), "--target", "reference"}),
            kDone);
  EXPECT_EQ(convoy({"check", path, "--golden", folder.file(""), "--target", "reference"}), kDone);
  EXPECT_EQ(out, "rule: float model: |a - b| <= 1e-4 + 1e-3 |b|\n"
                 "ok    reference case 'y': max |error| 0.001\n"
                 "check of model passed: 1 of 1 outputs agree with the golden data\n");
  y.setDouble(0, 6);
  ASSERT_FALSE(bool(io::writeOnnxTensor(folder.file("case/output_0.pb"), "y", y)));
  EXPECT_EQ(convoy({"check", path, "--golden", folder.file("case"), "--target", "reference"}),
            kUserError);
  EXPECT_EQ(out, "rule: float model: |a - b| <= 1e-4 + 1e-3 |b|\n"
                 "WRONG reference case 'y': is 5 at [0, 0], expected 6 (1 of 3 elements differ)\n"
                 "check of model FAILED: 0 of 1 outputs agree with the golden data\n");
}

TEST_F(CommandLineTest, CheckSaysWhenThereIsNoGolden) {
  EXPECT_EQ(convoy({"check", relu(), "--golden", folder.file("no"), "--target", "reference"}),
            kUserError);
  EXPECT_EQ(err, "error: --golden: '" + folder.file("no") +
                     "' contains no output_0.pb; a golden folder has input_N.pb and output_N.pb\n");
  EXPECT_EQ(out, "check of " + folder.file("model.onnx") + " not completed\n");
}

TEST_F(CommandLineTest, InspectCountsNodesAndShowsShapes) {
  EXPECT_EQ(convoy({"inspect", relu()}), kDone);
  EXPECT_NE(out.find("input       x: float [1, 3]  -> float 1x3\n"), std::string::npos) << out;
  EXPECT_NE(out.find("nodes       1\n  1  Relu\n"), std::string::npos) << out;
  EXPECT_EQ(convoy({"inspect", relu(), "--json"}), kDone);
  EXPECT_TRUE(bool(llvm::json::parse(out)));
}

TEST_F(CommandLineTest, EveryOpHasItsOpsetsAndOneRow) {
  const import::OpRow *before = nullptr;
  for (const import::OpRow *row : import::allOps()) {
    EXPECT_TRUE(import::findOpVersions(row->domain, row->name))
        << "add " << row->name.str() << " to compiler/Import/OpVersions.inc";
    EXPECT_FALSE(before && before->domain == row->domain && before->name == row->name)
        << row->name.str() << " has two rows";
    before = row;
  }
  EXPECT_EQ(convoy({"ops", "--markdown"}), kDone);
  EXPECT_NE(out.find("| ai.onnx | Abs | 1, 6, 13 | yes | yes |"), std::string::npos);
  EXPECT_NE(
      out.find("| ai.onnx | Gather | 1, 11, 13 | yes | yes | an index out of range is an "
               "error on the reference interpreter; on host it reads the nearest valid element |"),
      std::string::npos);
}

TEST(Results, TopIsStableAndSurvivesNaN) {
  Tensor tensor(ElementType::F32, {5});
  for (auto [i, value] : llvm::enumerate(std::vector<double>{1, NAN, 3, 3, -1})) {
    tensor.setDouble(static_cast<int64_t>(i), value);
  }
  EXPECT_EQ(topIndices(tensor, 5), (std::vector<int64_t>{2, 3, 0, 4, 1}));
  EXPECT_EQ(topIndices(tensor, 2), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(topIndices(tensor, 9).size(), 5u);
}

} // namespace
