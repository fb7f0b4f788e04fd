// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy devices`: calls a tuning service and prints its answer.

#include "Driver/AddProblem.h"
#include "JsonOutput.h"
#include "PrintJob.h"
#include "ServiceClient.h"
#include "service/api/ApiFields.h"

namespace convoy::tool {
namespace {

using service::DeviceStatus;
using Action = DevicesFlags::Action;

ExitCode list(const DevicesFlags &options, service::TuningApi &api, Console &console) {
  llvm::Expected<std::vector<DeviceStatus>> devices = api.listDevices();
  if (!devices) {
    return failCall(devices.takeError(), console);
  }
  return printResult(
      options.json,
      [&](llvm::raw_ostream &os) { printJson(os, apiToJson(service::DeviceList{*devices})); },
      [&](llvm::raw_ostream &os) { printDevices(os, *devices); }, console);
}

} // namespace

ExitCode devices(const DevicesFlags &options, Console &console) {
  auto api = openService(options.service, "--service");
  if (!api) {
    Problems problems;
    addError(problems, api.takeError());
    return fail(problems, console);
  }
  if (options.action == Action::List) {
    return list(options, **api, console);
  }
  llvm::Expected<DeviceStatus> device = options.action == Action::Drain
                                            ? (*api)->drainDevice(options.name, options.reason)
                                        : options.action == Action::Quarantine
                                            ? (*api)->quarantineDevice(options.name, options.reason)
                                            : (*api)->activateDevice(options.name);
  if (!device) {
    return failCall(device.takeError(), console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(*device)); },
      [&](llvm::raw_ostream &) { printDevices(console.summary(), {*device}); }, console);
}

} // namespace convoy::tool
