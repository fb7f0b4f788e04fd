// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the JSON form of the messages: round trips, and the words for wrong input.

#include "service/api/ApiJson.h"
#include "service/api/ErrorJson.h"
#include "service/api/TuningApi.h"
#include <gtest/gtest.h>
#include <random>

using namespace convoy::service;

namespace {

template <typename Object>
std::string wordsFor(llvm::StringRef text) {
  llvm::Expected<Object> object = fromJson<Object>(text, UnknownFields::Refuse);
  if (object) {
    return "";
  }
  ApiError error = takeApiError(object.takeError());
  EXPECT_EQ(error.code, ErrorCode::Invalid);
  return error.message;
}

TEST(ApiJson, WritesFieldsInOrder) {
  JobExtension extension;
  extension.set_id("a");
  extension.set_add_trials(5);
  extension.set_add_device_seconds(1.5);
  EXPECT_EQ(toJson(extension),
            R"({"id":"a","addTrials":5,"addWallSeconds":0.0,"addDeviceSeconds":1.5})");
  EXPECT_EQ(toJson(Empty()), "{}");
}

TEST(ApiJson, ReadsWhatItWrites) {
  JobSpec spec;
  spec.add_tasks()->set_text("text\n\t\xc3\xa4");
  spec.add_tasks()->set_name("conv \"1\"");
  spec.set_seed(UINT64_MAX);
  spec.set_priority(INT64_MIN);
  spec.set_latency_us(0.1);
  std::string text = toJson(spec);
  llvm::Expected<JobSpec> read = fromJson<JobSpec>(text, UnknownFields::Refuse);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(toJson(*read), text);
  EXPECT_EQ(read->tasks(0).text(), spec.tasks(0).text());
  EXPECT_EQ(read->seed(), UINT64_MAX);
}

TEST(ApiJson, KeepsDefaultsOfMissingFields) {
  llvm::Expected<JobSpec> spec = fromJson<JobSpec>("{}", UnknownFields::Refuse);
  ASSERT_TRUE(bool(spec));
  EXPECT_EQ(toJson(*spec), toJson(JobSpec()));
}

TEST(ApiJson, NamesTheWrongField) {
  EXPECT_EQ(wordsFor<JobSpec>(R"({"maxTrails": 5})"),
            "unknown field \"maxTrails\"; did you mean \"maxTrials\"?");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"xyzzy": 5})"), "unknown field \"xyzzy\"");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"tasks": [{}, {"txt": ""}]})"),
            "unknown field \"tasks[1].txt\"; did you mean \"tasks[1].text\"?");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"maxTrials": "5"})"),
            "field \"maxTrials\": expected an integer from -9223372036854775808 to "
            "9223372036854775807, got a text");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"maxTrials": 1.5})"),
            "field \"maxTrials\": expected an integer from -9223372036854775808 to "
            "9223372036854775807, got 1.5");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"seed": -1})"),
            "field \"seed\": expected an integer from 0 to 18446744073709551615, got -1");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"project": null})"),
            "field \"project\": expected a text, got null");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"latencyUs": true})"),
            "field \"latencyUs\": expected a number, got true");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"tasks": {}})"),
            "field \"tasks\": expected a list, got an object");
  EXPECT_EQ(wordsFor<JobSpec>(R"({"tasks": [[]]})"),
            "field \"tasks[0]\": expected an object, got a list");
  EXPECT_EQ(wordsFor<JobFilter>(R"({"states": ["RUNING"]})"),
            "field \"states[0]\": expected one of QUEUED, CACHED_HIT, RUNNING, PAUSED, SLA_MET, "
            "BUDGET_DONE, CONVERGED, CANCELLED, FAILED, got 'RUNING'");
  EXPECT_EQ(
      wordsFor<BestAnswer>(
          R"({"tasks": [{"configurations": [{"configuration": {"templateVersion": 3000000000}}]}]})"),
      "field \"tasks[0].configurations[0].configuration.templateVersion\": expected an "
      "integer from -2147483648 to 2147483647, got 3000000000");
  EXPECT_EQ(wordsFor<JobSpec>("[]"), "the body: expected an object, got a list");
  EXPECT_EQ(wordsFor<JobSpec>("{"),
            "the body: expected an object in JSON, got 1 bytes of another form");
}

TEST(ApiJson, IgnoresFieldsOfANewerServer) {
  llvm::Expected<ImportResult> result =
      fromJson<ImportResult>(R"({"added": 2, "later": [1]})", UnknownFields::Ignore);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->added(), 2);
}

TEST(ApiJson, ReadsParametersOfAUrl) {
  auto filter =
      fromParameters<JobFilter>({{"project", "p"}, {"states", "RUNNING,PAUSED"}, {"limit", "5"}});
  ASSERT_TRUE(bool(filter)) << llvm::toString(filter.takeError());
  ASSERT_EQ(filter->states_size(), 2);
  EXPECT_EQ(filter->states(0), JobState::RUNNING);
  EXPECT_EQ(filter->states(1), JobState::PAUSED);
  EXPECT_EQ(filter->limit(), 5);
  auto wrong = fromParameters<JobFilter>({{"limit", "5x"}});
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(llvm::toString(wrong.takeError()),
            "field \"limit\": expected an integer from -9223372036854775808 to "
            "9223372036854775807, got a text");
  auto unknown = fromParameters<JobFilter>({{"state", "RUNNING"}});
  ASSERT_FALSE(bool(unknown));
  EXPECT_EQ(llvm::toString(unknown.takeError()),
            "unknown field \"state\"; did you mean \"states\"?");
}

TEST(ApiJson, ReplacesBytesThatAreNotUtf8) {
  JobName name;
  name.set_id("\xff");
  EXPECT_EQ(toJson(name).find('\xff'), std::string::npos);
}

TEST(ApiJson, CarriesErrors) {
  ApiError error(ErrorCode::Exhausted, "no budget", 2.5, "https://a");
  EXPECT_EQ(
      toJson(error),
      R"({"code":"exhausted","message":"no budget","retrySeconds":2.5,"leader":"https://a"})");
  ApiError read = takeApiError(errorFromLine(errorLine(error)));
  EXPECT_EQ(read.code, ErrorCode::Exhausted);
  EXPECT_EQ(read.message, "no budget");
  EXPECT_EQ(read.retrySeconds, 2.5);
  EXPECT_EQ(read.leader, "https://a");
  EXPECT_EQ(takeApiError(errorFromJson("<html>", ErrorCode::NotFound)).message, "<html>");
  EXPECT_EQ(takeApiError(errorFromJson("", ErrorCode::Internal)).message,
            "the server gave no reason");
}

/// Changes a valid text at random: every text is read or refused.
TEST(ApiJson, SurvivesBrokenText) {
  JobSpec spec;
  for (int i = 0; i < 3; ++i) {
    spec.add_tasks();
  }
  const std::string whole = toJson(spec);
  std::mt19937 random(7);
  const llvm::StringRef tokens[] = {"{", "}",    "[", "]",     "\"", ":",
                                    ",", "null", "-", "1e999", "\\u"};
  for (int round = 0; round < 20000; ++round) {
    std::string text = whole;
    for (unsigned edit = 0; edit <= random() % 3; ++edit) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, random() % 20);
        break;
      case 2:
        text.insert(at, tokens[random() % std::size(tokens)].str());
        break;
      default:
        text.resize(at + 1);
      }
      if (text.empty()) {
        text = "{";
      }
    }
    llvm::Expected<JobSpec> read = fromJson<JobSpec>(text, UnknownFields::Refuse);
    if (!read) {
      EXPECT_FALSE(llvm::toString(read.takeError()).empty());
    }
  }
  // A deep text must not use the stack.
  EXPECT_FALSE(wordsFor<JobSpec>(std::string(1 << 20, '[')).empty());
  std::string deep = std::string(1 << 19, '[') + std::string(1 << 19, ']');
  EXPECT_EQ(wordsFor<JobSpec>(deep), "the body: expected an object, got a list");
}

} // namespace
