// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the text of a trace and the errors about its file. tests/trace checks the format of whole
// traces.

#include "Support/test/TestFolder.h"
#include "report/TraceFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

using namespace convoy;
using namespace convoy::report;

namespace {

TEST(TraceFile, WritesNamesAndNanoseconds) {
  TraceProcess process{"net", {{"core 0", {{"conv", "kernel", 1002003, 1002010}}}}};
  process.tracks[0].events[0].facts["calls"] = 2;
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(traceText(process));
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  EXPECT_NE(traceText(process).find("\"ts\": 1002.003,\n"), std::string::npos)
      << traceText(process);
  EXPECT_NE(traceText(process).find("\"dur\": 0.007,\n"), std::string::npos) << traceText(process);
  const llvm::json::Array &events = *value->getAsObject()->getArray("traceEvents");
  ASSERT_EQ(events.size(), 4u);
  const char *names[] = {"process_name", "thread_name", "thread_sort_index", "conv"};
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].getAsObject()->getString("name"), names[i]);
  }
  EXPECT_EQ(events[3].getAsObject()->getObject("args")->getInteger("calls"), 2);
}

TEST(TraceFile, ChecksTheFolderBeforeTheMeasurement) {
  test::TemporaryFolder folder;
  EXPECT_FALSE(bool(checkTraceFile("trace.json")));
  EXPECT_FALSE(bool(checkTraceFile(folder.file("trace.json"))));
  std::string missing = folder.file("none/trace.json");
  EXPECT_EQ(llvm::toString(checkTraceFile(missing)),
            "--trace: cannot write '" + missing + "': Not a directory");
  std::string itself = folder.file("itself");
  ASSERT_FALSE(llvm::sys::fs::create_directory(itself));
  EXPECT_EQ(llvm::toString(checkTraceFile(itself)),
            "--trace: cannot write '" + itself + "': Is a directory");
}

} // namespace
