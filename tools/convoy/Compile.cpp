// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `convoy compile`: a model to a library or C source with a header, and what was built.

#include "Accelerators/Registry.h"
#include "BuildLibrary.h"
#include "Calibration.h"
#include "Codegen/C/Passes.h"
#include "Codegen/C/Source.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/Passes.h"
#include "DeviceLayers.h"
#include "Files.h"
#include "InputData.h"
#include "KernelTimes.h"
#include "MachineTarget.h"
#include "Pipeline/Pipeline.h"
#include "Pipeline/TargetOptions.h"
#include "Plant.h"
#include "Progress.h"
#include "SourceTest.h"
#include "Verbs.h"
#include "tuning/measure/Measurer.h"
#include "tuning/records/NoteMeasured.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace convoy::driver {
namespace {

/// The file's name as a C identifier, which prefixes every symbol.
std::string symbolPrefix(llvm::StringRef name) {
  std::string prefix;
  for (char c : name) {
    prefix += llvm::isAlnum(c) ? c : '_';
  }
  return prefix.empty() || llvm::isDigit(prefix[0]) ? "model_" + prefix : prefix;
}

/// One compile. Steps add problems to the log and say whether they went
/// well.
class Compilation {
public:
  Compilation(const CompileOptions &options, const BuildRequest &request, Console &console)
      : options(options), request(request), console(console),
        // read, import, the stages, library
        progress(console, static_cast<int>(stages().size()) + (options.withTest ? 4 : 3)),
        verifiesStages(kVerifiesStages || options.verifyStages) {}

  ExitCode run() {
    bool isDone = checkFlags() && read() && import() && runStages() &&
                  (!options.stopAfter.empty() ? printModule()
                   : isSource()               ? writeC()
                   : isProgram()              ? writePrograms()
                                              : write());
    progress.end();
    session.log().print(console.err);
    if (!isDone) {
      return isOwnBug ? kBug : session.log().failureCode(console.err);
    }
    return kDone;
  }

  CompileSummary summary;

private:
  bool checkFlags() {
    if (isSource() && (options.weights == "file" || !options.sanitize.empty())) {
      session.log().addError("not supported: --emit=c with --weights=file or --sanitize; weights "
                             "above 1 MiB are always beside C, and its compiler can sanitize");
    }
    if (!isSource() && (options.withTest || options.loops != "auto")) {
      session.log().addError("--with-test and --loops are for --emit=c");
    }
    if (!options.withTest && !options.input.inputs.empty()) {
      session.log().addError("--input is the data of a test bench; add --emit=c --with-test");
    }
    readTarget();
    if (isProgram() && !device) {
      session.log().addError("--emit=program writes what a device runs; add --target of one");
    }
    llvm::Expected<PassHook> plants = loadPlants(options.plants);
    if (plants) {
      instrument = std::move(*plants);
    } else {
      session.log().add(plants.takeError());
    }
    codegenOptions.weights =
        options.weights == "file" ? codegen::WeightsPlace::File : codegen::WeightsPlace::Linked;
    codegenOptions.hasProbes = request.hasProbes;
    codegenOptions.sanitizeThreads = options.sanitize == "thread";
    return !session.log().hasErrors();
  }

  /// A device's part runs beside code for this machine, or for the one of --cpu.
  void readTarget() {
    llvm::Expected<std::unique_ptr<accelerators::Accelerator>> found =
        accelerators::findAccelerator(options.target);
    if (!found) {
      session.log().add(found.takeError());
      return;
    }
    device = std::move(*found);
    if (!device && !options.cpu.empty()) {
      session.log().addError("--cpu names the machine beside a device, and --target " +
                             options.target + " is none; give the machine as --target");
      return;
    }
    llvm::Expected<targets::Target> target =
        targets::findTarget(!device               ? options.target
                            : options.cpu.empty() ? "host"
                                                  : options.cpu);
    if (!target) {
      session.log().add(target.takeError());
    } else {
      codegenOptions.target = std::move(*target);
    }
  }

  bool read() {
    progress.begin("read");
    llvm::Expected<import::Model> read = import::readModel(options.model.path);
    if (!read) {
      session.log().add(read.takeError());
      return false;
    }
    model = std::move(*read);
    codegenOptions.model = options.name.empty() ? symbolPrefix(model.name) : options.name;
    summary.countNodes(model);
    return true;
  }

  bool import() {
    progress.begin("import");
    importOptions = readModelFlags(options.model, model, session.log());
    if (!session.log().hasErrors()) {
      module =
          importCalibrated(session, model, importOptions, options.calibrate, options.input.image);
    }
    return module && !session.log().hasErrors();
  }

  bool runStages() {
    convoy::CompileOptions stageOptions = compileOptions(codegenOptions.target, options.threads);
    if (isSource()) {
      leaveOutIntrinsics(stageOptions);
    }
    if (device) {
      placeOn(*device, stageOptions);
    }
    stageOptions.layout.isStrictMath = options.math == "strict";
    stageOptions.quantize.isInteger = options.integer == "on";
    stageOptions.tasks.report = options.scheduleReport;
    if (!options.localise.empty()) {
      stageOptions.tasks.localise = options.localise;
    }
    if (!options.scheduleReport.empty() && stageOptions.tasks.threads <= 1) {
      session.log().addError("--schedule-report draws the schedule of several threads, got one; "
                             "add --threads=N");
      return false;
    }
    if (!setKernelTimes(stageOptions.tasks) || !setDeadline(stageOptions.tasks)) {
      return false;
    }
    for (const Stage &stage : stages()) {
      progress.begin(stage.name);
      PassManager passes(session.context());
      stage.addPasses(passes, stageOptions);
      if (failed(runPasses(passes)) || !keepsContract(stage.name, stage.addContract)) {
        return false;
      }
      if (stage.name == "fusion" && !noteRecords()) {
        return false;
      }
      summary.countOps(*module, stage.name);
      if (request.afterStage) {
        request.afterStage(*module, stage.name);
      }
      if (stage.name == options.stopAfter || (isProgram() && stage.name == "device")) {
        break;
      }
    }
    return true;
  }

  /// What records hold of the kernels, for the layout stage.
  bool noteRecords() {
    if (options.records.empty()) {
      return true;
    }
    tuning::Selection selection = tuning::selectionFor(codegenOptions.target.fingerprint(),
                                                       tuning::name(tuning::Policy::ColdWeights));
    llvm::Expected<tuning::Snapshot> snapshot = tuning::Snapshot::read(options.records, selection);
    if (!snapshot) {
      session.log().add(snapshot.takeError());
      return false;
    }
    tuning::TaskSettings settings;
    settings.isStrictMath = options.math == "strict";
    settings.threads = options.threads == 0 ? codegenOptions.target.cores : options.threads;
    summary.tuned = tuning::noteMeasured(*module, *snapshot, settings, request.verdict);
    summary.recordsHash = snapshot->hash();
    (*module)->setAttr(codegen::kRecordsAttr, StringAttr::get(session.context(), snapshot->hash()));
    return true;
  }

  bool setKernelTimes(tasks::TasksOptions &tasks) {
    if (options.kernelTimes.empty()) {
      return true;
    }
    if (tasks.threads <= 1) {
      session.log().addError("--kernel-times is for the schedule of several threads, got one; add "
                             "--threads=N");
      return false;
    }
    llvm::Expected<std::map<std::string, double>> times = readKernelTimes(options.kernelTimes);
    if (!times) {
      session.log().add(times.takeError());
      return false;
    }
    tasks.kernelTimes = std::move(*times);
    return true;
  }

  bool setDeadline(tasks::TasksOptions &tasks) {
    if (options.deadlineMs == 0) {
      return true;
    }
    const targets::Target &target = codegenOptions.target;
    if (target.powerStates.empty()) {
      session.log().addError("--deadline chooses among power states and target '" + target.name +
                             "' has none; add powerStates to a description of it and give that "
                             "as --target=FILE.json");
      return false;
    }
    if (tasks.threads <= 1) {
      session.log().addError("--deadline chooses how many cores to use, got one; add --threads=N");
      return false;
    }
    tasks.deadlineNs = static_cast<int64_t>(options.deadlineMs * 1e6);
    for (const targets::PowerState &state : target.powerStates) {
      tasks.powerStates.push_back({state.name, static_cast<double>(state.megahertz),
                                   static_cast<double>(state.activeMilliwatts),
                                   static_cast<double>(state.idleMilliwatts)});
    }
    return true;
  }

  /// The IR as convoy-opt reads it, but for the elements of large constants.
  bool printModule() {
    constexpr int64_t kLongestText = 16;
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(kLongestText).elideLargeResourceString(kLongestText);
    module->print(console.out, flags);
    return true;
  }

  /// Checks a contract if asked to. One that is broken is our bug, not the model's.
  bool keepsContract(llvm::StringRef stage, void (*addContract)(OpPassManager &)) {
    PassManager contract(session.context());
    addContract(contract);
    if (!verifiesStages || succeeded(contract.run(*module))) {
      return true;
    }
    session.log().addError("this is a bug in convoy: the " + stage +
                           " stage broke what it promises to the next");
    isOwnBug = true;
    return false;
  }

  LogicalResult runPasses(PassManager &passes) {
    if (instrument) {
      instrument(passes);
    }
    return passes.run(*module);
  }

  bool write() {
    progress.begin("library");
    // Else writeLibrary does it, unseen by plants and contracts.
    if (instrument || verifiesStages) {
      PassManager passes(session.context());
      codegen::addCodegenPasses(passes, codegenOptions);
      if (failed(runPasses(passes)) || !keepsContract("codegen", codegen::addCodegenContract)) {
        return false;
      }
    }
    auto files = codegen::writeLibrary(*module, codegenOptions, options.output);
    if (!files) {
      session.log().add(files.takeError());
      return false;
    }
    summary.files = std::move(*files);
    return true;
  }

  bool isSource() const { return options.emit == "c"; }
  bool isProgram() const { return options.emit == "program"; }

  /// The regions of a device as files of its own kind, without the CPU's part.
  bool writePrograms() {
    progress.begin("programs");
    std::vector<std::vector<uint8_t>> programs = programsOf(*module);
    if (programs.empty()) {
      session.log().addError("no part of the model runs on '" + device->name().str() +
                             "'; `convoy explain` says why");
      return false;
    }
    if (std::error_code error = llvm::sys::fs::create_directories(options.output)) {
      session.log().addError("cannot create '" + options.output + "': " + error.message());
      return false;
    }
    llvm::Expected<std::vector<accelerators::LayerReport>> layers = timeLayers(*module, *device);
    if (!layers) {
      session.log().add(layers.takeError());
      return false;
    }
    llvm::json::Array files;
    for (auto [i, program] : llvm::enumerate(programs)) {
      std::string number = programs.size() == 1 ? "" : "_" + std::to_string(i);
      for (const accelerators::ProgramFile &file : device->filesOf(program, commandsOf(program))) {
        llvm::SmallString<128> path(options.output);
        llvm::sys::path::append(path, codegenOptions.model + number + "." + file.extension);
        llvm::StringRef bytes(reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size());
        if (llvm::Error error = writeFile(path, bytes)) {
          session.log().add(std::move(error));
          return false;
        }
        files.push_back(path.str().str());
      }
    }
    printPrograms(std::move(files), *layers);
    return true;
  }

  void printPrograms(llvm::json::Array files, llvm::ArrayRef<accelerators::LayerReport> layers) {
    if (options.isJson) {
      llvm::json::Object object{{"files", std::move(files)}, {"layers", layersToJson(layers)}};
      console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))) << "\n";
      return;
    }
    for (const llvm::json::Value &file : files) {
      console.out << *file.getAsString() << "\n";
    }
    printLayers(console.out, layers);
  }

  bool writeC() {
    progress.begin("source");
    PassManager passes(session.context());
    codegen::addSourcePasses(passes);
    if (failed(runPasses(passes))) {
      return false;
    }
    codegen::SourceOptions sourceOptions;
    sourceOptions.model = codegenOptions.model;
    sourceOptions.target = codegenOptions.target;
    const std::string &loops =
        options.loops == "auto" ? sourceOptions.target.sourceLoops : options.loops;
    sourceOptions.flavour = loops == "plain" ? codegen::Flavour::Plain : codegen::Flavour::Vectors;
    auto files = codegen::writeSource(*module, sourceOptions, options.output);
    if (!files) {
      session.log().add(files.takeError());
      return false;
    }
    if (options.withTest && !addTest(*files)) {
      return false;
    }
    summary.setSource(*files);
    summary.sourceCompiler = sourceOptions.target.sourceCompiler;
    return true;
  }

  bool addTest(codegen::SourceFiles &files) {
    progress.begin("test");
    FailureOr<codegen::TestCase> test =
        makeSourceTest(model, importOptions, options.input, options.integer == "on", session.log());
    if (failed(test)) {
      return false;
    }
    if (llvm::Error error = codegen::writeTest(files, *test, options.output)) {
      session.log().add(std::move(error));
      return false;
    }
    return true;
  }

  const CompileOptions &options;
  const BuildRequest &request;
  Console &console;
  Progress progress;
  Session session;
  import::Model model;
  import::ImportOptions importOptions;
  OwningOpRef<ModuleOp> module;
  codegen::CodegenOptions codegenOptions;
  std::unique_ptr<accelerators::Accelerator> device; // null for the CPU alone
  PassHook instrument;
  bool verifiesStages;
  bool isOwnBug = false;
};

} // namespace

ExitCode buildLibrary(const CompileOptions &options, const BuildRequest &request, Console &console,
                      CompileSummary &summary) {
  Compilation compilation(options, request, console);
  ExitCode code = compilation.run();
  summary = std::move(compilation.summary);
  return code;
}

ExitCode compile(const CompileOptions &options, Console &console) {
  CompileSummary summary;
  ExitCode code = buildLibrary(options, BuildRequest(), console, summary);
  if (code != kDone || !options.stopAfter.empty() || options.emit == "program") {
    return code;
  }
  if (options.isJson) {
    printJson(console.out, summary);
  } else {
    printText(console.out, summary);
  }
  return kDone;
}

} // namespace convoy::driver
