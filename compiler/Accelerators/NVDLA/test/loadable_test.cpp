// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests loadables without published data: sizes of the firmware's structures, both cube layouts,
// the firmware's order of operations, and invalid files and traces.

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "Accelerators/NVDLA/Loadable/RunLoadable.h"
#include "Accelerators/NVDLA/Trace/RunTrace.h"
#include <gtest/gtest.h>

using namespace convoy::nvdla;

namespace {

TEST(Descriptors, HaveTheFirmwaresSizes) {
  EXPECT_EQ(writeNetwork({}).size(), 40U);
  EXPECT_EQ(writeDependency({}).size(), 36U);
  EXPECT_EQ(writeLut({}).size(), 700U);
  constexpr size_t kOperations[] = {4, 92, 116, 52, 24, 4};
  constexpr size_t kSurfaces[] = {644, 172, 160, 64, 64, 64};
  constexpr size_t kOldSurfaces[] = {644, 152, 140, 56, 56, 56};
  for (unsigned engine = 0; engine < kEngineCount; ++engine) {
    EXPECT_EQ(operationBytes(Engine(engine)), kOperations[engine]);
    EXPECT_EQ(surfaceBytes(Engine(engine), CubeLayout::WithOffset), kSurfaces[engine]);
    EXPECT_EQ(surfaceBytes(Engine(engine), CubeLayout::WithoutOffset), kOldSurfaces[engine]);
  }
}

TEST(Descriptors, AreReadAsWritten) {
  ConvDescriptor conv;
  conv.kernelHeight = 5;
  conv.padValue = -3;
  conv.outConverter.truncate = 7;
  conv.target.channel = 20;
  conv.target.offset = 0x1234;
  conv.lineStrideUv = 9;
  for (CubeLayout layout : {CubeLayout::WithOffset, CubeLayout::WithoutOffset}) {
    auto back =
        readEngine(Engine::Conv, writeOperation(conv, layout), writeSurfaces(conv, layout), layout);
    ASSERT_TRUE(bool(back));
    const auto &read = std::get<ConvDescriptor>(*back);
    EXPECT_EQ(read.kernelHeight, 5);
    EXPECT_EQ(read.padValue, -3);
    EXPECT_EQ(read.outConverter.truncate, 7);
    EXPECT_EQ(read.target.channel, 20);
    EXPECT_EQ(read.target.offset, layout == CubeLayout::WithOffset ? 0x1234U : 0U);
    EXPECT_EQ(read.lineStrideUv, 9U);
  }
  // A field of a convolution is at the offset that the firmware reads.
  EXPECT_EQ(writeOperation(conv, CubeLayout::WithOffset)[86], 7);
  auto cut = readEngine(Engine::Conv, Bytes(), Bytes(), CubeLayout::WithOffset);
  EXPECT_EQ(llvm::toString(cut.takeError()), "descriptors of 0 and 0 bytes are truncated for CONV");
}

HardwareOp makeOp(const EngineDescriptor &descriptor, uint8_t dependencies) {
  HardwareOp op;
  op.descriptor = descriptor;
  op.dependency.engine = uint8_t(op.engine());
  op.dependency.dependencies = dependencies;
  return op;
}

void connect(HardwareOp &from, const HardwareOp &to, int16_t index, OpEvent event) {
  from.dependency.consumers[unsigned(to.engine())] = {index, uint8_t(event)};
}

PdpDescriptor pdpFromMemory() {
  PdpDescriptor pdp;
  pdp.source.type = pdp.target.type = CubeDescriptor::Dram;
  return pdp;
}

SdpDescriptor sdpFromConv() {
  SdpDescriptor sdp;
  sdp.target.type = CubeDescriptor::Dram;
  return sdp;
}

/// Returns CONV 0, its SDP 1, PDP 2, CONV 3 and its SDP 4, linked as the official compiler links
/// them.
DlaTask lenetTask() {
  DlaTask task;
  task.ops = {makeOp(ConvDescriptor(), 1), makeOp(sdpFromConv(), 1), makeOp(pdpFromMemory(), 1),
              makeOp(ConvDescriptor(), 3), makeOp(sdpFromConv(), 2)};
  auto &ops = task.ops;
  connect(ops[0], ops[1], 1, OpEvent::Programmed);
  connect(ops[0], ops[3], 3, OpEvent::Programmed);
  connect(ops[1], ops[2], 2, OpEvent::Completed);
  connect(ops[1], ops[4], 4, OpEvent::Programmed);
  connect(ops[2], ops[3], 3, OpEvent::Completed);
  connect(ops[3], ops[4], 4, OpEvent::Programmed);
  ops[1].dependency.fusedParent = {0, uint8_t(OpEvent::Enabled)};
  ops[4].dependency.fusedParent = {3, uint8_t(OpEvent::Enabled)};
  task.network.heads = {-1, 0, 1, 2, -1, -1};
  return task;
}

std::string schedule(const DlaTask &task, std::vector<FusedOps> &order) {
  return llvm::toString(scheduleTask(task, [&](const FusedOps &ops) {
    order.push_back(ops);
    return llvm::Error::success();
  }));
}

TEST(Schedule, FollowsDependenciesAndFusion) {
  std::vector<FusedOps> order;
  EXPECT_EQ(schedule(lenetTask(), order), "");
  EXPECT_EQ(order, (std::vector<FusedOps>{{0, 1}, {2}, {3, 4}}));
}

TEST(Schedule, NamesWhatNeverStarts) {
  DlaTask task = lenetTask();
  std::vector<FusedOps> order;
  task.ops[2].dependency.consumers[unsigned(Engine::Conv)].index = -1;
  EXPECT_EQ(schedule(task, order), "the task stops after 3 of 5 operations: operation 3 (CONV) "
                                   "waits for events that no operation sends");
  task = lenetTask();
  task.ops[0].dependency.consumers[unsigned(Engine::Conv)].index = -1;
  EXPECT_EQ(schedule(task, order), "the task stops after 3 of 5 operations: operation 4 (SDP) "
                                   "waits for events that no operation sends");
  task = lenetTask();
  task.ops[3].dependency.dependencies = 2;
  EXPECT_EQ(schedule(task, order),
            "operation 3 receives more events than its dependency count; the extra one comes "
            "from operation 2");
  task = lenetTask();
  task.network.heads[unsigned(Engine::Pdp)] = 1;
  EXPECT_EQ(
      schedule(task, order),
      "the chain of PDP leads to operation 1, which belongs to another engine or has already run");
}

/// Returns a loadable with one pooling of 2 x 1 pixels.
Loadable poolingLoadable(uint16_t outputBytes) {
  PdpDescriptor pdp = pdpFromMemory();
  pdp.method = 1;
  pdp.kernelWidthMinusOne = 1;
  pdp.strideX = 2;
  pdp.source = {CubeDescriptor::Dram, 1, 8, 16, 2, 1, 8, 16, 16, 0}; // at offset 8
  pdp.target = {CubeDescriptor::Dram, 2, 0, 8, 1, 1, 8, 8, 8, 0};
  NetworkDescriptor network;
  network.dependences = 3;
  network.operations = 4;
  network.surfaces = 5;
  network.heads[unsigned(Engine::Pdp)] = 0;
  network.operationCount = 1;
  HardwareOp op = makeOp(pdp, 0);
  Loadable loadable;
  auto blob = [&](const char *name, std::vector<uint8_t> data) {
    loadable.blobs.push_back({name, Interface::Dla, 0, {0, 12, 3}, std::move(data)});
  };
  blob("addr0", writeNetwork(network));
  blob("deps", writeDependency(op.dependency));
  blob("ops", writeOperation(op.descriptor, CubeLayout::WithOffset));
  blob("surfs", writeSurfaces(op.descriptor, CubeLayout::WithOffset));
  using M = LoadableMemory;
  auto memory = [&](uint16_t flags, uint64_t size, const char *content) {
    M entry;
    entry.id = uint16_t(loadable.memories.size());
    entry.flags = flags;
    entry.size = size;
    if (content) {
      entry.contents = {content};
      entry.offsets = {0};
    }
    loadable.memories.push_back(entry);
    loadable.addresses.push_back({entry.id, entry.id, 0, size});
  };
  memory(M::Alloc | M::Set, 40, "addr0");
  memory(M::Alloc | M::Input, 24, nullptr);
  memory(M::Alloc | M::Output, outputBytes, nullptr);
  memory(M::Alloc | M::Set, 36, "deps");
  memory(M::Alloc | M::Set, 116, "ops");
  memory(M::Alloc | M::Set, 644, "surfs");
  loadable.tasks.push_back({0, Interface::Dla, -1, {0, 1, 2, 3, 4, 5}, {}, {}});
  loadable.submits.push_back({0, {0}});
  return loadable;
}

TEST(Loadable, RunsWhatItWrote) {
  std::vector<uint8_t> bytes = writeLoadable(poolingLoadable(8));
  EXPECT_EQ(std::string(bytes.begin() + 4, bytes.begin() + 8), "NVDA");
  llvm::Expected<Loadable> loadable = readLoadable(bytes);
  ASSERT_TRUE(bool(loadable)) << llvm::toString(loadable.takeError());
  LoadableRun run(*loadable, *findHardwareConfig("nv_small"));
  std::vector<uint8_t> input(24);
  for (size_t i = 0; i < input.size(); ++i) {
    input[i] = uint8_t(i);
  }
  ASSERT_EQ(llvm::toString(run.setInput(0, input)), "");
  ASSERT_EQ(llvm::toString(run.run()), "");
  llvm::Expected<std::vector<uint8_t>> output = run.output(0);
  ASSERT_TRUE(bool(output));
  EXPECT_EQ(*output, (std::vector<uint8_t>{16, 17, 18, 19, 20, 21, 22, 23}));
}

TEST(Loadable, RefusesCubesThatLeaveTheirMemory) {
  Loadable loadable = poolingLoadable(8);
  // Moves the source past the page that holds the input.
  PdpDescriptor pdp = std::get<PdpDescriptor>(*readEngine(
      Engine::Pdp, loadable.blobs[2].data, loadable.blobs[3].data, CubeLayout::WithOffset));
  pdp.source.offset = 4090;
  loadable.blobs[3].data = writeSurfaces(pdp, CubeLayout::WithOffset);
  LoadableRun run(loadable, *findHardwareConfig("nv_small"));
  EXPECT_EQ(llvm::toString(run.run()),
            "task 0: operation 0 (PDP): input: needs 16 bytes at offset 4090 "
            "of address 1, which has 4096");
}

TEST(Loadable, RefusesReferencesThatLeadNowhere) {
  auto readBack = [](const Loadable &loadable) {
    return llvm::toString(readLoadable(writeLoadable(loadable)).takeError());
  };
  Loadable loadable = poolingLoadable(8);
  loadable.memories[0].contents = {"no such"};
  EXPECT_EQ(readBack(loadable), "memory 0 holds blob 'no such', which is not in the file");
  loadable = poolingLoadable(8);
  loadable.memories[0].size = 39;
  EXPECT_EQ(readBack(loadable), "blob 'addr0' of 40 bytes at 0 does not fit memory 0 of 39");
  loadable = poolingLoadable(8);
  loadable.tasks[0].addresses.push_back(77);
  EXPECT_EQ(readBack(loadable), "task 0 uses address 77, which is not in the file");
  loadable = poolingLoadable(8);
  loadable.submits[0].tasks = {5};
  EXPECT_EQ(readBack(loadable), "submission 0 has task 5, which is not in the file");
  loadable = poolingLoadable(8);
  loadable.memories[2].size = uint64_t(1) << 40;
  EXPECT_EQ(readBack(loadable), "memory 2 has 1099511627776 bytes; at most 4 GiB are supported");
}

TEST(Loadable, IsShownAsTextJsonAndPicture) {
  const HardwareConfig &config = *findHardwareConfig("nv_small");
  llvm::Expected<InspectedLoadable> inspected =
      inspectLoadable("pool.nvdla", writeLoadable(poolingLoadable(8)), &config);
  ASSERT_TRUE(bool(inspected)) << llvm::toString(inspected.takeError());
  std::string text, svg;
  llvm::raw_string_ostream textStream(text), svgStream(svg);
  printLoadable(textStream, *inspected);
  printDependencySvg(svgStream, *inspected);
  EXPECT_NE(text.find("memories    6: 836 bytes filled by the file, 0 for activations, 32 inputs "
                      "and outputs"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    0  PDP   waits for 0  2 x 1 x 8 @1+8 -> 1 x 1 x 8 @2+0, 2 x 1 max, "
                      "stride 2 x 1, int8"),
            std::string::npos)
      << text;
  EXPECT_NE(svg.find(">0 PDP (0)</text>"), std::string::npos) << svg;
  llvm::json::Value json = loadableToJson(*inspected);
  const llvm::json::Object &task = *(*json.getAsObject()->getArray("tasks"))[0].getAsObject();
  const llvm::json::Object &layer = *(*task.getArray("estimate"))[0].getAsObject();
  EXPECT_EQ(layer.getString("units"), "PDP");
  EXPECT_EQ(layer.getInteger("data_bytes"), 16);
  EXPECT_EQ(layer.getInteger("cycles"), 64 + 16); // latency, and one element per cycle
}

/// A file with one changed byte must be rejected or run to an end without a crash.
TEST(Loadable, SurvivesDamage) {
  const std::vector<uint8_t> bytes = writeLoadable(poolingLoadable(8));
  size_t refused = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = bytes;
      damaged[i] ^= flip;
      llvm::Expected<Loadable> loadable = readLoadable(damaged);
      if (!loadable) {
        ++refused;
        llvm::consumeError(loadable.takeError());
        continue;
      }
      LoadableRun run(*loadable, *findHardwareConfig("nv_small"));
      llvm::consumeError(run.run());
    }
  }
  EXPECT_GT(refused, 100U);
  for (size_t length = 0; length < bytes.size(); ++length) {
    llvm::Expected<Loadable> part = readLoadable(llvm::ArrayRef(bytes).take_front(length));
    EXPECT_FALSE(bool(part)) << "cut to " << length;
    llvm::consumeError(part.takeError());
  }
}

TEST(Trace, SaysWhichLineIsWrong) {
  auto error = [](llvm::StringRef text) {
    return llvm::toString(parseStatements(text).takeError());
  };
  EXPECT_EQ(error("// fine\nreg_write(SDP.D_X_0, 1);"),
            "line 2: expects NVDLA_unit.register_0, got 'SDP.D_X_0'");
  EXPECT_EQ(error("reg_write(NVDLA_SDP.D_X_0);"), "line 1: reg_write expects 2 arguments, got 1");
  EXPECT_EQ(error("mem_init(third, 0, 1, ALL_ZERO);"),
            "line 1: expects pri_mem or sec_mem, got 'third'");
  EXPECT_EQ(error("jump(1);"), "line 1: unknown statement 'jump'");
  EXPECT_EQ(error("reg_write"), "line 1: expects 'name(arguments);', got 'reg_write'");
  auto pieces = parsePieces("{offset:0x4, size:2, payload:0x01}");
  EXPECT_EQ(llvm::toString(pieces.takeError()),
            "expects {offset:.., size:.., payload:..}, got '{offset:0x4, size:2, payload:0x01'");
}

TEST(Trace, FailsWhenNothingRunsAndIsWeakWhenNothingShows) {
  const HardwareConfig &config = *findHardwareConfig("nv_small");
  auto run = [&](llvm::StringRef text) {
    llvm::Expected<std::vector<TraceStatement>> statements = parseStatements(text);
    EXPECT_TRUE(bool(statements));
    return runTrace({"test", *statements}, config);
  };
  TraceResult none = run("intr_notify(SDP_0, s);");
  EXPECT_EQ(none.note, "line 1: SDP never completes: not all units of its job are enabled");
  EXPECT_EQ(run("mem_init(pri_mem, 0, 8, ALL_ZERO);").note, "the trace has no check_crc statement");
  // The checksum of eight zero bytes.
  EXPECT_EQ(run("check_crc(s, 1, 0x0, 0x8, 0x6522df69);").note,
            "no engine wrote to the region that is checked");
  TraceResult weak = run("reg_write(NVDLA_RBK.D_DAOUT_ADDR_LOW_0, 0x100);\n"
                         "reg_write(NVDLA_RBK.D_MISC_CFG_0, 0x0);\n"
                         "reg_write(NVDLA_RBK.D_DAOUT_RAM_TYPE_0, 0x1);\n"
                         "reg_write(NVDLA_RBK.D_OP_ENABLE_0, 0x1);\n"
                         "intr_notify(RBK_0, s);\n"
                         "check_crc(s, 1, 0x100, 0x8, 0x6522df69);");
  EXPECT_EQ(weak.note, "");
  EXPECT_EQ(weak.status, TraceResult::Status::Passed);
  EXPECT_TRUE(weak.isWeak);
}

} // namespace
