// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes arbitrary text to the readers of tuning tasks and of configurations, which records and the
// messages of the tuning service contain. The first line is a configuration, the rest is a task.

#include "tests/fuzz/Silence.h"
#include "tests/fuzz/Target.h"
#include "tuning/build/ForceConfiguration.h"
#include "tuning/space/ReadTask.h"

using namespace convoy;
using namespace mlir;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto [line, text] = fuzz::textOf(data, size).split('\n');
  MLIRContext *context = fuzz::sharedContext();
  tuning::loadTaskDialects(*context);
  fuzz::Silence silence(context);
  tuning::Task task;
  task.text = text.str();
  auto module = tuning::readTask(task, context);
  if (!fuzz::isAccepted(module)) {
    return 0;
  }
  tuning::Configuration configuration;
  configuration.text = line.str();
  configuration.templateId = line.drop_front(line.starts_with("#kernel.") ? 8 : 0)
                                 .take_until([](char c) { return c == '<'; })
                                 .str();
  configuration.templateVersion = 1;
  fuzz::expectText(tuning::forceConfiguration(module->kernel(), configuration));
  return 0;
}
