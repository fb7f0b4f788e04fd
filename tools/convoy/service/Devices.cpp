// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy service devices`: calls a tuning service and prints its answer.

#include "Driver/AddProblem.h"
#include "tools/convoy/output/JsonOutput.h"
#include "tools/convoy/service/PrintJob.h"
#include "tools/convoy/service/ServiceClient.h"

namespace convoy::tool {
namespace {

using Action = DevicesFlags::Action;

ExitCode list(const DevicesFlags &options, service::TuningApi &api, Console &console) {
  llvm::Expected<service::DeviceList> devices = api.listDevices();
  if (!devices) {
    return failCall(devices.takeError(), console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(*devices)); },
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
  service::DeviceState state = options.action == Action::Drain        ? service::DRAINING
                               : options.action == Action::Quarantine ? service::QUARANTINED
                                                                      : service::ACTIVE;
  service::DeviceRequest request;
  request.set_name(options.name);
  request.set_reason(state == service::ACTIVE ? "" : options.reason);
  llvm::Expected<service::DeviceStatus> device = (*api)->changeDevice(request, state);
  if (!device) {
    return failCall(device.takeError(), console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printJson(os, apiToJson(*device)); },
      [&](llvm::raw_ostream &) {
        service::DeviceList list;
        *list.add_devices() = *device;
        printDevices(console.summary(), list);
      },
      console);
}

} // namespace convoy::tool
