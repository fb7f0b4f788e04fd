// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests `convoy bench` without a baseline and with a stand-in for ONNX Runtime: the text of errors,
// the content of the JSON, and the counts. tests/perf tests the verb with ONNX Runtime.

#include "Targets/Target.h"
#include "timing/BenchReport.h"
#include "timing/MeasureProgram.h"
#include "tools/convoy/test/DriverCase.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <set>

using namespace convoy;
using namespace convoy::timing;
using namespace convoy::tool;

namespace {

struct BenchTest : tool::test::DriverCase {
  /// Writes y = Relu(Conv(x, w)): 8 channels of 6 x 6 from 4 channels of 8 x 8.
  std::string conv() {
    onnx::ModelProto proto = convoy::test::unaryModel("Conv", {"1", "4", "8", "8"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    graph.mutable_node(0)->add_input("w");
    graph.mutable_node(0)->set_output(0, "c");
    onnx::NodeProto &relu = *graph.add_node();
    relu.set_op_type("Relu");
    relu.set_name("the_relu");
    relu.add_input("c");
    relu.add_output("y");
    convoy::test::setType(*graph.mutable_output(0), "y", onnx::TensorProto::FLOAT,
                          {"1", "8", "6", "6"});
    onnx::TensorProto &weight = *graph.add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t size : {8, 4, 3, 3}) {
      weight.add_dims(size);
    }
    for (int i = 0; i < 8 * 4 * 9; ++i) {
      weight.add_float_data(0.01F * static_cast<float>(i % 7));
    }
    return model(proto);
  }

  llvm::json::Array readJson(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    EXPECT_TRUE(bool(buffer)) << path;
    auto value = llvm::json::parse(buffer ? (*buffer)->getBuffer() : "");
    EXPECT_TRUE(value && value->getAsArray());
    return value ? *value->getAsArray() : llvm::json::Array();
  }
};

TEST_F(BenchTest, CountsInstructionsOfAMicrocontroller) {
  EXPECT_EQ(convoy({"bench", conv(), "--target=cortex-m55", "--streams=2"}), kUserError);
  EXPECT_EQ(err, "error: --target cortex-m55 is a microcontroller: `convoy bench` counts "
                 "instructions of one thread and accepts none of --baseline, --hot, "
                 "--kernel-times, --streams and --trace\n");
  ASSERT_EQ(convoy({"targets", "cortex-m55"}), kDone) << err;
  if (out.find("bench") == std::string::npos) {
    GTEST_SKIP() << "needs gcc-arm-none-eabi and qemu-system-arm";
  }
  ASSERT_EQ(convoy({"bench", conv(), "--target=cortex-m55", "--layers"}), kDone) << err;
  EXPECT_NE(out.find(" on cortex-m55, compiled by arm-none-eabi-gcc "), std::string::npos) << out;
  EXPECT_NE(out.find("between layers"), std::string::npos) << out;
  EXPECT_NE(out.find("10,368"), std::string::npos) << "8 x 6 x 6 x 36 multiply-adds" << out;
  // A compiler that writes no stack usage.
  targets::Target board = llvm::cantFail(targets::findTarget("cortex-m55"));
  std::vector<std::string> &command = board.toolchain->compilers.front().command;
  command.insert(command.begin(), "env");
  std::error_code failure;
  llvm::raw_fd_ostream(folder.file("board.json"), failure) << targets::toJson(board);
  ASSERT_FALSE(failure);
  ASSERT_EQ(convoy({"bench", conv(), "--target=" + folder.file("board.json"), "--allow-toolchain",
                    "--json"}),
            kDone)
      << err;
  EXPECT_NE(err.find("contains the stack of 4096 bytes in the target's description: the compiler "
                     "'env' writes no stack usage; use gcc or clang"),
            std::string::npos)
      << err;
  EXPECT_NE(out.find("\"stack_bytes\": null"), std::string::npos) << out;
}

std::set<std::string> keysOf(const llvm::json::Object &object) {
  std::set<std::string> keys;
  for (const auto &entry : object) {
    keys.insert(entry.first.str());
  }
  return keys;
}

TEST_F(BenchTest, TellsWrongFlags) {
  EXPECT_EQ(convoy({"bench"}), kUserError);
  EXPECT_EQ(err, "error: `convoy bench` expects one of models, --matrix FILE and --compare A.json "
                 "B.json, got none\n");
  for (const char *threads : {"0", "2,x", "1,", "-1"}) {
    EXPECT_EQ(convoy({"bench", "a.onnx", std::string("--threads=") + threads}), kUserError);
    EXPECT_EQ(err, std::string("error: --threads: expected integers from 1 to 1024 such as 1,2, "
                               "got '") +
                       threads + "'\nsee `convoy bench --help`\n");
  }
  EXPECT_EQ(convoy({"bench", "a.onnx", "--baseline", "torch"}), kUserError);
  EXPECT_EQ(err,
            "error: --baseline: expected onnxruntime, got 'torch'\nsee `convoy bench --help`\n");
}

TEST_F(BenchTest, ListsFlagsThatDoNotGoTogether) {
  EXPECT_EQ(convoy({"bench", "a.onnx", "--layers", "--baseline", "onnxruntime",
                    "--baseline-library", "none.so"}),
            kUserError);
  EXPECT_EQ(err,
            "error: --layers measures kernels of the compiled model and cannot be combined with "
            "--baseline\n"
            "error: --baseline-library: there is no file 'none.so'\n");
  EXPECT_EQ(convoy({"bench", "a.onnx", "--layers", "--streams=2"}), kUserError);
  EXPECT_EQ(err, "error: --layers measures each kernel and cannot be combined with --streams or "
                 "--trace\n");
  EXPECT_EQ(convoy({"bench", "a.onnx", "--hot", "--baseline-library", "none.so"}), kUserError);
  EXPECT_EQ(err, "error: --hot measures kernels and needs --layers\n"
                 "error: --baseline-library needs --baseline onnxruntime\n");
}

TEST_F(BenchTest, NeedsACorePerThread) {
  EXPECT_EQ(convoy({"bench", "a.onnx", "--threads", "1,1024"}), kUserError);
  EXPECT_EQ(err.rfind("error: --threads 1024: each thread is pinned to a separate core, and this "
                      "process may use ",
                      0),
            0u)
      << err;
}

TEST_F(BenchTest, RefusesATargetThatCannotRunHere) {
  targets::Target target = targets::detectHost();
  target.name = "tomorrow";
  target.features.push_back("warp");
  std::string path = folder.write("tomorrow.json", targets::toJson(target));
  EXPECT_EQ(convoy({"bench", "a.onnx", "--target", path}), kUserError);
  EXPECT_EQ(err, "error: --target " + path + " cannot be measured here: this CPU lacks warp\n");
  EXPECT_EQ(convoy({"bench", "a.onnx", "--target", "moon"}), kUserError);
  EXPECT_EQ(err.rfind("error: ", 0), 0u);
  EXPECT_NE(err.find("'moon'"), std::string::npos) << err;
}

TEST_F(BenchTest, SaysHowToInstallThePeer) {
  llvm::Expected<std::string> found = findOnnxRuntime(folder.file("peers"));
  ASSERT_FALSE(bool(found));
  EXPECT_EQ(llvm::toString(found.takeError()),
            "--baseline onnxruntime: libonnxruntime.so.1 not found in '" + folder.file("peers") +
                "'; install it with scripts/install-deps.sh --bench, or pass its path with "
                "--baseline-library");
}

TEST_F(BenchTest, FindsThePeerWhateverTheVersionOfNodesInterface) {
#if defined(__aarch64__)
  std::string machine = "arm64";
#else
  std::string machine = "x64";
#endif
  std::string place = "peers/node_modules/onnxruntime-node/bin/napi-v9/linux/" + machine;
  ASSERT_FALSE(llvm::sys::fs::create_directories(folder.file(place)));
  std::string library = folder.write(place + "/libonnxruntime.so.1", "");
  llvm::Expected<std::string> found = findOnnxRuntime(folder.file("peers"));
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  EXPECT_EQ(*found, library);
}

TEST_F(BenchTest, ReportsAModelThatCannotBeRead) {
  EXPECT_EQ(convoy({"bench", "none.onnx", "--repetitions", "1"}), kUserError);
  EXPECT_EQ(err, "error: cannot read model 'none.onnx': No such file or directory\n");
  EXPECT_EQ(out, "");
}

TEST_F(BenchTest, SaysWhenThePeerIsNotWhatItShouldBe) {
  std::string fake = folder.write("libonnxruntime.so.1", "no library");
  EXPECT_EQ(convoy({"bench", conv(), "--repetitions", "1", "--baseline", "onnxruntime",
                    "--baseline-library", fake}),
            kUserError);
  EXPECT_EQ(err.rfind("error: " + folder.file("model.onnx") +
                          ": measuring failed: cannot load ONNX Runtime: ",
                      0),
            0u)
      << err;
}

TEST_F(BenchTest, WritesTheDocumentedJson) {
  std::string file = folder.file("bench.json");
  ASSERT_EQ(convoy({"bench", conv(), "--repetitions", "3", "--json=" + file}), kDone) << err;
  // Only warnings about a busy machine are allowed.
  EXPECT_EQ(err.find("error"), std::string::npos) << err;
  EXPECT_EQ(
      out.rfind("model  threads  convoy ms  GFLOP/s  of peak  load ms  first ms  peak RSS MB\n"
                "model        1  ",
                0),
      0u)
      << out;
  llvm::json::Array list = readJson(file);
  ASSERT_EQ(list.size(), 1u);
  const llvm::json::Object &row = *list[0].getAsObject();
  EXPECT_EQ(keysOf(row),
            (std::set<std::string>{
                "model",           "threads",        "built",         "convoy_threads",
                "convoy_ms",       "peer_ms",        "ratio",         "ratio_low",
                "ratio_high",      "convoy_cpu_ms",  "peer_cpu_ms",   "cpu_ratio",
                "cpu_ratio_low",   "cpu_ratio_high", "gflop",         "gflops",
                "peak_gflops",     "peak_share",     "peak_spread",   "load_ms",
                "peer_load_ms",    "first_ms",       "peer_first_ms", "rss_mb",
                "peer_rss_mb",     "relative_error", "plain_error",   "peer_own_error",
                "right",           "samples_ms",     "latency",       "peer_latency",
                "streams",         "weights_mb",     "read_gbs",      "compute_limit_ms",
                "weights_limit_ms"}));
  EXPECT_EQ(row.getArray("samples_ms")->size(), 3u);
  const llvm::json::Object &latency = *row.getObject("latency");
  EXPECT_GE(*latency.getInteger("runs"), 100);
  EXPECT_LE(*latency.getNumber("min_ms"), *latency.getNumber("p50_ms"));
  EXPECT_LE(*latency.getNumber("p50_ms"), *latency.getNumber("p99_ms"));
  EXPECT_LE(*latency.getNumber("p99_ms"), *latency.getNumber("max_ms"));
  EXPECT_NE(out.find("time of single inferences in ms\nmodel  threads   runs "), std::string::npos)
      << out;
  EXPECT_EQ(row.getString("model"), "model");
  EXPECT_EQ(row.getInteger("threads"), 1);
  // 8 x 6 x 6 sums of 4 x 3 x 3 products.
  EXPECT_DOUBLE_EQ(*row.getNumber("gflop"), 2 * 8 * 36 * 36e-9);
  for (const char *key :
       {"convoy_ms", "convoy_cpu_ms", "gflops", "peak_gflops", "load_ms", "first_ms", "rss_mb",
        "weights_mb", "read_gbs", "compute_limit_ms", "weights_limit_ms"}) {
    EXPECT_GT(row.getNumber(key).value_or(0), 0) << key;
  }
  EXPECT_LT(*row.getNumber("peak_share"), 1.2);
  // The measuring process needs little memory, because it does not load the compiler.
  EXPECT_LT(*row.getNumber("rss_mb"), 16);
  for (const char *key :
       {"peer_ms", "peer_cpu_ms", "cpu_ratio", "cpu_ratio_low", "cpu_ratio_high", "ratio",
        "ratio_low", "ratio_high", "peer_load_ms", "peer_first_ms", "peer_rss_mb", "relative_error",
        "plain_error", "peer_own_error", "peer_latency", "streams"}) {
    EXPECT_EQ(*row.get(key), llvm::json::Value(nullptr)) << key;
  }
}

TEST_F(BenchTest, JudgesByThePeersUnoptimizedGraph) {
  std::string file = folder.file("bench.json");
  std::string path = model(convoy::test::unaryModel("Relu", {"1", "64"}));
  auto bench = [&](const char *peer) {
    return convoy({"bench", path, "--repetitions", "1", "--json=" + file, "--baseline",
                   "onnxruntime", "--baseline-library", peer});
  };
  // Only the optimized graph, which is timed, is 3 % off.
  EXPECT_EQ(bench(FAKE_PEER_EXACT), kDone) << err;
  EXPECT_NE(out.find("  differs by 0, onnxruntime from itself by 0.03\n"), std::string::npos)
      << out;
  llvm::json::Array list = readJson(file);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_NEAR(*list[0].getAsObject()->getNumber("relative_error"), 0.03 / 1.03, 1e-5);
  EXPECT_EQ(*list[0].getAsObject()->getNumber("plain_error"), 0);
  EXPECT_NEAR(*list[0].getAsObject()->getNumber("peer_own_error"), 0.03, 1e-5);
  EXPECT_EQ(list[0].getAsObject()->getBoolean("right"), true);

  // Rounding changes the peer's output by only 2^-20.
  EXPECT_EQ(bench(FAKE_PEER_WRONG), kUserError);
  EXPECT_NE(err.find("error: WRONG RESULT: outputs of model on 1 threads differ from onnxruntime's "
                     "by 0.0291 (relative L2), from those of its unoptimized graph by 0.0291, and "
                     "onnxruntime differs from itself by 9."),
            std::string::npos)
      << err;
  EXPECT_EQ(readJson(file)[0].getAsObject()->getBoolean("right"), false);
}

TEST_F(BenchTest, MeasuresACompiledLibrary) {
  std::string file = folder.file("bench.json");
  std::string path = model(convoy::test::unaryModel("Relu", {"1", "64"}));
  // A library of `bench --layers` has probes, a library of `compile` has none.
  ASSERT_EQ(convoy({"bench", path, "--layers", "--repetitions=1", "-o", folder.file("probed")}),
            kDone)
      << err;
  ASSERT_EQ(convoy({"compile", path, "-o", folder.file("plain")}), kDone) << err;
  for (const char *kind : {"probed", "plain"}) {
    ASSERT_EQ(convoy({"bench", folder.file(std::string(kind) + "/model.so"), "--repetitions=2",
                      "--json=" + file, "--baseline=onnxruntime", "--baseline-library",
                      FAKE_PEER_EXACT, "--baseline-model", path}),
              kDone)
        << err;
    llvm::json::Array list = readJson(file);
    ASSERT_EQ(list.size(), 1u);
    const llvm::json::Object &row = *list[0].getAsObject();
    EXPECT_EQ(row.getString("model"), "model");
    EXPECT_GT(*row.getNumber("convoy_ms"), 0);
    EXPECT_GT(*row.getNumber("cpu_ratio"), 0);
    EXPECT_NEAR(*row.getNumber("plain_error"), 0, 1e-6);
  }
}

TEST_F(BenchTest, RefusesFlagsThatALibraryCannotHave) {
  std::string path = model(convoy::test::unaryModel("Relu", {"1", "64"}));
  ASSERT_EQ(convoy({"compile", path, "--threads=2", "-o", folder.file("out")}), kDone) << err;
  std::string library = folder.file("out/model.so");
  EXPECT_EQ(convoy({"bench", library, "--layers", "--math=strict", "--baseline=onnxruntime",
                    "--baseline-library", FAKE_PEER_EXACT}),
            kUserError);
  EXPECT_NE(err.find("error: --layers needs the ONNX model, got the compiled library '" + library +
                     "'\nerror: --math needs the ONNX model"),
            std::string::npos)
      << err;
  EXPECT_NE(err.find("error: --baseline: the library '" + library +
                     "' does not contain its ONNX model; add --baseline-model FILE\n"),
            std::string::npos)
      << err;
  EXPECT_EQ(convoy({"bench", path, "--baseline-model", path}), kUserError);
  EXPECT_EQ(err, "error: --baseline-model needs --baseline and one compiled library\n");
  EXPECT_EQ(convoy({"bench", folder.file("none.so")}), kUserError);
  EXPECT_NE(err.find("none.so"), std::string::npos) << err;
}

TEST_F(BenchTest, OtherOutputsSpellTheNodesOfAKernelAlike) {
  std::string page = folder.file("schedule.html");
  ASSERT_EQ(convoy({"compile", conv(), "--threads=2", "--report", page, "--json", "-o",
                    folder.file("out")}),
            kDone)
      << err;
  EXPECT_NE(out.find("\"nodes\": \"'the_node' (Conv) + 'the_relu' (Relu)\""), std::string::npos)
      << out;
  std::string html = (*llvm::MemoryBuffer::getFile(page))->getBuffer().str();
  EXPECT_NE(html.find("(Conv) + "), std::string::npos);
  ASSERT_EQ(convoy({"compile", conv(), "--emit=c", "-o", folder.file("out")}), kDone) << err;
  std::string source =
      (*llvm::MemoryBuffer::getFile(folder.file("out/model.c")))->getBuffer().str();
  EXPECT_NE(source.find("'the_node' (Conv) + 'the_relu' (Relu)"), std::string::npos);
}

TEST_F(BenchTest, TimesEachKernel) {
  std::string file = folder.file("layers.json");
  for (const char *mode : {"--layers", "--hot"}) {
    ASSERT_EQ(convoy({"bench", conv(), "--repetitions", "3", "--layers", mode, "--json=" + file}),
              kDone)
        << err;
    EXPECT_EQ(err, "");
    EXPECT_EQ(out.rfind("model, 1 thread", 0), 0u) << out;
    EXPECT_NE(out.find("'the_node' (Conv) + 'the_relu' (Relu)\n"), std::string::npos) << out;
    llvm::json::Array list = readJson(file);
    ASSERT_FALSE(list.empty());
    double gflop = 0;
    bool hasRelu = false;
    EXPECT_NE(out.find("  template"), std::string::npos) << out;
    for (const llvm::json::Value &value : list) {
      const llvm::json::Object &row = *value.getAsObject();
      EXPECT_EQ(keysOf(row),
                (std::set<std::string>{"model", "threads", "layer", "kernel", "nodes", "template",
                                       "ms", "gflop", "gflops", "mb", "peak_share", "limit",
                                       "limit_ms", "read_gbs", "memory_gbs"}));
      EXPECT_GT(*row.getNumber("ms"), 0);
      EXPECT_LT(*row.getNumber("ms"), 1000);
      EXPECT_GT(*row.getNumber("mb"), 0);
      EXPECT_FALSE(row.getString("template")->empty());
      gflop += *row.getNumber("gflop");
      hasRelu |= row.getString("nodes")->contains("'the_relu' (Relu)");
    }
    EXPECT_DOUBLE_EQ(gflop, 2 * 8 * 36 * 36e-9);
    EXPECT_TRUE(hasRelu);
  }
}

TEST_F(BenchTest, MeasuresStreamsWithTheirOwnWorkspaces) {
  std::string file = folder.file("bench.json");
  ASSERT_EQ(convoy({"bench", conv(), "--repetitions=1", "--streams=2", "--json=" + file}), kDone)
      << err;
  EXPECT_NE(out.find("throughput of parallel streams\n"), std::string::npos) << out;
  llvm::json::Array list = readJson(file);
  ASSERT_EQ(list.size(), 1u);
  const llvm::json::Object &streams = *list[0].getAsObject()->getObject("streams");
  EXPECT_EQ(streams.getInteger("streams"), 2);
  for (const char *key : {"inferences_per_second", "one_stream_per_second", "scaling"}) {
    EXPECT_GT(streams.getNumber(key).value_or(0), 0) << key;
  }
  EXPECT_GE(*streams.getObject("latency")->getInteger("runs"), 8);
}

TEST_F(BenchTest, ReadsInputsAsRunDoes) {
  std::string path = model(convoy::test::unaryModel("Relu", {"n", "4"}));
  std::string data = folder.write("x.raw", std::string(3 * 4 * 4, '\0'));
  // The data determines the open dimension.
  EXPECT_EQ(convoy({"bench", path, "--repetitions=1", "--input-shape", "x:3x4", "--input", data}),
            kDone)
      << err;
  EXPECT_EQ(convoy({"bench", path, "--repetitions=1", "--input", "z=" + data}), kUserError);
  EXPECT_NE(err.find("'z'"), std::string::npos) << err;
  EXPECT_EQ(convoy({"bench", path, path, "--input", data}), kUserError);
  EXPECT_EQ(err, "error: --input is the data of one model, got 2 models\n");
}

TEST_F(BenchTest, ComparesTwoFiles) {
  auto file = [&](const char *name, const char *ms) {
    return folder.write(name, std::string(R"([{"model": "net", "threads": 1, "samples_ms": [)") +
                                  ms + "]}]");
  };
  std::string a = file("a.json", "1, 1.01, 1.02"), b = file("b.json", "2, 2.01, 2.02");
  EXPECT_EQ(convoy({"bench", "--compare", a, b}), kUserError);
  EXPECT_NE(out.find("net, 1 thread       1.01      2.01  1.990  "), std::string::npos) << out;
  EXPECT_NE(out.find("slower\n0 faster, 1 slower, 0 without a difference\n"), std::string::npos)
      << out;
  EXPECT_EQ(err, "");
  EXPECT_EQ(convoy({"bench", "--compare", b, a, "--json"}), kDone);
  EXPECT_NE(out.find("\"verdict\": \"faster\""), std::string::npos) << out;
  EXPECT_EQ(convoy({"bench", "--compare", a, a}), kDone);
  EXPECT_EQ(convoy({"bench", "--compare", a, folder.file("none.json")}), kUserError);
  EXPECT_EQ(err.rfind("error: --compare: ", 0), 0u) << err;
  EXPECT_EQ(convoy({"bench", "a.onnx", "--compare", a, b}), kUserError);
  EXPECT_EQ(err, "error: `convoy bench` expects one of models, --matrix FILE and --compare A.json "
                 "B.json, got several\n");
  EXPECT_EQ(convoy({"bench", "--compare", a, b, "--streams=2"}), kUserError);
  EXPECT_EQ(err,
            "error: --input, --data, --streams and --trace need models; for a matrix, add them "
            "to the flags in its file\n");
  EXPECT_EQ(convoy({"bench", "--compare", a}), kUserError);
}

TEST(BenchReport, WrongResultsDoNotCount) {
  BenchRow right, wrong;
  right.model = "right";
  wrong.model = "wrong";
  for (BenchRow *row : {&right, &wrong}) {
    row->convoy = {1, 1, 1, 1, 1};
    row->peer = Performance{2, 2, 1, 1, 1};
    row->ratio = {0.5, 0.4, 0.6};
    row->gflop = 0.01;
    row->peakGflops = 100;
  }
  BenchRow other = right;
  other.ratio = {2, 2, 2};
  wrong.relativeError = NAN;
  EXPECT_TRUE(right.isRight());
  EXPECT_FALSE(wrong.isRight());
  wrong.relativeError = 2e-3;
  EXPECT_FALSE(wrong.isRight());
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable(os, {right, wrong, other});
  EXPECT_EQ(text, "model  threads  convoy ms  onnxruntime ms  ratio   95 % interval  GFLOP/s  of "
                  "peak      load ms     first ms  peak RSS MB\n"
                  "right        1       1.00            2.00  0.500  0.400 .. 0.600     10.0     "
                  "10 %  1.00 / 1.00  1.00 / 1.00  1.00 / 1.00\n"
                  "wrong        1       1.00            2.00  0.500  0.400 .. 0.600     10.0     "
                  "10 %  1.00 / 1.00  1.00 / 1.00  1.00 / 1.00  WRONG RESULT, does not count\n"
                  "right        1       1.00            2.00  2.000  2.000 .. 2.000     10.0     "
                  "10 %  1.00 / 1.00  1.00 / 1.00  1.00 / 1.00\n"
                  "geometric mean of 2 ratios, 1 thread: 1.000\n");
}

TEST(BenchReport, OutputsAreRightWhereThePeersOwnAreAsFarApart) {
  BenchRow row;
  row.model = "speech";
  row.convoy = {1, 1, 1, 1, 1};
  row.peer = Performance{2, 2, 1, 1, 1};
  row.relativeError = 0.03;
  EXPECT_FALSE(row.isRight()) << "the peer's own distance is not known";
  auto isRight = [&](double plainError, double ownError) {
    row.peerSpread = PeerSpread{plainError, ownError};
    return row.isRight();
  };
  EXPECT_TRUE(isRight(0.039, 0.02));
  EXPECT_FALSE(isRight(0.041, 0.02)) << "more than twice the peer's own distance";
  EXPECT_FALSE(isRight(0.03, 1e-6)) << "a model that rounding does not move";
  EXPECT_TRUE(isRight(9e-4, 1e-6)) << "the peer's optimizations alone moved its outputs";
  EXPECT_FALSE(isRight(0.11, 0.2)) << "as far as a wrong layer";
  EXPECT_FALSE(isRight(NAN, 0.02));
  EXPECT_FALSE(isRight(0.03, NAN));
}

TEST(BenchReport, SaysHowFarThePeerIsFromItself) {
  BenchRow row;
  row.model = "speech";
  row.convoy = {1, 1, 1, 1, 1};
  row.peer = Performance{2, 2, 1, 1, 1};
  row.relativeError = 0.031;
  row.peerSpread = PeerSpread{0.029, 0.0376};
  std::string text;
  llvm::raw_string_ostream os(text);
  printTable(os, {row});
  EXPECT_NE(text.find("  differs by 0.029, onnxruntime from itself by 0.0376\n"), std::string::npos)
      << text;
  EXPECT_NE(toJson(llvm::ArrayRef(row)).find("\"peer_own_error\": 0.0376"), std::string::npos);
  row.peerSpread = PeerSpread{0.5, 0.0376};
  EXPECT_EQ(wrongResult(row),
            "WRONG RESULT: outputs of speech on 1 threads differ from onnxruntime's by 0.031 "
            "(relative L2), from those of its unoptimized graph by 0.5, and onnxruntime differs "
            "from itself by 0.0376; its ratio does not count. `convoy check` finds the wrong op");
}

TEST(BenchReport, WarnsOfABusyMachine) {
  BenchRow quiet, busy;
  quiet.peakSpread = 0.1;
  busy.model = "net";
  busy.threads = 2;
  busy.peakSpread = 0.5;
  Problems warnings = warningsOf({quiet, busy});
  ASSERT_EQ(warnings.all().size(), 1U);
  EXPECT_EQ(warnings.all().front().kind, ProblemKind::Warning);
  EXPECT_EQ(warnings.all().front().text,
            "net on 2 threads: the machine was busy: its peak varied by 50 %; measure again when "
            "it does nothing else");
}

TEST(BenchReport, LimitsFollowPeakAndBandwidth) {
  BenchRow row;
  row.gflop = 3;
  row.peakGflops = 150;
  row.built.weightsBytes = 40000000;
  row.readGbs = 10;
  EXPECT_DOUBLE_EQ(row.computeLimitMs(), 20);
  EXPECT_DOUBLE_EQ(row.weightsLimitMs(), 4);
  row.readGbs = 0; // not measured
  EXPECT_DOUBLE_EQ(row.weightsLimitMs(), 0);
}

TEST(BenchReport, RooflineTakesTheSlowerOfArithmeticAndMemory) {
  LayerReport report;
  report.peakGflops = 100;
  report.readSpeeds = {{1 << 20, 80}, {1 << 22, 40}, {1 << 24, 10}};
  KernelReport layer;
  layer.flops = 1e9;
  layer.bytes = 1 << 20;
  EXPECT_DOUBLE_EQ(report.computeMs(layer), 10);
  EXPECT_DOUBLE_EQ(report.memoryMs(layer), (1 << 20) / 80e6);
  layer.bytes = 1 << 21; // half way, by powers of two
  EXPECT_DOUBLE_EQ(report.memoryMs(layer), (1 << 21) / 60e6);
  layer.bytes = 1 << 30; // above the largest
  EXPECT_DOUBLE_EQ(report.memoryMs(layer), (1 << 30) / 10e6);
  layer.bytes = 1024; // below the smallest
  EXPECT_DOUBLE_EQ(report.memoryMs(layer), 1024 / 80e6);
}

} // namespace
