// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the JSON form of all messages with json_forms.txt, which was recorded from the service
// that clients in use talk to. A difference means that these clients fail.

#include "service/api/ApiJson.h"
#include "service/api/ProtoFields.h"
#include "tuning.pb.h"
#include "llvm/Support/MemoryBuffer.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

using namespace convoy::service;
namespace v1 = convoy::tuning::v1;

namespace {

std::multimap<std::string, std::string> parametersOf(llvm::StringRef text) {
  std::multimap<std::string, std::string> parameters;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, '&');
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    parameters.emplace(name.str(), value.str());
  }
  return parameters;
}

std::string textOf(const google::protobuf::Message &message) {
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::string text;
  printer.PrintToString(message, &text);
  return llvm::StringRef("~ " + text).rtrim().str();
}

template <typename Object, typename Message>
std::string formOf(llvm::Expected<Object> object) {
  if (!object) {
    return "! " + llvm::toString(object.takeError()) + "\n";
  }
  Message message;
  ProtoFields::write(*object, message);
  return "= " + toJson(*object) + "\n" + textOf(message) + "\n";
}

template <typename Object, typename Message>
std::string formOfText(llvm::StringRef kind, llvm::StringRef text) {
  bool isAnswer = kind.ends_with("~");
  return formOf<Object, Message>(
      fromJson<Object>(text, isAnswer ? UnknownFields::Ignore : UnknownFields::Refuse));
}

template <typename Object, typename Message>
std::string formOfParameters(llvm::StringRef kind, llvm::StringRef text) {
  return formOf<Object, Message>(fromParameters<Object>(parametersOf(text)));
}

std::string formOf(llvm::StringRef kind, llvm::StringRef text) {
  using Form = std::string (*)(llvm::StringRef, llvm::StringRef);
  static const std::map<std::string, Form> forms = {
      {"BestQuery", formOfText<BestQuery, v1::BestQuery>},
      {"BestAnswer", formOfText<BestAnswer, v1::BestAnswer>},
      {"JobSpec", formOfText<JobSpec, v1::JobSpec>},
      {"JobStatus", formOfText<JobStatus, v1::JobStatus>},
      {"JobList", formOfText<JobList, v1::JobList>},
      {"JobFilter", formOfText<JobFilter, v1::JobFilter>},
      {"JobExtension", formOfText<JobExtension, v1::JobExtension>},
      {"RecordsQuery", formOfText<RecordsQuery, v1::RecordsQuery>},
      {"ImportResult", formOfText<ImportResult, v1::ImportResult>},
      {"DeviceRequest", formOfText<DeviceRequest, v1::DeviceRequest>},
      {"DeviceStatus", formOfText<DeviceStatus, v1::DeviceStatus>},
      {"DeviceList", formOfText<DeviceList, v1::DeviceList>},
      {"UsageQuery", formOfText<UsageQuery, v1::UsageQuery>},
      {"Usage", formOfText<Usage, v1::Usage>},
      {"Health", formOfText<Health, v1::Health>},
      {"Empty", formOfText<Empty, v1::Empty>},
      {"JobFilter?", formOfParameters<JobFilter, v1::JobFilter>},
      {"RecordsQuery?", formOfParameters<RecordsQuery, v1::RecordsQuery>},
      {"UsageQuery?", formOfParameters<UsageQuery, v1::UsageQuery>},
  };
  return forms.at(kind.rtrim('~').str())(kind, text);
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

} // namespace
