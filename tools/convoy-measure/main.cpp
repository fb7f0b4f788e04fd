// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convoy-measure SPEC RESULT: reads a specification of a measurement, runs it and writes the
// result, both as JSON. `convoy bench` starts it; users do not. convoy-measure --serve:
// measures the requests of a tuner, one per line.

#include "Layers.h"
#include "Serve.h"
#include "Streams.h"
#include "Trace.h"
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace convoy::measure;
using nlohmann::json;

namespace {

json encode(const Timing &timing) {
  return {{"loadMs", timing.loadMs},
          {"firstMs", timing.firstMs},
          {"ms", timing.ms},
          {"cpuMs", timing.cpuMs},
          {"latencyMs", timing.latencyMs}};
}

json encode(const LayerTimes &times) {
  json bandwidths = json::array();
  for (const Bandwidth &bandwidth : times.bandwidths) {
    bandwidths.push_back({{"bytes", bandwidth.bytes}, {"gbs", bandwidth.gbs}});
  }
  return {{"ms", times.ms},
          {"totalMs", times.totalMs},
          {"peakGflops", times.peakGflops},
          {"bandwidths", bandwidths}};
}

json encode(const StreamTimes &times) {
  return {{"allPerSecond", times.allPerSecond},
          {"onePerSecond", times.onePerSecond},
          {"latencyMs", times.latencyMs}};
}

json encode(const Trace &trace) {
  json threads = json::array();
  for (const TraceThread &thread : trace.threads) {
    json events = json::array();
    for (const TraceEvent &event : thread.events) {
      events.push_back({event.id, event.beginNs, event.endNs});
    }
    threads.push_back({{"cpu", thread.cpu}, {"events", std::move(events)}});
  }
  return {{"runNs", trace.runNs},
          {"threads", std::move(threads)},
          {"runsNs", trace.runsNs},
          {"tracedMs", trace.tracedMs},
          {"plainMs", trace.plainMs}};
}

json measure(const Spec &spec) {
  switch (spec.mode) {
  case Mode::Cold: {
    Cold cold = measureCold(spec);
    json result = encode(cold.timing);
    result["residentMb"] = cold.residentMb;
    result["openOutputs"] = cold.openOutputs;
    return result;
  }
  case Mode::Compare: {
    Comparison comparison = compare(spec);
    return {{"compiled", encode(comparison.compiled)},
            {"peer", encode(comparison.peer)},
            {"peakGflops", comparison.peakGflops},
            {"readGbs", comparison.readGbs}};
  }
  case Mode::Layers:
    return encode(measureLayers(spec));
  case Mode::Outputs:
    writePeerOutputs(spec);
    return json::object();
  case Mode::Streams:
    return encode(measureStreams(spec));
  case Mode::Trace:
    return encode(measureTrace(spec));
  }
  fail("unknown mode");
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::string(argv[1]) == "--serve") {
    return serve();
  }
  if (argc != 3) {
    std::cerr << "usage: convoy-measure SPEC RESULT; use `convoy bench` instead of starting this "
                 "program\n";
    return 1;
  }
  json result = measure(readSpec(argv[1]));
  std::ofstream file(argv[2]);
  file << result;
  if (!file.flush()) {
    fail(std::string("cannot write '") + argv[2] + "'");
  }
  // Skips the destructors, because threads of the libraries may still run.
  std::_Exit(0);
}
