// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every flag of every verb with a value that is wrong: the error names the flag.

#include "io/Npy.h"
#include "tools/convoy/test/DriverCase.h"
#include "tuning/records/RecordStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace convoy;
using namespace convoy::tool;

namespace {

/// Arguments as pairs of a flag and its value; a flag of "" is a positional argument.
using Arguments = std::vector<std::pair<std::string, std::string>>;

struct FlagValuesTest : tool::test::DriverCase {
  void SetUp() override {
    path = model(convoy::test::unaryModel("Relu", {"1", "3"}));
    device = quantizedConv();
    records = folder.file("records.db");
    llvm::cantFail(
        tuning::RecordStore::open(records, tuning::RecordStore::Access::Write).takeError());
    matrix = folder.write("matrix.json", R"({"models": ["none.onnx"]})");
    samples = folder.write("samples.npy", io::encodeNpy(Tensor(ElementType::F32, {30, 3})));
  }

  /// Returns arguments that the verb accepts.
  Arguments accepted(const std::string &verb) const {
    std::map<std::string, Arguments> all = {
        {"compile", {{"", path}, {"--output", folder.file("out")}}},
        {"run", {{"", path}, {"--input", "random"}}},
        {"check", {{"", path}}},
        {"reduce", {{"", path}}},
        {"bench", {{"", path}, {"--repetitions", "1"}}},
        {"quantize", {{"", path}, {"--data", samples}, {"--output", folder.file("q.onnx")}}},
        {"tune", {{"", path}, {"--trials", "1"}, {"--records", folder.file("tune.db")}}},
        {"explain", {{"", path}, {"--target", "abstract"}}},
        {"sweep", {{"", device}, {"--target", "abstract"}}},
        {"inspect", {{"", path}}},
        {"verify", {{"", path}}},
        {"records report", {{"", records}, {"--report", folder.file("report.html")}}},
        {"records merge", {{"", records}, {"--into", folder.file("all.db")}}},
        {"records import", {{"", records}, {"--into", folder.file("all.db")}}},
        {"records export", {{"", records}}},
        {"records prune", {{"", records}}}};
    llvm::StringRef name = verb;
    if (name.starts_with("service ")) {
      Arguments service = {{"--service", "https://127.0.0.1:9"}};
      if (!name.ends_with(" list")) {
        service.push_back({"", "name"});
      }
      if (name == "service jobs extend") {
        service.push_back({"--more-trials", "1"});
      }
      if (name == "service jobs fetch") {
        service.push_back({"--output", folder.file("fetched")});
      }
      return service;
    }
    return all.count(verb) ? all.at(verb) : Arguments();
  }

  /// Returns the command line of a verb with one flag changed.
  std::vector<std::string> command(const std::string &verb, const std::string &flag,
                                   const std::string &value) const {
    std::vector<std::string> result;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(verb).split(words, ' ');
    for (llvm::StringRef word : words) {
      result.push_back(word.str());
    }
    for (const auto &[name, given] : accepted(verb)) {
      bool isModel = name.empty() && (flag == "--matrix" || flag == "--table");
      if (name != flag && !isModel) {
        result.push_back(name.empty() ? given : name + "=" + given);
      }
    }
    if (flag == "--table") {
      result.push_back("--matrix=" + matrix);
    }
    result.push_back(flag + "=" + value);
    return result;
  }

  std::string path, device, records, matrix, samples;
};

TEST_F(FlagValuesTest, AWrongValueNamesTheFlag) {
  size_t tested = 0;
  for (const FlagDescription &flag : describeFlags()) {
    // Every text is a name for files and a reason. A cache that cannot be used is a warning. The
    // import reports files of custom ops, once and by their names.
    if (flag.name.empty() || flag.type.empty() || flag.name == "--name" ||
        flag.name == "--reason" || flag.name == "--cache" || flag.name == "--custom-ops") {
      continue;
    }
    bool isPath = llvm::StringRef(flag.type).contains("FILE") || flag.type == "DIR";
    std::string value = flag.type == "NAME=FILE" ? "x=/dev/null/none"
                        : isPath                 ? "/dev/null/none"
                                                 : "?!";
    EXPECT_EQ(convoy(command(flag.verb, flag.name, value)), kUserError)
        << flag.verb << " " << flag.name << ": " << out << err;
    EXPECT_NE(err.find(flag.name), std::string::npos)
        << flag.verb << " " << flag.name << ": " << err;
    EXPECT_NE(err.find("error: "), std::string::npos)
        << flag.verb << " " << flag.name << ": " << err;
    ++tested;
  }
  EXPECT_GT(tested, 150U);
}

TEST_F(FlagValuesTest, AMissingValueNamesTheFlag) {
  for (const FlagDescription &flag : describeFlags()) {
    if (flag.name.empty() || flag.type.empty()) {
      continue;
    }
    std::vector<std::string> arguments = command(flag.verb, flag.name, "");
    arguments.back() = flag.name;
    EXPECT_EQ(convoy(arguments), kUserError);
    EXPECT_EQ(
        err.rfind("error: " + flag.name + ": expected a value (" + flag.type + "), got none\n", 0),
        0U)
        << flag.verb << " " << flag.name << ": " << err;
  }
}

} // namespace
