// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests that each struct has the fields of its message, in the same order and with the same
// defaults.

#include "service/api/ApiJson.h"
#include "service/api/ProtoFields.h"
#include "tuning.pb.h"
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

using namespace convoy::service;
namespace v1 = convoy::tuning::v1;

namespace {

template <typename Object, typename Message>
void expectSameFields() {
  std::vector<std::string> names, expected;
  forEachField<Object>([&](const char *name, auto) { names.emplace_back(name); });
  const google::protobuf::Descriptor *descriptor = Message::descriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    expected.push_back(descriptor->field(i)->json_name());
  }
  EXPECT_EQ(names, expected) << descriptor->full_name();
  // An empty message is a struct with its defaults.
  Object object;
  ProtoFields::read(Message(), object);
  Message fromDefault, fromEmpty;
  ProtoFields::write(Object(), fromDefault);
  ProtoFields::write(object, fromEmpty);
  EXPECT_EQ(fromDefault.DebugString(), fromEmpty.DebugString());
}

TEST(ProtoFields, AreTheFieldsOfTheStructs) {
  expectSameFields<Empty, v1::Empty>();
  expectSameFields<JobName, v1::JobName>();
  expectSameFields<JobList, v1::JobList>();
  expectSameFields<DeviceRequest, v1::DeviceRequest>();
  expectSameFields<DeviceList, v1::DeviceList>();
  expectSameFields<RecordLines, v1::RecordLines>();
  expectSameFields<convoy::tuning::Configuration, v1::Configuration>();
  expectSameFields<TaskSpec, v1::TaskSpec>();
  expectSameFields<JobSpec, v1::JobSpec>();
  expectSameFields<TaskStatus, v1::TaskStatus>();
  expectSameFields<JobStatus, v1::JobStatus>();
  expectSameFields<JobFilter, v1::JobFilter>();
  expectSameFields<JobExtension, v1::JobExtension>();
  expectSameFields<TemplateVersion, v1::TemplateVersion>();
  expectSameFields<TaskUse, v1::TaskUse>();
  expectSameFields<BestQuery, v1::BestQuery>();
  expectSameFields<Provenance, v1::Provenance>();
  expectSameFields<BestConfiguration, v1::BestConfiguration>();
  expectSameFields<BestOfTask, v1::BestOfTask>();
  expectSameFields<BestAnswer, v1::BestAnswer>();
  expectSameFields<RecordsQuery, v1::RecordsQuery>();
  expectSameFields<RecordsImport, v1::RecordsImport>();
  expectSameFields<ImportResult, v1::ImportResult>();
  expectSameFields<DeviceStatus, v1::DeviceStatus>();
  expectSameFields<UsageQuery, v1::UsageQuery>();
  expectSameFields<UsageRow, v1::UsageRow>();
  expectSameFields<ProjectUsage, v1::ProjectUsage>();
  expectSameFields<Usage, v1::Usage>();
  expectSameFields<Health, v1::Health>();
}

TEST(ProtoFields, NamesStatesAsTheJsonFaceDoes) {
  for (int i = 1; i < v1::JobState_ARRAYSIZE; ++i) {
    JobStatus status;
    v1::JobStatus message;
    message.set_state(static_cast<v1::JobState>(i));
    ProtoFields::read(message, status);
    EXPECT_EQ(name(status.state), v1::JobState_Name(message.state()));
  }
  for (int i = 1; i < v1::DeviceState_ARRAYSIZE; ++i) {
    DeviceStatus status;
    v1::DeviceStatus message;
    message.set_state(static_cast<v1::DeviceState>(i));
    ProtoFields::read(message, status);
    EXPECT_EQ(name(status.state), v1::DeviceState_Name(message.state()));
  }
}

TEST(ProtoFields, AreReadFromTheTextOfTheJsonFace) {
  JobSpec spec;
  spec.tasks = {{"a", "b", 3, 0.25}};
  spec.seed = UINT64_MAX;
  spec.latencyUs = 12.5;
  v1::JobSpec message;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(toJson(spec), &message).ok());
  JobSpec read;
  ProtoFields::read(message, read);
  EXPECT_EQ(toJson(read), toJson(spec));
}

TEST(ProtoFields, ToleratesStatesOfANewerServer) {
  JobStatus status;
  v1::JobStatus message;
  message.set_state(static_cast<v1::JobState>(1000));
  ProtoFields::read(message, status);
  EXPECT_EQ(status.state, JobState::Failed);
}

} // namespace
