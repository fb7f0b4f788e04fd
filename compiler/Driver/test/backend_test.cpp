// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests which back end a target has, what its check refuses and which method measures it.

#include "Driver/BackendJob.h"
#include "Driver/Operators.h"
#include "Driver/RequestOptions.h"
#include <gtest/gtest.h>
#include <set>

using namespace convoy;
using namespace convoy::driver;

namespace {

ResolvedTarget find(const std::string &name) {
  TargetRequest request;
  request.name = name;
  return llvm::cantFail(resolveTarget(request, /*isForMemory=*/true));
}

TEST(Backend, IsOfTheKindOfTheTarget) {
  EXPECT_EQ(find("host").backend, &machineBackend());
  EXPECT_EQ(find("rv64gcv-256").backend, &machineBackend());
  EXPECT_EQ(find("cortex-m4").backend, &microBackend());
  EXPECT_EQ(find("cortex-m4:clang").backend, &microBackend());
  EXPECT_EQ(find("abstract").backend, &deviceBackend());
  EXPECT_EQ(find("nvdla-small").backend, &deviceBackend());
  EXPECT_EQ(find("c").backend, &sourceBackend());
  EXPECT_EQ(find("c-plain").backend, &sourceBackend());
  EXPECT_EQ(find("reference").backend, &referenceBackend());
  EXPECT_EQ(ResolvedTarget().backend, &machineBackend());
}

TEST(Backend, OfEachListedTargetFollowsItsDescription) {
  std::set<const Backend *> found;
  for (const ResolvedTarget &target : listTargets()) {
    found.insert(target.backend);
    EXPECT_EQ(target.backend == &deviceBackend(), target.device != nullptr) << target.name;
    EXPECT_EQ(target.backend == &microBackend(), target.machine.toolchain.has_value())
        << target.name;
    TargetDescription description = target.backend->describe(target);
    EXPECT_FALSE(description.verbs.empty()) << target.name;
    EXPECT_EQ(description.summary.find(target.summary), 0U) << target.name;
  }
  EXPECT_EQ(found.size(), 5U);
}

std::string refusal(const std::string &target, const CompileRequest &request) {
  ResolvedTarget found = find(target);
  CompileRequest named = request;
  named.target.name = target;
  return llvm::toString(found.backend->check(named, found));
}

TEST(Backend, ChecksOutputsAndPlacement) {
  CompileRequest programs, placed, library;
  programs.output.emit = Emit::Program;
  placed.placement.requiresDevice = true;
  for (const char *name : {"host", "cortex-m4", "c", "reference"}) {
    std::string end = std::string(" expects a device as --target, got '") + name +
                      "'; `convoy targets` lists the devices";
    EXPECT_EQ(refusal(name, programs), "--emit=program" + end);
    CompileRequest inMemory = placed;
    inMemory.output.emit = Emit::Memory;
    EXPECT_EQ(refusal(name, inMemory), "--require-device" + end);
  }
  EXPECT_EQ(refusal("abstract", programs), "");
  EXPECT_EQ(refusal("abstract", placed), "");
  EXPECT_EQ(refusal("host", library), "");
  EXPECT_EQ(refusal("cortex-m4", library),
            "--emit=library expects a target with shared libraries, got 'cortex-m4'; use --emit=c");
}

TEST(Backend, SetsTheOptionsOfItsKind) {
  auto optionsOf = [](const std::string &name, IoPlace io) {
    CompileRequest request;
    request.output.io = io;
    request.output.emit = Emit::Memory;
    return stageOptionsFor(request, find(name), "m");
  };
  EXPECT_EQ(llvm::cantFail(optionsOf("host", IoPlace::Caller)).exit, Exit::Object);
  EXPECT_EQ(llvm::cantFail(optionsOf("c", IoPlace::Arena)).exit, Exit::Source);
  EXPECT_TRUE(llvm::cantFail(optionsOf("reference", IoPlace::Arena)).outline.isIoInArena);
  EXPECT_EQ(llvm::cantFail(optionsOf("abstract", IoPlace::Caller)).place.device, "abstract");
  StageOptions micro = llvm::cantFail(optionsOf("cortex-m4", IoPlace::Arena));
  EXPECT_EQ(micro.exit, Exit::Source);
  EXPECT_FALSE(micro.memory.memories.empty());
  EXPECT_TRUE(micro.memory.rows);
  EXPECT_EQ(
      llvm::toString(optionsOf("abstract", IoPlace::Arena).takeError()),
      "--io=workspace expects C source, got target 'abstract' without --emit=c; add --emit=c, or "
      "choose a microcontroller as --target");
}

TEST(Backend, DescribesTheQuantizedTypes) {
  auto typesOf = [](const ResolvedTarget &target) { return target.backend->types(target); };
  EXPECT_TRUE(typesOf(find("cortex-m4")).hasIntegerEnds);
  EXPECT_FALSE(typesOf(find("host")).hasIntegerEnds);
  plan::TargetTypes device = typesOf(find("nvdla-small"));
  EXPECT_TRUE(device.tiesAddends && !device.hasI16 && !device.hasI4);
  EXPECT_EQ(device.arithmeticOf, "nvdla-small");
  EXPECT_EQ(typesOf(find("c")).arithmeticOf, "");
}

TEST(Backend, OfTheReferenceStopsAfterAStage) {
  CompileRequest request;
  request.target.name = "reference";
  request.output.emit = Emit::Memory;
  request.debugging.stopAfter = "graph";
  Result<Artifact> artifact = compileModel(operatorModel("Relu", /*isQuantized=*/false), request);
  ASSERT_TRUE(bool(artifact)) << artifact.problems().firstError();
  EXPECT_NE(artifact->ir.find("graph."), std::string::npos) << artifact->ir;
  EXPECT_EQ(artifact->memory, nullptr);
}

struct Named : MeasureMethods {
  void timeLibrary() override { name = "time"; }
  void countInstructions() override { name = "count"; }
  void simulateDevice() override { name = "simulate"; }
  std::string name;
};

TEST(Backend, SelectsTheMethodThatMeasuresIt) {
  auto methodOf = [](const std::string &target) {
    Named methods;
    ResolvedTarget found = find(target);
    std::string error = llvm::toString(found.backend->measure(found, methods));
    return error.empty() ? methods.name : error;
  };
  EXPECT_EQ(methodOf("host"), "time");
  EXPECT_EQ(methodOf("cortex-m4"), "count");
  EXPECT_EQ(methodOf("abstract"), "simulate");
  for (const std::string name : {"c", "reference"}) {
    EXPECT_EQ(methodOf(name), "target '" + name +
                                  "' cannot be measured: it only runs models in this process; use "
                                  "a CPU, a microcontroller or a device");
  }
}

} // namespace
