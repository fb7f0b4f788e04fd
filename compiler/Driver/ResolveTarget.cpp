// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks a name up among the machines, the devices and the targets that only run models.

#include "Driver/ResolveTarget.h"
#include "Accelerators/Registry.h"
#include "Support/NearestName.h"
#include "Support/TypedError.h"
#include "llvm/ADT/StringExtras.h"

namespace convoy::driver {
ResolvedTarget machineTarget(targets::Target machine) {
  ResolvedTarget target;
  target.backend = machine.toolchain ? &microBackend() : &machineBackend();
  target.name = machine.name;
  target.summary = machine.summary;
  target.machine = std::move(machine);
  return target;
}

namespace {

ResolvedTarget deviceTarget(std::unique_ptr<accelerators::Accelerator> device,
                            targets::Target machine) {
  ResolvedTarget target;
  target.backend = &deviceBackend();
  target.name = device->name().str();
  target.summary = device->summary().str();
  target.machine = std::move(machine);
  target.device = std::move(device);
  return target;
}

/// Returns the targets that only run models in this process.
std::vector<ResolvedTarget> runners() {
  auto make = [](const Backend &backend, llvm::StringRef name, const char *summary) {
    ResolvedTarget target;
    target.backend = &backend;
    target.name = name.str();
    target.summary = summary;
    return target;
  };
  ResolvedTarget c =
      make(sourceBackend(), "c", "emitted C in vector types, by this machine's C compiler");
  ResolvedTarget plain =
      make(sourceBackend(), "c-plain", "emitted C in plain loops, by this machine's C compiler");
  c.stagesOf = plain.stagesOf = "host";
  plain.isPlain = true;
  return {
      c, plain,
      make(referenceBackend(), kReferenceTarget, "interpreter that defines the correct result")};
}

/// Returns the error for an unknown name, with the known names.
llvm::Error noTarget(llvm::StringRef name, bool isForMemory) {
  std::vector<std::string> names;
  for (const ResolvedTarget &target : listTargets()) {
    if (isForMemory || target.backend->facts.emit != Emit::Memory) {
      names.push_back(target.name);
    }
  }
  std::string nearest = nearestName(name, names);
  return llvm::createStringError("unknown target '" + name + "'; " +
                                 (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                                 "expected one of " + llvm::join(names, ", ") +
                                 ", or the path of a .json file");
}

/// Returns whether the name is a machine with a compiler, MACHINE:COMPILER, and the machine exists.
bool hasKnownMachine(llvm::StringRef name) {
  auto [base, compiler] = name.rsplit(':');
  llvm::Expected<targets::Target> machine = targets::findTarget(base);
  if (!machine) {
    llvm::consumeError(machine.takeError());
  }
  return !compiler.empty() && bool(machine);
}

} // namespace

quantize::Arithmetic ResolvedTarget::arithmetic() const {
  return device ? device->arithmetic() : quantize::Arithmetic();
}

ElementType ResolvedTarget::floatType() const {
  ElementType type = device ? device->floatType() : ElementType::F32;
  return type == ElementType::Undefined ? ElementType::F32 : type;
}

static llvm::Expected<ResolvedTarget> findTarget(const TargetRequest &request, bool isForMemory) {
  for (ResolvedTarget &runner : runners()) {
    if (isForMemory && runner.name == request.name) {
      runner.machine = targets::detectHost();
      return std::move(runner);
    }
  }
  llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
      accelerators::findAccelerator(request.name);
  if (!device) {
    return device.takeError();
  }
  if (!*device && !request.cpu.empty()) {
    return llvm::createStringError("--cpu expects a device as --target, got '" + request.name +
                                   "'; pass the machine as --target");
  }
  llvm::Expected<targets::Target> machine =
      targets::findTarget(!*device              ? request.name
                          : request.cpu.empty() ? "host"
                                                : request.cpu);
  if (!machine && *device) {
    return withPrefix("--cpu: ", machine.takeError());
  }
  if (!machine) {
    if (llvm::StringRef(request.name).ends_with(".json") || hasKnownMachine(request.name)) {
      return machine.takeError();
    }
    llvm::consumeError(machine.takeError());
    return noTarget(request.name, isForMemory);
  }
  if (*device) {
    ResolvedTarget target = deviceTarget(std::move(*device), std::move(*machine));
    target.arithmeticOf = request.name;
    return target;
  }
  ResolvedTarget target = machineTarget(std::move(*machine));
  if (!llvm::StringRef(request.name).ends_with(".json")) {
    target.name = request.name; // with the compiler
  }
  return target;
}

llvm::Expected<ResolvedTarget> resolveTarget(const TargetRequest &request, bool isForMemory) {
  llvm::Expected<ResolvedTarget> target = findTarget(request, isForMemory);
  if (target) {
    target->requested = request.name;
  }
  return target;
}

std::vector<ResolvedTarget> listTargets() {
  std::vector<ResolvedTarget> list;
  for (targets::Target &machine : targets::listTargets()) {
    list.push_back(machineTarget(std::move(machine)));
  }
  llvm::append_range(list, runners());
  for (const std::string &name : accelerators::listTargets()) {
    if (llvm::Expected<std::unique_ptr<accelerators::Accelerator>> device =
            accelerators::findAccelerator(name)) {
      list.push_back(deviceTarget(std::move(*device), {}));
    } else {
      llvm::consumeError(device.takeError()); // a target that is listed has no wrong parameter
    }
  }
  return list;
}

std::vector<std::string> deviceNames() { return accelerators::listTargets(); }

} // namespace convoy::driver
