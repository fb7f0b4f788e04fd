// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flags of each verb, by CLI11. Flags that few need are shown by --help-all.

#include "Arguments.h"
#include "Driver/Pages.h"
#include "llvm/ADT/StringExtras.h"
#include <CLI/CLI.hpp>

namespace convoy::tool {
namespace {

/// What differs between verbs in the flags that all of them share.
struct BuildFlagsForm {
  bool hasModel = true;                         // one model; else the verb has a list of them
  std::vector<std::string> *targets = nullptr;  // a list of targets instead of one
  std::vector<int64_t> *threadCounts = nullptr; // a list of numbers instead of one
  bool needsTarget = false;
  const char *target = "Target; `convoy targets` lists them";
  /// The flags that name images; a flag about images needs one of them.
  std::vector<std::string> imageReaders = {"--calibrate"};
  bool hasImageInput = false; // images are what the verb is for
  const char *records = "Tuning records to choose kernels by; `convoy tune` writes them";
};

/// Adds flags to a verb; `hidden` is the group of flags for --help-all.
struct Flags {
  CLI::App &app;
  std::string hidden;

  void model(io::ModelFlags &o) {
    app.add_option("model", o.path, "ONNX model file")->required()->type_name("MODEL");
    pins(o);
  }

  void pins(io::ModelFlags &o) {
    list("--input-shape", o.inputShapes, "Shape of an input, as data:1x3x224x224", "NAME:SHAPE");
    list("--dim", o.dims, "Size of a named dimension, as batch=1", "NAME=SIZE")->group(hidden);
    list("--const", o.constants, "Input to make a constant, from .pb or .npy", "NAME=FILE")
        ->group(hidden);
  }

  void input(std::vector<std::string> &inputs) {
    list("--input", inputs, "Data: .npy, .pb, .raw, a PNG, JPEG or BMP image, or random[:SEED]",
         "[NAME=]FILE");
  }

  /// The flags of every verb that compiles, in one place: a verb has all of them, and
  /// refuses what means nothing to it.
  void build(BuildFlags &o, const BuildFlagsForm &form = {}) {
    if (form.hasModel) {
      model(o.model);
    } else {
      pins(o.model);
    }
    target(o, form);
    math(o.math);
    integer(o.integer);
    calibrate(o.calibrate);
    image(o.image, form.hasImageInput ? "Options" : hidden);
    if (form.threadCounts) {
      threadCounts(*form.threadCounts);
    } else {
      threads(o.threads);
    }
    app.add_option("--records", o.records, form.records)->type_name("FILE");
    kernelTimes(o.kernelTimes);
    localise(o.localise);
    faults(o.faults);
    atTheEnd(o, form);
  }

  void target(BuildFlags &o, const BuildFlagsForm &form) {
    if (form.targets) {
      targets(*form.targets);
    } else {
      CLI::Option *option = app.add_option("--target", o.target, form.target)->type_name("NAME");
      option->required(form.needsTarget);
    }
    app.add_option("--cpu", o.cpu,
                   "With a device as --target: the machine beside it (host), a name or .json")
        ->type_name("NAME")
        ->group(hidden);
    placement(o.placement);
    // A wish to the device is a parameter of its target.
    auto optimize = [&o, list = form.targets](const std::string &what) {
      o.target += ":optimize=" + what;
      for (size_t i = 0; list && i < list->size(); ++i) {
        (*list)[i] += ":optimize=" + what;
      }
    };
    app.add_option_function<std::string>("--optimize", optimize,
                                         "With a device that has the choice: latency, memory")
        ->check(CLI::IsMember({"latency", "memory"}))
        ->type_name("WHAT");
  }

  void placement(PlacementRequest &o) {
    auto setPolicy = [&o](const std::string &name) {
      o.policy = name == "fastest" ? PlacePolicy::Fastest : PlacePolicy::All;
    };
    app.add_option_function<std::string>(
           "--place", setPolicy,
           "Place on the device all ops that it supports, or with `fastest` only regions that "
           "are estimated to be faster there than on one CPU core (default: all)")
        ->check(CLI::IsMember({"all", "fastest"}))
        ->type_name("POLICY");
    app.add_flag("--require-device", o.requiresDevice,
                 "Fail with exit code 2 if no op runs on the device (default: warn)");
  }

  /// Keeps the names of flags that are on the command line, and sees that flags about
  /// images have images.
  void atTheEnd(BuildFlags &o, const BuildFlagsForm &form) {
    app.callback([&o, verb = &app, readers = form.imageReaders] {
      auto isGiven = [&](const std::string &flag) { return verb->count(flag) > 0; };
      for (const char *flag :
           {"--resize", "--color", "--mean", "--std", "--scale", "--crop", "--image-layout"}) {
        if (isGiven(flag) && llvm::none_of(readers, isGiven)) {
          throw CLI::ValidationError(flag,
                                     "expects images to prepare, and no flag names any; add " +
                                         llvm::join(readers, " or "));
        }
      }
      for (const CLI::Option *option : verb->get_options()) {
        if (option->count() > 0 && !option->get_lnames().empty()) {
          o.given.insert("--" + option->get_lnames().front());
        }
      }
    });
  }

  void image(io::ImageFlags &o, const std::string &group) {
    app.add_option("--resize", o.resize, "Image size first: short side (256), WxH, none, auto")
        ->type_name("SIZE")
        ->group(group);
    app.add_option("--color", o.color, "Channel order of the input: rgb, bgr, gray")
        ->check(CLI::IsMember({"rgb", "bgr", "gray"}))
        ->type_name("ORDER")
        ->group(group);
    numbers("--mean", o.mean, "Subtracted from pixel * scale, one or per channel")->group(group);
    numbers("--std", o.std, "Divides what is left, one or per channel")->group(group);
    numbers("--scale", o.scale, "Multiplies pixels; 1/255 for float inputs, else 1")->group(group);
    app.add_option("--crop", o.crop, "Cut to the input's size: center, none")
        ->check(CLI::IsMember({"center", "none"}))
        ->type_name("WHERE")
        ->group(hidden);
    app.add_option("--image-layout", o.layout, "Dimension order of the input: nchw, nhwc")
        ->check(CLI::IsMember({"nchw", "nhwc"}))
        ->type_name("ORDER")
        ->group(hidden);
  }

  void threads(int64_t &threads) {
    app.add_option("--threads", threads,
                   "Threads of an inference; 0 for one per core that the process may use")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str()
        ->type_name("N");
  }

  void kernelTimes(std::string &file) {
    app.add_option("--kernel-times", file,
                   "With --threads: schedule by measured times, from `bench --layers --json FILE`")
        ->type_name("FILE")
        ->group(hidden);
  }

  void localise(std::string &localise) {
    app.add_option("--localise", localise,
                   "Layers in bands of rows that stay in a core's cache: on where that is "
                   "thought to be faster, off, always")
        ->check(CLI::IsMember({"on", "off", "always"}))
        ->type_name("WHEN")
        ->group(hidden);
  }

  void math(std::string &math) {
    app.add_option("--math", math, "fast may use Winograd; strict keeps to direct convolution")
        ->check(CLI::IsMember({"fast", "strict"}))
        ->type_name("KIND")
        ->group(hidden);
  }

  void integer(std::string &integer) {
    app.add_option(
           "--integer", integer,
           "on makes integer layers of quantised ones; off keeps to ONNX's float arithmetic")
        ->check(CLI::IsMember({"on", "off"}))
        ->type_name("ON|OFF")
        ->group(hidden);
  }

  void calibrate(std::string &folder) {
    app.add_option("--calibrate", folder,
                   "Quantise a float model to 8 bits by the samples in a folder: files of one "
                   "input (images by --mean, --std and the like), or folders of input_N.pb")
        ->type_name("DIR");
  }

  void faults(driver::FaultInjection &o) {
    list("--load-pass-plugin", o.plugins, "Pass plug-in to load, for --plant", "FILE")
        ->group(hidden);
    list("--plant", o.faults, "Plug-in pass to run after each run of a pass: planted bugs",
         "AFTER:PASS")
        ->group(hidden);
  }

  void json(bool &isJson) {
    app.add_flag("--json", isJson, "Print the result as JSON")->group(hidden);
  }

  CLI::Option *list(const char *flag, std::vector<std::string> &values, const char *help,
                    const char *type) {
    // One value per flag, so that a positional argument may follow.
    return app.add_option(flag, values, help)->expected(1)->take_all()->type_name(type);
  }

  CLI::Option *numbers(const char *flag, std::vector<double> &values, const char *help) {
    auto read = [flag, &values](const std::string &text) {
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(text).split(parts, ',');
      for (llvm::StringRef part : parts) {
        if (part.trim().getAsDouble(values.emplace_back())) {
          throw CLI::ValidationError(flag, "'" + text +
                                               "' is no number or list of numbers "
                                               "like 0.5,0.5,0.5");
        }
      }
    };
    return app.add_option_function<std::string>(flag, read, help)->type_name("X[,X..]");
  }

  void threadCounts(std::vector<int64_t> &counts) {
    auto read = [&counts](const std::string &text) {
      counts.clear();
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(text).split(parts, ',');
      for (llvm::StringRef part : parts) {
        if (part.trim().getAsInteger(10, counts.emplace_back()) || counts.back() < 1 ||
            counts.back() > 1024) {
          throw CLI::ValidationError("--threads", "'" + text +
                                                      "' is no number of threads or list "
                                                      "like 1,2");
        }
      }
    };
    app.add_option_function<std::string>("--threads", read, "Numbers of threads, each measured (1)")
        ->type_name("N[,N..]");
  }

  void targets(std::vector<std::string> &names) {
    auto read = [&names](const std::string &text) {
      names.clear();
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(text).split(parts, ',');
      for (llvm::StringRef part : parts) {
        names.push_back(part.trim().str());
      }
    };
    app.add_option_function<std::string>("--target", read, "Targets, separated by commas")
        ->type_name("NAME[,..]");
  }
};

struct AllOptions {
  CompileOptions compile;
  RunOptions run;
  CheckOptions check;
  BenchOptions bench;
  TuneOptions tune;
  RecordsOptions records;
  ExplainOptions explain;
  ReportOptions report;
  SweepOptions sweep;
  InspectOptions inspect;
  OpsOptions ops;
  TargetsOptions targets;
};

/// The verbs with their flags. The result keeps pointers into `o`.
class CommandLine {
public:
  CommandLine(AllOptions &o, bool isAll)
      : app("Convoy compiles ONNX models to native code", "convoy"),
        hidden(isAll ? "More options" : ""), options(o) {
    app.require_subcommand(1);
    app.set_help_all_flag("--help-all", "Help with every flag");
    app.add_flag("--help-stages", "List the stages of a compile; --markdown for a page");
    addCompile();
    addRun();
    addCheck();
    addBench();
    addTune();
    addRecords();
    addExplain();
    addReport();
    addSweep();
    addLists();
  }

  CLI::App app;

  ExitCode call(Console &console) const {
    if (compile->parsed()) {
      return tool::compile(options.compile, console);
    }
    if (run->parsed()) {
      return tool::run(options.run, console);
    }
    if (check->parsed()) {
      return tool::check(options.check, console);
    }
    if (bench->parsed()) {
      return tool::bench(options.bench, console);
    }
    if (tune->parsed()) {
      return tool::tune(options.tune, console);
    }
    if (records->parsed()) {
      return tool::records(options.records, console);
    }
    if (explain->parsed()) {
      return tool::explain(options.explain, console);
    }
    if (report->parsed()) {
      return tool::report(options.report, console);
    }
    if (sweep->parsed()) {
      return tool::sweep(options.sweep, console);
    }
    if (inspect->parsed()) {
      return tool::inspect(options.inspect, console);
    }
    return ops->parsed() ? listOps(options.ops, console) : listTargets(options.targets, console);
  }

private:
  CLI::App *verb(const char *name, const char *help) {
    CLI::App *result = app.add_subcommand(name, help);
    result->set_help_all_flag("--help-all", "Help with every flag");
    return result;
  }

  void addCompile() {
    CompileOptions &o = options.compile;
    compile = verb("compile", "Compile a model to a library, header and weights");
    Flags flags{*compile, hidden};
    BuildFlagsForm form;
    form.imageReaders = {"--calibrate", "--input"};
    flags.build(o.build, form);
    compile->add_option("-o,--output", o.output, "Folder for the results")->type_name("DIR");
    compile
        ->add_option("--emit", o.emit,
                     "What to write: library, c, program (what a device runs, as its own file)")
        ->check(CLI::IsMember({"library", "c", "program"}))
        ->type_name("KIND");
    compile->add_flag("--with-test", o.withTest,
                      "With --emit=c: a test bench, with what the reference gives");
    flags.list("--input", o.inputs,
               "Data of the test bench: .npy, .pb, .raw, an image, or random[:SEED]",
               "[NAME=]FILE");
    compile
        ->add_option("--loops", o.loops,
                     "With --emit=c: vectors (types of gcc and clang), plain (loops over lanes); "
                     "else by the target")
        ->check(CLI::IsMember({"auto", "vectors", "plain"}))
        ->type_name("KIND")
        ->group(hidden);
    compile
        ->add_option("--name", o.name, "Name of files and C symbols; else that of the model file")
        ->type_name("NAME");
    compile->add_option("--weights", o.weights, "Where weights live: linked into the library, file")
        ->check(CLI::IsMember({"linked", "file"}))
        ->type_name("PLACE")
        ->group(hidden);
    compile->add_option("--stop-after", o.stopAfter, "Print the IR after a stage and stop")
        ->check(CLI::IsMember(driver::stageNames()))
        ->type_name("STAGE")
        ->group(hidden);
    compile
        ->add_option("--schedule-report", o.scheduleReport,
                     "With --threads: draw who does what and when, for a browser")
        ->type_name("FILE")
        ->group(hidden);
    compile
        ->add_option("--deadline", o.deadlineMs,
                     "With --threads: least energy within this time, by the target's power states")
        ->type_name("MS")
        ->check(CLI::PositiveNumber)
        ->group(hidden);
    compile
        ->add_flag("--verify-stages", o.verifyStages,
                   "Check after each stage what the next relies on")
        ->group(hidden);
    compile->add_option("--sanitize", o.sanitize, "Code for a program built so: thread")
        ->check(CLI::IsMember({"thread"}))
        ->type_name("KIND")
        ->group(hidden);
    flags.json(o.isJson);
  }

  void addRun() {
    RunOptions &o = options.run;
    run = verb("run", "Compile a model in memory and run it");
    Flags flags{*run, hidden};
    o.build.threads = 0;
    flags.build(o.build, inputForm());
    flags.input(o.inputs);
    run->add_option("--top", o.top, "Print the N largest elements of each output")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    run->add_option("--labels", o.labels, "Names of classes, one per line")->type_name("FILE");
    run->add_option("--output", o.output, "Folder to write the outputs to")
        ->type_name("DIR")
        ->group(hidden);
    run->add_option("--output-format", o.format, "Kind of files: npy, pb")
        ->check(CLI::IsMember({"npy", "pb"}))
        ->type_name("KIND")
        ->group(hidden);
    flags.json(o.isJson);
  }

  void addCheck() {
    CheckOptions &o = options.check;
    check = verb("check", "Compare targets with golden outputs or with the reference");
    Flags flags{*check, hidden};
    BuildFlagsForm form = inputForm();
    form.targets = &o.targets;
    flags.build(o.build, form);
    flags.list("--golden", o.goldens, "Folder of input_N.pb and output_N.pb, or of such folders",
               "DIR");
    flags.input(o.inputs);
    check
        ->add_flag("--layers", o.hasLayers,
                   "How far each integer layer is from ONNX's arithmetic on the same inputs")
        ->group(hidden);
    check
        ->add_flag(
            "--exact", o.isExact,
            "Outputs have to be equal byte for byte, as integer graphs promise; of a softmax "
            "behind them, and the like, what goes into it")
        ->group(hidden);
    flags.json(o.isJson);
  }

  void addBench() {
    BenchOptions &o = options.bench;
    bench = verb("bench", "Measure the speed of models, also against ONNX Runtime");
    Flags flags{*bench, hidden};
    bench->add_option("models", o.models, "ONNX model files")->type_name("MODEL..");
    bench
        ->add_option("--matrix", o.matrix,
                     "JSON file of models, targets, threads and flags, each cell measured")
        ->type_name("FILE");
    bench->add_option("--table", o.table, "With --matrix: file for the table, as Markdown")
        ->type_name("FILE")
        ->group(hidden);
    BuildFlagsForm form;
    form.hasModel = false;
    form.threadCounts = &o.threads;
    flags.build(o.build, form);
    bench
        ->add_option("--against", o.against,
                     "Peer to run in turn with the model: onnxruntime, from build/peers, where "
                     "scripts/install-deps.sh --bench puts it")
        ->check(CLI::IsMember({"onnxruntime"}))
        ->type_name("PEER");
    bench->add_option("--samples", o.samples, "Samples of each program (30)")
        ->check(CLI::Range(1, 100000))
        ->type_name("N");
    bench->add_option("--json", o.json, "File to write the results to, as a JSON list")
        ->type_name("FILE");
    bench->add_flag("--layers", o.hasLayers, "Time each kernel inside the model instead");
    bench
        ->add_flag("--hot", o.isHot,
                   "With --layers: run each kernel again and again on the same data")
        ->group(hidden);
    bench
        ->add_option("--peer-library", o.peerLibrary,
                     "libonnxruntime.so.1 to compare with, if not the one in build/peers")
        ->type_name("FILE")
        ->group(hidden);
    bench->add_option("-o,--output", o.output, "Folder to keep the compiled libraries in")
        ->type_name("DIR")
        ->group(hidden);
  }

  void addTune() {
    TuneOptions &o = options.tune;
    tune = verb("tune", "Search faster configurations of a model's kernels by measuring");
    Flags flags{*tune, hidden};
    BuildFlagsForm form;
    form.records = "File to keep what was measured in; made when missing";
    flags.build(o.build, form);
    tune->add_flag("--list-tasks", o.listTasks,
                   "Print the model's tasks, their weights, spaces and defaults");
    tune->add_option("--trials", o.search.trials, "Stop after so many trials")
        ->check(CLI::PositiveNumber)
        ->type_name("N");
    tune->add_option("--time", o.search.seconds, "Stop after this time, as 90s, 10m, 1h (10m)")
        ->transform(
            CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
        ->type_name("TIME");
    tune->add_option("--target-latency", o.search.targetMs,
                     "Stop when an inference is estimated to take this, as 25ms, 900us")
        ->transform(CLI::AsNumberWithUnit(
            std::map<std::string, double>{{"us", 1e-3}, {"ms", 1}, {"s", 1e3}}))
        ->check(CLI::PositiveNumber)
        ->type_name("TIME");
    tune->add_flag("--no-transfer", o.search.isWithoutTransfer,
                   "Begin each task with nothing that others have taught the cost model")
        ->group(hidden);
    tune->add_option("--batch", o.search.batch,
                     "Trials of a task before another may have its turn (8)")
        ->check(CLI::Range(1, 1000))
        ->type_name("N")
        ->group(hidden);
    tune->add_option("--timeout", o.search.timeoutMs,
                     "Milliseconds after which a candidate is given up")
        ->check(CLI::PositiveNumber)
        ->type_name("MS")
        ->group(hidden);
    tune->add_option("--wait", o.search.waitSeconds,
                     "Seconds to wait for a free core, in all, before noise is accepted (60)")
        ->check(CLI::NonNegativeNumber)
        ->type_name("SECONDS")
        ->group(hidden);
    tune->add_option("--searcher", o.search.searcher,
                     "Search: mixed, order, random, grid, evolution, descent")
        ->type_name("NAME")
        ->group(hidden);
    tune->add_option("--seed", o.search.seed, "Equal seeds and times give equal proposals (0)")
        ->type_name("N")
        ->group(hidden);
    tune->add_option("--space", o.space,
                     "JSON file that narrows spaces or adds values, see docs/howto/add-knob.md")
        ->type_name("FILE");
    flags.json(o.isJson);
  }

  /// A verb of its own below `records`.
  CLI::App *recordsVerb(const char *name, const char *help, RecordsOptions::Action action,
                        const char *files) {
    CLI::App *verb = records->add_subcommand(name, help);
    verb->callback([this, action] { options.records.action = action; });
    verb->add_option("files", options.records.files, files)->required()->type_name("FILE..");
    Flags{*verb, hidden}.json(options.records.isJson);
    return verb;
  }

  void addRecords() {
    using Action = RecordsOptions::Action;
    RecordsOptions &o = options.records;
    records = verb("records", "Merge, export, import, prune or list tuning records");
    records->require_subcommand(1);
    recordsVerb("list", "Tasks, trials and the fastest configurations", Action::List, "Records");
    recordsVerb("merge", "Add all records of some files to one", Action::Merge, "Records")
        ->add_option("-o,--output", o.output, "File to add to; made when there is none")
        ->required()
        ->type_name("FILE");
    recordsVerb("export", "Write records as JSON lines", Action::Export, "Records")
        ->add_option("-o,--output", o.output, "File to write; stdout when not given")
        ->type_name("FILE");
    recordsVerb("import", "Read records from JSON lines", Action::Import, "Texts to read")
        ->add_option("-o,--output", o.output, "File to add to; made when there is none")
        ->required()
        ->type_name("FILE");
    CLI::App *prune = recordsVerb("prune", "Take records away", Action::Prune, "Records");
    prune->add_option("--older-than", o.olderThanDays, "Those older than so many days")
        ->check(CLI::Range(1, 36500))
        ->type_name("DAYS");
    prune->add_flag("--stale", o.isStale, "Those of a template's versions but the newest");
    prune->add_flag("--failed", o.isFailed, "Those that failed");
    prune->add_option("--keep", o.keepFastest, "All but the fastest N per task and layouts")
        ->check(CLI::Range(1, 1000000))
        ->type_name("N");
    prune->add_flag("--dry-run", o.isDryRun, "Only say how many");
  }

  static BuildFlagsForm inputForm() {
    BuildFlagsForm form;
    form.imageReaders = {"--calibrate", "--input"};
    form.hasImageInput = true;
    return form;
  }

  static BuildFlagsForm deviceForm() {
    BuildFlagsForm form;
    form.needsTarget = true;
    form.target = "Device; `convoy targets` lists them";
    return form;
  }

  void addExplain() {
    ExplainOptions &o = options.explain;
    explain = verb("explain", "Say where each node runs with a device, or why not there");
    Flags flags{*explain, hidden};
    flags.build(o.build, deviceForm());
    flags.json(o.isJson);
  }

  void addReport() {
    report = verb("report", "Draw what was measured, for a browser");
    report->add_option("--tuning", options.report.tuning, "Tuning records to draw the searches of")
        ->required()
        ->type_name("FILE");
    report->add_option("-o,--output", options.report.output, "Page to write (report.html)")
        ->type_name("FILE");
  }

  /// A parameter of devices with the values to try. `key` is the device's own name.
  void addAxis(const char *flag, const char *key, const char *help) {
    SweepOptions &o = options.sweep;
    size_t index = o.axes.size();
    o.axes.push_back({flag, key, {}});
    auto read = [&o, index](const std::string &text) {
      llvm::SmallVector<llvm::StringRef> parts;
      llvm::StringRef(text).split(parts, ',');
      for (llvm::StringRef part : parts) {
        o.axes[index].values.push_back(part.trim().str());
      }
    };
    sweep->add_option_function<std::string>(std::string("--") + flag, read, help)
        ->type_name("X[,X..]");
  }

  void addSweep() {
    SweepOptions &o = options.sweep;
    sweep = verb("sweep", "Time a model on every combination of a device's parameters");
    Flags flags{*sweep, hidden};
    flags.build(o.build, deviceForm());
    addAxis("pes", "pes", "Multiply-accumulates per cycle: 64,128");
    addAxis("memory", "memory_bytes", "Bytes of local memory: 512K,1M,256M");
    addAxis("parallel", "parallel", "Channels that lanes share out: in,out");
    addAxis("tiling", "tiling", "How layers may be cut: all,channels");
    addAxis("depthwise", "depthwise", "Depthwise convolutions: none,mapped,native");
    sweep->add_option("--html", o.html, "File for the picture, a page that needs nothing else")
        ->type_name("FILE");
    flags.json(o.isJson);
  }

  void addLists() {
    inspect = verb("inspect", "Print what a model, or a loadable of NVDLA, holds");
    Flags flags{*inspect, hidden};
    flags.model(options.inspect.model);
    inspect
        ->add_option("--config", options.inspect.config,
                     "Of a loadable: estimate cycles on nv_small, nv_large, nv_full ...")
        ->type_name("NAME");
    inspect->add_option("--svg", options.inspect.svg, "Of a loadable: draw who waits for whom")
        ->type_name("FILE");
    flags.json(options.inspect.isJson);
    ops = verb("ops", "List the supported ONNX ops");
    ops->add_flag("--markdown", options.ops.isMarkdown, "Print as a page for the documentation");
    Flags{*ops, hidden}.json(options.ops.isJson);
    targets = verb("targets", "List the targets, or describe one");
    targets
        ->add_option("name", options.targets.name,
                     "Describe this target: its CPU, caches and C compiler, or a device's ops")
        ->type_name("NAME");
    targets->add_flag("--markdown", options.targets.isMarkdown,
                      "Print what each device runs, as a page for the documentation");
    Flags{*targets, hidden}.json(options.targets.isJson);
  }

  std::string hidden;
  AllOptions &options;
  CLI::App *compile = nullptr, *run = nullptr, *check = nullptr, *bench = nullptr, *tune = nullptr,
           *records = nullptr, *explain = nullptr, *report = nullptr, *sweep = nullptr,
           *inspect = nullptr, *ops = nullptr, *targets = nullptr;
};

std::vector<std::string> verbsOf(const CLI::App &app) {
  std::vector<std::string> names;
  for (const CLI::App *verb : app.get_subcommands([](const CLI::App *) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

/// The verb that an argument error is about, for the hint.
std::string verbOf(const CLI::App &app) {
  for (const CLI::App *verb : app.get_subcommands()) {
    return " " + verb->get_name();
  }
  return "";
}

} // namespace

ExitCode runTool(int argc, const char *const *argv, Console &console) {
  AllOptions options;
  auto has = [&](llvm::StringRef flag) {
    return std::any_of(argv + 1, argv + argc,
                       [&](const char *argument) { return flag == argument; });
  };
  // Asked for before any verb, so it needs none.
  if (argc > 1 && llvm::StringRef(argv[1]) == "--help-stages") {
    return listStages(has("--markdown"), console);
  }
  bool isAll = has("--help-all");
  CommandLine line(options, isAll);
  std::vector<std::string> verbs = verbsOf(line.app);
  if (argc > 1 && argv[1][0] != '-' && !llvm::is_contained(verbs, argv[1])) {
    console.err << "error: no verb '" << argv[1] << "'; there is " << llvm::join(verbs, ", ")
                << "\n";
    return kUserError;
  }
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    console.out << line.app.help("", isAll ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal);
    return kDone;
  } catch (const CLI::ParseError &error) {
    console.err << "error: " << error.what() << "\n"
                << "see `convoy" << verbOf(line.app) << " --help`\n";
    return kUserError;
  }
  return line.call(console);
}

} // namespace convoy::tool
