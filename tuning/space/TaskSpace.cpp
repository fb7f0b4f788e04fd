// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerates the spaces of all templates and keeps the points that can run.

#include "tuning/space/TaskSpace.h"
#include "Kernels/Machine.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;

namespace convoy::tuning {
namespace {

/// The minimum number of entries per template and layout, even if they are estimated to be
/// slow. The Layout stage needs alternatives to choose from.
constexpr size_t kLeastOfPart = 16;

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  attribute.print(stream);
  return text;
}

class Collector {
public:
  Collector(graph::KernelOp kernel, const SpaceOptions &options)
      : kernel(kernel), options(options) {
    this->options.machine = kernels::machineFor(kernel, options.machine);
  }

  llvm::Expected<TaskSpace> collect() {
    for (layout::LayoutSpace &part :
         layout::spacesOf(kernel, options.machine, options.isStrictMath)) {
      if (options.file && !options.file->hasTemplate(part.space.templateId)) {
        continue;
      }
      llvm::Error error = options.file ? options.file->apply(part.space) : llvm::Error::success();
      if (error) {
        return std::move(error);
      }
      addPart(part);
    }
    addDefault();
    sort();
    limit();
    compareCycles();
    return std::move(result);
  }

private:
  void reject(const std::string &reason) { ++result.rejected[reason]; }

  void addPart(const layout::LayoutSpace &part) {
    size_t number = result.parts.size();
    SpacePart &own = result.parts.emplace_back();
    for (const kernels::Knob &knob : part.space.knobs) {
      llvm::append_range(own.parameters, knob.parameters);
      own.widths.push_back(knob.parameters.size());
    }
    result.points += part.space.size();
    part.space.forEach([&](const kernels::Settings &settings) {
      std::string reason = part.space.whyNot(settings);
      if (!reason.empty()) {
        reject(reason);
        return;
      }
      SpaceEntry entry;
      entry.part = number;
      entry.settings = settings;
      entry.cycles = part.space.cycles(settings);
      entry.configuration.templateId = part.space.templateId;
      entry.configuration.templateVersion = part.space.version;
      add(std::move(entry), part.space.configure(settings), part.input);
    });
  }

  /// Adds the entry if the kernel accepts the configuration with this input layout.
  void add(SpaceEntry entry, Attribute config, Attribute input) {
    llvm::Expected<layout::Candidate> candidate = layout::candidateFor(kernel, config, input);
    if (!candidate) {
      reject(llvm::StringRef(llvm::toString(candidate.takeError())).rsplit(": ").second.str());
      return;
    }
    entry.configuration.text = config ? textOf(config) : "";
    entry.configuration.inputLayout = layoutText(input);
    entry.configuration.outputLayout = layoutText(candidate->result);
    if (!seen.insert(entry.configuration).second) {
      reject("another point has the same settings");
      return;
    }
    result.entries.push_back(std::move(entry));
  }

  /// Records the compiler's choice without measurements, if no reorder has a cost.
  void addDefault() {
    unsigned main = layout::mainOperand(kernel);
    const layout::Candidate *best = nullptr;
    auto candidates = layout::candidatesOf(kernel, options.machine, options.isStrictMath);
    for (const layout::Candidate &candidate : candidates) {
      best = !best || candidate.cycles < best->cycles ? &candidate : best;
    }
    first.text = best->config ? textOf(best->config) : "";
    first.inputLayout = layoutText(best->operands[main]);
    first.outputLayout = layoutText(best->result);
  }

  bool isFirst(const SpaceEntry &entry) const {
    const Configuration &c = entry.configuration;
    return c.text == first.text && c.inputLayout == first.inputLayout &&
           c.outputLayout == first.outputLayout;
  }

  void sort() {
    llvm::sort(result.entries, [&](const SpaceEntry &a, const SpaceEntry &b) {
      auto rank = [&](const SpaceEntry &entry) {
        return std::tuple(!isFirst(entry), entry.cycles);
      };
      return rank(a) != rank(b) ? rank(a) < rank(b) : a.configuration < b.configuration;
    });
  }

  void limit() {
    if (result.entries.size() <= options.mostEntries) {
      return;
    }
    std::map<size_t, size_t> kept;
    std::vector<SpaceEntry> entries;
    // Keeps the first entries of each part, then fills the remaining places by rank.
    size_t reserved = 0;
    for (const SpaceEntry &entry : result.entries) {
      reserved += kept[entry.part]++ < kLeastOfPart;
    }
    size_t free = options.mostEntries - std::min(reserved, options.mostEntries);
    kept.clear();
    for (SpaceEntry &entry : result.entries) {
      bool isReserved = kept[entry.part]++ < kLeastOfPart;
      if (isReserved || free > 0) {
        free -= isReserved ? 0 : 1;
        entries.push_back(std::move(entry));
      } else {
        reject("its estimate is slower than the kept points, whose number is limited");
      }
    }
    result.entries = std::move(entries);
  }

  void compareCycles() {
    double fewest = std::numeric_limits<double>::infinity();
    for (const SpaceEntry &entry : result.entries) {
      fewest = std::min(fewest, std::max(entry.cycles, 1.0));
    }
    for (SpaceEntry &entry : result.entries) {
      entry.cyclesByFewest = std::max(entry.cycles, 1.0) / fewest;
    }
  }

  graph::KernelOp kernel;
  SpaceOptions options; // with the machine of the kernel
  TaskSpace result;
  Configuration first;
  std::set<Configuration> seen;
};

} // namespace

std::string layoutText(Attribute layout) { return layout ? textOf(layout) : kPlanarLayout; }

const SpaceEntry *TaskSpace::find(const Configuration &configuration) const {
  auto found = llvm::find_if(
      entries, [&](const SpaceEntry &entry) { return entry.configuration == configuration; });
  return found == entries.end() ? nullptr : &*found;
}

llvm::Expected<TaskSpace> spaceOf(graph::KernelOp kernel, const SpaceOptions &options) {
  // The dialect of configurations is not loaded before the Layout stage.
  loadTaskDialects(*kernel.getContext());
  return Collector(kernel, options).collect();
}

} // namespace convoy::tuning
