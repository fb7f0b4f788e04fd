// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs programs of the abstract device. `prepare` converts a portable program to a command stream
// and `execute` runs the stream. Both call the C code in runtime/abstract.

#include "Accelerators/Abstract/AbstractSimulator.h"

#include "abstract/layers.h"
#include "convoy/convoy.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <map>

namespace convoy::abstract {
namespace {

class AbstractSimulator : public accelerators::Simulator {
public:
  explicit AbstractSimulator(const Parameters &parameters) : parameters(parameters) {}

  void skipData() override { isTimeOnly = true; }
  std::vector<accelerators::LayerReport> report() const override { return reports; }

protected:
  bool isPortable() const override { return true; }

  /// Returns the program unchanged and stores its stream under the address of its commands.
  int prepare(llvm::ArrayRef<uint8_t> program, llvm::ArrayRef<uint8_t> &result) override {
    convoy_program header;
    if (program.size() < sizeof header) {
      return fail(CONVOY_ERROR_PROGRAM, "the data is not a program, or it is truncated");
    }
    std::memcpy(&header, program.data(), sizeof header);
    if (header.magic != CONVOY_PROGRAM_MAGIC || header.commands_offset > program.size() ||
        header.commands_bytes > program.size() - header.commands_offset) {
      return fail(CONVOY_ERROR_PROGRAM, "the data is not a program, or it is truncated");
    }
    llvm::ArrayRef<uint8_t> list = program.slice(header.commands_offset, header.commands_bytes);
    Stream &stream = streams[list.data()];
    stream.names = namesOf(list);
    result = program;
    return generate(list, stream.words);
  }

  int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) override {
    auto found = streams.find(commands.data());
    if (found == streams.end()) {
      return fail(CONVOY_ERROR_PROGRAM, "the program was not prepared for this device");
    }
    const Stream &stream = found->second;
    local.resize(isTimeOnly ? 0 : parameters.device.memory_bytes);
    const convoy_abstract_segment segments[] = {{memory.data(), memory.size()},
                                                {memory.data(), memory.size()}};
    std::vector<convoy_abstract_layer_report> layers(stream.names.size());
    convoy_abstract_report times = {{}, layers.data(), layers.size()};
    convoy_abstract_fault fault = {};
    int code =
        convoy_abstract_simulate(&parameters.device, stream.words.data(), stream.words.size(),
                                 segments, 2, isTimeOnly ? nullptr : local.data(), &times, &fault);
    if (code != CONVOY_ABSTRACT_OK) {
      return fail(CONVOY_ERROR_PROGRAM, llvm::formatv("word {0} of the stream: {1}", fault.word,
                                                      convoy_abstract_text(code))
                                            .str());
    }
    setReports(stream.names, layers);
    return CONVOY_OK;
  }

private:
  struct Stream {
    std::vector<uint32_t> words;
    std::vector<std::string> names; // names of the layers
  };

  static std::vector<std::string> namesOf(llvm::ArrayRef<uint8_t> list) {
    std::vector<std::string> names;
    convoy_abstract_header header;
    if (convoy_abstract_read_header(list.data(), list.size(), &header) != CONVOY_ABSTRACT_OK) {
      return names;
    }
    for (uint32_t i = 0; i < header.layer_count; ++i) {
      convoy_abstract_layer layer;
      convoy_abstract_read_layer(list.data(), i, &layer);
      names.emplace_back(convoy_abstract_layer_name(list.data(), &header, &layer));
    }
    return names;
  }

  int generate(llvm::ArrayRef<uint8_t> list, std::vector<uint32_t> &words) {
    std::vector<uint64_t> scratch(
        convoy_abstract_scratch_bytes(list.data(), list.size()) / sizeof(uint64_t) + 1);
    convoy_abstract_fault fault = {};
    size_t count = 0;
    int code = CONVOY_ABSTRACT_SPACE;
    // The first call determines the length of the stream.
    for (int pass = 0; pass < 2 && code == CONVOY_ABSTRACT_SPACE; ++pass) {
      words.resize(count);
      code = convoy_abstract_generate(
          &parameters.device, &parameters.options, list.data(), list.size(), scratch.data(),
          scratch.size() * sizeof(uint64_t), words.data(), words.size(), &count, &fault);
    }
    if (code != CONVOY_ABSTRACT_OK) {
      return fail(CONVOY_ERROR_PROGRAM,
                  llvm::formatv("layer {0}: {1}", fault.layer, convoy_abstract_text(code)).str());
    }
    return CONVOY_OK;
  }

  void setReports(const std::vector<std::string> &names,
                  const std::vector<convoy_abstract_layer_report> &layers) {
    reports.clear();
    for (size_t i = 0; i < names.size(); ++i) {
      const convoy_abstract_layer_report &layer = layers[i];
      double slots = static_cast<double>(layer.cycles) * parameters.device.pes;
      reports.push_back({names[i], "", static_cast<double>(layer.cycles),
                         static_cast<double>(layer.stall_cycles),
                         slots > 0 ? static_cast<double>(layer.macs) / slots : 0,
                         static_cast<int64_t>(layer.dma_bytes)});
    }
  }

  Parameters parameters;
  std::vector<uint8_t> local;
  bool isTimeOnly = false;
  std::map<const uint8_t *, Stream> streams;
  std::vector<accelerators::LayerReport> reports;
};

} // namespace

std::unique_ptr<accelerators::Simulator> createSimulator(const Parameters &parameters) {
  return std::make_unique<AbstractSimulator>(parameters);
}

} // namespace convoy::abstract
