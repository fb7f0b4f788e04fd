// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the JSON form of all messages with json_forms.txt, which was recorded from the service
// that clients in use talk to. A difference means that these clients fail.

#include "service/api/ApiJson.h"
#include "service/api/MessageDefaults.h"
#include "service/api/TuningApi.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

using namespace convoy::service;
using google::protobuf::Message;

namespace {

Parameters parametersOf(llvm::StringRef text) {
  Parameters parameters;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '&');
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    parameters.emplace(name.str(), value.str());
  }
  return parameters;
}

std::string textOf(const Message &message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return llvm::StringRef("~ " + text).rtrim().str();
}

/// Returns the results of one block: `kind` is the name of a message, and "~" or "?".
std::string formOf(llvm::StringRef kind, llvm::StringRef text) {
  const auto *type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      "convoy.tuning.v1." + kind.rtrim("~?").str());
  std::unique_ptr<Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  llvm::Error error =
      kind.ends_with("?")
          ? readParameters(parametersOf(text), *message)
          : readJson(text, kind.ends_with("~") ? UnknownFields::Ignore : UnknownFields::Refuse,
                     *message);
  if (error) {
    return "! " + llvm::toString(std::move(error)) + "\n";
  }
  return "= " + toJson(*message) + "\n" + textOf(*message) + "\n";
}

TEST(JsonForms, AreThoseOfTheClientsInUse) {
  auto file = llvm::MemoryBuffer::getFile(CONVOY_SOURCE_DIR "/service/api/test/json_forms.txt");
  ASSERT_TRUE(bool(file));
  std::string actual;
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  for (llvm::StringRef line : lines) {
    bool isResult = line.starts_with("= ") || line.starts_with("! ") || line.starts_with("~");
    if (isResult) {
      continue;
    }
    actual += line.str() + "\n";
    if (!line.empty() && !line.starts_with("#")) {
      auto [kind, text] = line.split(' ');
      actual += formOf(kind, text);
    }
  }
  llvm::StringRef expected = (*file)->getBuffer();
  EXPECT_EQ(llvm::StringRef(actual).rtrim().str(), expected.rtrim().str());
}

/// A field is one line of tuning.proto, so its type must be one that the JSON interface reads and
/// writes.
TEST(JsonForms, AreKnownForAllFields) {
  const auto *file = JobSpec::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) {
    for (int k = 0; k < file->message_type(i)->field_count(); ++k) {
      const auto *field = file->message_type(i)->field(k);
      using Field = google::protobuf::FieldDescriptor;
      EXPECT_NE(field->cpp_type(), Field::CPPTYPE_UINT32) << field->full_name();
      EXPECT_NE(field->cpp_type(), Field::CPPTYPE_FLOAT) << field->full_name();
      EXPECT_FALSE(field->is_map()) << field->full_name();
      bool isScalar = !field->is_repeated() && !field->message_type();
      EXPECT_EQ(field->options().HasExtension(convoy::tuning::v1::default_value),
                isScalar && field->has_presence())
          << field->full_name();
    }
  }
}

TEST(MessageDefaults, ReplaceStatesOfANewerProgram) {
  JobFilter filter;
  filter.add_states(static_cast<JobState>(1000));
  filter.add_states(JobState::JOB_STATE_UNKNOWN);
  filter.add_states(JobState::PAUSED);
  setDefaults(filter);
  EXPECT_EQ(textOf(filter), "~ states: FAILED states: QUEUED states: PAUSED limit: 100");
  DeviceStatus device;
  device.set_state(static_cast<DeviceState>(5));
  setDefaults(device);
  EXPECT_EQ(device.state(), DeviceState::LOST);
}

} // namespace
