// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the flags that all compiling verbs share, for each verb: the flag has its effect on the
// built model, or the verb rejects it with a reason.

#include "Targets/Target.h"
#include "io/InputData.h"
#include "io/Npy.h"
#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/RecordMeasurements.h"
#include "tuning/records/RecordStore.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

struct SharedFlagsTest : tool::test::DriverCase {
  /// Writes a 3 x 3 convolution that the Winograd template supports.
  std::string conv(int64_t channels = 32) {
    onnx::ModelProto proto =
        convoy::test::unaryModel("Conv", {"1", std::to_string(channels), "24", "24"});
    onnx::GraphProto &graph = *proto.mutable_graph();
    graph.mutable_node(0)->add_input("w");
    onnx::AttributeProto &pads = *graph.mutable_node(0)->add_attribute();
    pads.set_name("pads");
    pads.set_type(onnx::AttributeProto::INTS);
    for (int i = 0; i < 4; ++i) {
      pads.add_ints(1);
    }
    onnx::TensorProto &weight = *graph.add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t size : {channels, channels, int64_t(3), int64_t(3)}) {
      weight.add_dims(size);
    }
    for (int64_t i = 0; i < channels * channels * 9; ++i) {
      weight.add_float_data(0.01F * static_cast<float>(i % 7 - 3));
    }
    return model(proto);
  }

  /// Returns the JSON text in which a verb describes the built model.
  std::string built(const std::string &verb, const std::string &path,
                    std::vector<std::string> flags, ExitCode expected = kDone) {
    std::vector<std::string> arguments = {verb, path};
    std::string file = folder.file("result.json");
    if (verb == "compile") {
      arguments.insert(arguments.end(), {"--json", "-o", folder.file("out")});
    } else if (verb == "run") {
      arguments.insert(arguments.end(), {"--json", "--input", "random"});
    } else if (verb == "check" || verb == "explain") {
      arguments.push_back("--json");
    } else if (verb == "bench") {
      arguments.insert(arguments.end(), {"--json=" + file, "--repetitions", "1"});
    } else if (verb == "tune") {
      arguments.insert(arguments.end(), {"--json", "--list-tasks"});
    }
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    EXPECT_EQ(convoy(arguments), expected) << verb << ": " << err;
    if (verb != "bench") {
      return out;
    }
    auto buffer = llvm::MemoryBuffer::getFile(file);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  /// Writes a folder with one sample of the model's input.
  std::string samples(int64_t channels = 32) {
    std::string path = folder.file("samples");
    EXPECT_FALSE(llvm::sys::fs::create_directories(path));
    folder.write("samples/one.npy",
                 io::encodeNpy(io::randomTensor(ElementType::F32, {1, channels, 24, 24}, 1)));
    return path;
  }
};

const char *const kCompiling[] = {"compile", "run", "check", "bench", "tune"};

TEST_F(SharedFlagsTest, StrictMathLeavesOutWinograd) {
  std::string path = conv();
  for (const char *verb : kCompiling) {
    SCOPED_TRACE(verb);
    EXPECT_NE(built(verb, path, {}).find("#kernel.winograd"), std::string::npos) << out;
    EXPECT_EQ(built(verb, path, {"--math", "strict"}).find("#kernel.winograd"), std::string::npos)
        << out;
  }
}

TEST_F(SharedFlagsTest, CalibrationMakesIntegerKernels) {
  std::string path = conv(), folderOfSamples = samples();
  for (const char *verb : {"compile", "run", "check", "bench"}) {
    SCOPED_TRACE(verb);
    EXPECT_NE(built(verb, path, {}), built(verb, path, {"--calibrate", folderOfSamples}));
    std::string integer =
        built(verb, path, {"--calibrate", folderOfSamples, "--target", "x86-64-v3"});
    EXPECT_EQ(integer.find("#kernel.winograd"), std::string::npos) << integer;
    // With ONNX's float arithmetic the model has its float kernels again.
    std::string floats = built(
        verb, path, {"--calibrate", folderOfSamples, "--target", "x86-64-v3", "--integer", "off"});
    EXPECT_NE(floats, integer);
  }
  // Integer kernels have tasks, too.
  EXPECT_EQ(built("tune", path, {"--calibrate", folderOfSamples}).find("\"tasks\": []"),
            std::string::npos)
      << out;
  EXPECT_NE(built("explain", path, {"--target", "abstract", "--calibrate", folderOfSamples})
                .find("\"region\": 0"),
            std::string::npos)
      << out;
}

TEST_F(SharedFlagsTest, ThreadsAreThoseOfWhatWasBuilt) {
  std::string path = conv();
  for (const char *verb : {"compile", "run", "check", "bench"}) {
    SCOPED_TRACE(verb);
    EXPECT_NE(built(verb, path, {"--threads", "2"}).find("\"threads\": 2"), std::string::npos)
        << out;
  }
  EXPECT_NE(built("tune", path, {"--threads", "2"}).find("threads 2"), std::string::npos) << out;
}

TEST_F(SharedFlagsTest, TargetsAndDevices) {
  std::string path = conv(), folderOfSamples = samples();
  for (const char *verb : {"compile", "run", "check", "bench"}) {
    SCOPED_TRACE(verb);
    EXPECT_NE(built(verb, path, {"--target", "x86-64-v3"}).find("x86-64-v3"), std::string::npos)
        << out;
    // A device with its parameters, and the CPU beside it.
    std::string device = built(verb, path,
                               {"--target", "nvdla-small", "--calibrate", folderOfSamples,
                                "--optimize", "memory", "--cpu", "x86-64-v3"});
    if (llvm::StringRef(verb) != "bench") { // bench shows the device's layers instead
      EXPECT_NE(device.find("\"target\": \"x86-64-v3\""), std::string::npos) << device;
    }
    built(verb, path, {"--cpu", "x86-64-v3"}, kUserError);
    EXPECT_NE(err.find("--cpu expects a device as --target"), std::string::npos) << err;
  }
  EXPECT_EQ(convoy({"tune", path, "--records", folder.file("t.db"), "--target", "abstract"}),
            kUserError);
  EXPECT_NE(err.find("--target abstract cannot be measured here: it is a device"),
            std::string::npos)
      << err;
}

TEST_F(SharedFlagsTest, RecordsChooseTheKernels) {
  std::string path = conv();
  // Reads the task and a configuration other than the default from the list of tasks.
  llvm::json::Value json = llvm::cantFail(llvm::json::parse(built("tune", path, {})));
  const llvm::json::Object &task = *json.getAsObject()->getArray("tasks")->front().getAsObject();
  llvm::json::Value strict =
      llvm::cantFail(llvm::json::parse(built("tune", path, {"--math", "strict"})));
  const llvm::json::Object &direct =
      *strict.getAsObject()->getArray("tasks")->front().getAsObject()->getObject("default");
  tuning::Record record;
  record.trial = tuning::newTrialId();
  record.taskText = task.getString("text")->str();
  record.target = targets::detectHost().fingerprint();
  record.policy = "cold-weights";
  record.configuration = {direct.getString("template")->str(),
                          static_cast<int>(*direct.getInteger("version")),
                          direct.getString("configuration")->str(),
                          direct.getString("input")->str(), direct.getString("output")->str()};
  record.outcome = tuning::Outcome::Ok;
  for (int i = 0; i < 5; ++i) {
    tuning::Sample sample;
    sample.wallNs = 10;
    sample.cpuNs = 10;
    sample.runs = 1;
    sample.isClean = true;
    record.samples.push_back(sample);
  }
  record.compiler = "test";
  record.unixUs = 1;
  std::string file = folder.file("records.db");
  {
    tuning::RecordStore store =
        llvm::cantFail(tuning::RecordStore::open(file, tuning::RecordStore::Access::Write));
    llvm::cantFail(store.append({record}).takeError());
  }
  for (const char *verb : {"compile", "run", "check", "bench"}) {
    SCOPED_TRACE(verb);
    std::string text = built(verb, path, {"--records", file, "--threads", "1"});
    EXPECT_EQ(text.find("#kernel.winograd"), std::string::npos) << text;
    EXPECT_NE(text.find("\"tuned\": 1"), std::string::npos) << text;
  }
}

TEST_F(SharedFlagsTest, FlagsWithoutAMeaningAreRefused) {
  std::string path = conv();
  for (const char *verb : {"explain", "sweep"}) {
    for (const char *flag :
         {"--threads=2", "--math=strict", "--records=x.db", "--cpu=host", "--kernel-times=x.json",
          "--bands=auto", "--io=workspace", "--grain=1us"}) {
      SCOPED_TRACE(std::string(verb) + flag);
      if (llvm::StringRef(verb) == "sweep" && llvm::StringRef(flag) == "--cpu=host") {
        continue; // predicts the time of the ops on the CPU
      }
      EXPECT_EQ(convoy({verb, path, "--target", "abstract", flag}), kUserError);
      std::string name = llvm::StringRef(flag).split('=').first.str();
      EXPECT_EQ(err.rfind("error: " + name + " has no effect on `convoy " + verb +
                              "`: it changes the CPU's code",
                          0),
                0U)
          << err;
    }
  }
}

/// A kernel whose parts would be shorter than --grain stays whole.
TEST_F(SharedFlagsTest, GrainKeepsShortKernelsWhole) {
  std::string path = conv(/*channels=*/96);
  for (const char *verb : {"compile", "run", "check"}) {
    SCOPED_TRACE(verb);
    auto hashWith = [&](const char *grain) {
      std::string text = built(verb, path, {"--threads=2", grain});
      size_t at = text.find("\"hash\": \"");
      return at == std::string::npos ? "none" : text.substr(at + 9, 32);
    };
    EXPECT_EQ(hashWith("--grain=2us"), hashWith("--quiet"));
    EXPECT_NE(hashWith("--grain=2us"), hashWith("--grain=1s"));
  }
}

/// `run` and `check` execute the same object that `compile` writes.
TEST_F(SharedFlagsTest, OneObjectForAllVerbs) {
  std::string path = conv(), folderOfSamples = samples();
  for (const std::vector<std::string> &flags :
       {std::vector<std::string>{"--threads=1"},
        {"--threads=2"},
        {"--threads=1", "--calibrate", folderOfSamples},
        {"--threads=1", "--math=strict", "--target=x86-64-v3"}}) {
    auto hashOf = [](const std::string &text) {
      size_t at = text.find("\"hash\": \"");
      return at == std::string::npos ? "none" : text.substr(at + 9, 32);
    };
    std::string expected = hashOf(built("compile", path, flags));
    EXPECT_EQ(expected.size(), 32U);
    EXPECT_EQ(hashOf(built("run", path, flags)), expected);
    EXPECT_EQ(hashOf(built("check", path, flags)), expected);
    EXPECT_EQ(hashOf(built("bench", path, flags)), expected);
  }
}

} // namespace
