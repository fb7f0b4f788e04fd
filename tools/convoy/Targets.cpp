// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy targets` lists the targets or describes one; `convoy --help-stages` lists the
// stages of a compile.

#include "Driver/AddProblem.h"
#include "Driver/Backends/Source/SourceProgram.h"
#include "Driver/Pages.h"
#include "Driver/ResolveTarget.h"
#include "JsonOutput.h"
#include "Support/TextTable.h"
#include "Verbs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

namespace convoy::tool {
namespace {

bool isMachine(const driver::ResolvedTarget &target) {
  return target.kind == driver::TargetKind::Machine;
}

/// Returns the emulator that runs code for the machine here; empty if it runs natively.
std::string emulation(const targets::Target &machine) {
  bool isEmulated = !targets::whyNotHere(machine).empty() && driver::isRunnable(machine);
  const std::vector<std::string> &command =
      machine.toolchain ? machine.toolchain->emulator.command : machine.emulator;
  return isEmulated ? "; here under " + command.front() : "";
}

std::string describe(const driver::ResolvedTarget &target) {
  if (!isMachine(target)) {
    return target.summary;
  }
  const targets::Target &machine = target.machine;
  if (machine.toolchain) {
    return target.summary + emulation(machine);
  }
  return target.summary + "; " + std::to_string(machine.vectorBytes * 8) + "-bit vectors, " +
         std::to_string(machine.cores) + (machine.cores == 1 ? " core" : " cores") +
         emulation(machine);
}

llvm::StringRef kindOf(const driver::ResolvedTarget &target) {
  switch (target.kind) {
  case driver::TargetKind::Machine:
    return "CPU";
  case driver::TargetKind::Device:
    return "device";
  case driver::TargetKind::Source:
    return "C source";
  case driver::TargetKind::Reference:
    return "interpreter";
  }
  llvm_unreachable("not a kind of target");
}

/// Returns the verbs that accept the target on this machine.
std::vector<std::string> verbsOf(const driver::ResolvedTarget &target) {
  if (target.device) {
    return {"compile", "run", "check", "bench", "explain"};
  }
  if (target.kind == driver::TargetKind::Reference) {
    return {"run", "check"};
  }
  if (!isMachine(target)) {
    return {"run", "check", "explain"};
  }
  if (targets::whyNotHere(target.machine).empty()) {
    return {"compile", "run", "check", "bench", "tune", "explain"};
  }
  if (!driver::isRunnable(target.machine)) {
    bool isCountable =
        driver::isBuiltFromSource(target.machine) && !target.machine.emulator.empty();
    return isCountable ? std::vector<std::string>{"compile", "tune", "explain"}
                       : std::vector<std::string>{"compile", "explain"};
  }
  return target.isMicro()
             ? std::vector<std::string>{"compile", "run", "check", "bench", "tune", "explain"}
             : std::vector<std::string>{"compile", "run", "check", "tune", "explain"};
}

void printList(llvm::raw_ostream &os) {
  TextTable table({{"target"}, {"verbs"}, {"description"}});
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    table.add({target.name, llvm::join(verbsOf(target), ", "), describe(target)});
  }
  table.print(os);
}

/// Returns the description of a machine in the format of a .json file for --target.
llvm::json::Value descriptionOf(const targets::Target &machine) {
  llvm::Expected<llvm::json::Value> description = llvm::json::parse(targets::toJson(machine));
  if (!description) {
    llvm::consumeError(description.takeError());
    return nullptr;
  }
  return std::move(*description);
}

void printListJson(llvm::raw_ostream &os) {
  llvm::json::Array list;
  for (const driver::ResolvedTarget &target : driver::listTargets()) {
    list.push_back(isMachine(target)
                       ? descriptionOf(target.machine)
                       : llvm::json::Object{{"name", target.name}, {"summary", target.summary}});
  }
  printJson(os, std::move(list));
}

std::string cachesText(const targets::Target &machine) {
  std::vector<std::string> caches;
  for (const targets::Cache &cache : machine.caches) {
    std::string shared =
        cache.sharedByCores > 1 ? " for " + std::to_string(cache.sharedByCores) + " cores" : "";
    caches.push_back(
        llvm::formatv("L{0} {1} KiB{2}", cache.level, cache.bytes / 1024, shared).str());
  }
  return caches.empty() ? "unknown" : llvm::join(caches, ", ");
}

/// Adds rows for the memories, the cycles of instructions and the tool chain.
void addMicrocontroller(const targets::Target &machine, TextTable &table) {
  const targets::Toolchain &chain = *machine.toolchain;
  for (const targets::Memory &memory : machine.memories) {
    std::string cycles = std::to_string(memory.accessCycles) +
                         (memory.accessCycles == 1 ? " cycle" : " cycles") + " per access";
    table.add({"memory " + memory.name,
               llvm::formatv("{0} KiB at 0x{1}, {2}, for {3}", memory.bytes / 1024,
                             llvm::utohexstr(static_cast<uint64_t>(memory.address)), cycles,
                             llvm::join(memory.holds, ", "))
                   .str()});
  }
  if (const std::optional<targets::InstructionCycles> &cycles = machine.instructionCycles) {
    table.add({"cycles",
               llvm::formatv("integer {0}, multiply {1}, divide {2}, load {3}, store {4}, branch "
                             "{5}, floating {6}, vector {7}",
                             cycles->integer, cycles->multiply, cycles->divide, cycles->load,
                             cycles->store, cycles->branch, cycles->floating, cycles->vector)
                   .str()});
  }
  for (const targets::Tool &compiler : llvm::drop_begin(chain.compilers)) {
    table.add({"C compiler :" + compiler.name, llvm::join(compiler.command, " ")});
  }
  table.add({"linker", llvm::join(chain.linker.command, " ")});
  table.add({"stack", std::to_string(chain.stackBytes) + " bytes"});
  table.add({"emulator",
             chain.emulator.command.empty() ? "none" : llvm::join(chain.emulator.command, " ")});
}

/// Adds a row for each property of a machine.
void addMachine(const targets::Target &machine, TextTable &table) {
  table.add({"triple", machine.triple});
  table.add({"CPU", machine.cpu.empty() ? "generic" : machine.cpu});
  table.add({"cores", std::to_string(machine.cores)});
  table.add({"vectors", std::to_string(machine.vectorBytes * 8) + " bits, " +
                            std::to_string(machine.vectorRegisters) + " registers"});
  table.add({"caches", cachesText(machine)});
  table.add({"features", llvm::join(machine.features, " ")});
  table.add({"C compiler",
             machine.sourceCompiler.empty() ? "unknown" : llvm::join(machine.sourceCompiler, " ")});
  if (machine.toolchain) {
    addMicrocontroller(machine, table);
  }
  table.add({"fingerprint", machine.fingerprint()});
}

/// Returns the element types in which a device supports an op.
std::string typesOf(const accelerators::OpSupport &op) {
  std::vector<std::string> types;
  for (ElementType type : op.types) {
    types.push_back(name(type).str());
  }
  return llvm::join(types, ", ");
}

void printOne(llvm::raw_ostream &os, const driver::ResolvedTarget &target) {
  TextTable table({{"target"}, {target.requested}});
  table.add({"kind", kindOf(target).str()});
  table.add({"description", target.summary});
  table.add({"verbs", llvm::join(verbsOf(target), ", ")});
  if (target.device) {
    for (const accelerators::OpSupport &op : target.device->capabilities().ops()) {
      table.add({"op " + op.op.str(), typesOf(op)});
    }
  } else if (isMachine(target)) {
    addMachine(target.machine, table);
  }
  table.print(os);
}

void printOneJson(llvm::raw_ostream &os, const driver::ResolvedTarget &target) {
  llvm::json::Object object{{"name", target.requested},
                            {"kind", kindOf(target)},
                            {"summary", target.summary},
                            {"verbs", llvm::json::Array(verbsOf(target))}};
  if (target.device) {
    llvm::json::Object ops;
    for (const accelerators::OpSupport &op : target.device->capabilities().ops()) {
      ops[op.op] = typesOf(op);
    }
    object["ops"] = std::move(ops);
  } else if (isMachine(target)) {
    object["fingerprint"] = target.machine.fingerprint();
    object["description"] = descriptionOf(target.machine);
  }
  printJson(os, std::move(object));
}

ExitCode describeTarget(const TargetsFlags &options, Console &console) {
  TargetRequest request;
  request.name = options.name;
  llvm::Expected<driver::ResolvedTarget> target =
      driver::resolveTarget(request, /*isForMemory=*/true);
  if (!target) {
    Problems problems;
    addError(problems, target.takeError());
    return fail(problems, console);
  }
  return printResult(
      options.json, [&](llvm::raw_ostream &os) { printOneJson(os, *target); },
      [&](llvm::raw_ostream &os) { printOne(os, *target); }, console);
}

} // namespace

ExitCode listTargets(const TargetsFlags &options, Console &console) {
  if (!options.name.empty()) {
    return describeTarget(options, console);
  }
  auto printPage = [&](llvm::raw_ostream &os) {
    if (options.isMarkdown) {
      os << driver::devicePage();
    } else {
      printList(os);
    }
  };
  return printResult(
      options.json, [](llvm::raw_ostream &os) { printListJson(os); }, printPage, console);
}

ExitCode listStages(bool isMarkdown, Console &console) {
  console.out << driver::stageTable(isMarkdown);
  return kDone;
}

} // namespace convoy::tool
