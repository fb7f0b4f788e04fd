// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a candidate, runs it and checks its outputs.

#include "Candidate.h"
#include "Spec.h"
#include "convoy/convoy.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <sstream>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace convoy::measure {
namespace {

constexpr size_t kAlignmentBytes = 64; // the alignment that <model>_run requires
constexpr size_t kLineBytes = 64;

/// Reads the values after the first `skipped` bytes.
template <typename T>
std::vector<T> readAll(const std::string &path, size_t skipped = 0) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  size_t size = file ? static_cast<size_t>(file.tellg()) : 0;
  std::vector<T> values((size - std::min(size, skipped)) / sizeof(T));
  file.seekg(static_cast<std::streamoff>(skipped));
  if (values.empty() || !file.read(reinterpret_cast<char *>(values.data()),
                                   static_cast<std::streamsize>(values.size() * sizeof(T)))) {
    fail("cannot read '" + path + "'");
  }
  return values;
}

// ONNX's numbers of element types.
enum Element : int64_t { kF32 = 1, kU8 = 2, kI8 = 3, kI32 = 6, kBool = 9, kF16 = 10, kBF16 = 16 };

size_t bytesOf(int64_t type) {
  switch (type) {
  case kU8:
  case kI8:
  case kBool:
    return 1;
  case kF16:
  case kBF16:
    return 2;
  case kF32:
  case kI32:
    return 4;
  default:
    fail("outputs of type " + std::to_string(type) + " cannot be checked");
  }
}

template <typename T>
T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double halfToDouble(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                : exponent == 0 ? std::ldexp(fraction, -24)
                                : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -size : size;
}

double elementAt(const char *from, int64_t type) {
  switch (type) {
  case kU8:
  case kBool:
    return load<uint8_t>(from);
  case kI8:
    return load<int8_t>(from);
  case kI32:
    return load<int32_t>(from);
  case kF16:
    return halfToDouble(load<uint16_t>(from));
  case kBF16: {
    uint32_t bits = static_cast<uint32_t>(load<uint16_t>(from)) << 16;
    return load<float>(reinterpret_cast<const char *>(&bits));
  }
  default:
    return load<float>(from);
  }
}

ExpectedPoints readPoints(const std::string &path) {
  return {readAll<int64_t>(path).front(), readAll<ExpectedPoint>(path, sizeof(int64_t))};
}

#if defined(__x86_64__)
/// Flushes like `clflush`, but without ordering; this is 40 times as fast for large weights.
__attribute__((target("clflushopt"))) void flushInAnyOrder(const char *begin, size_t bytes) {
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    // The instruction neither reads nor writes the program's data.
    _mm_clflushopt(const_cast<char *>(begin + offset));
  }
}

bool canFlushInAnyOrder() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kClflushopt = 1u << 23;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kClflushopt);
}
#endif

/// Flushes the lines from all caches of the machine.
void flush(const char *begin, size_t bytes) {
#if defined(__x86_64__)
  static const bool isQuick = canFlushInAnyOrder();
  if (isQuick) {
    flushInAnyOrder(begin, bytes);
    return;
  }
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    _mm_clflush(begin + offset);
  }
#elif defined(__aarch64__)
  for (size_t offset = 0; offset < bytes; offset += kLineBytes) {
    asm volatile("dc civac, %0" : : "r"(begin + offset) : "memory");
  }
#else
  (void)begin;
  (void)bytes;
#endif
}

void fence() {
#if defined(__x86_64__)
  _mm_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb ish" : : : "memory");
#endif
}

} // namespace

GuardedBuffer::GuardedBuffer(size_t bytes) : bytes(bytes) {
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t aligned = (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
  size_t inside = (aligned + page - 1) / page * page;
  mappedBytes = inside + page;
  mapping = mmap(nullptr, mappedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    fail("cannot allocate " + std::to_string(mappedBytes) + " bytes of memory");
  }
  char *end = static_cast<char *>(mapping) + inside;
  if (mprotect(end, page, PROT_NONE) != 0) {
    fail(std::string("cannot protect a page: ") + std::strerror(errno));
  }
  begin = end - aligned;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : mapping(other.mapping), mappedBytes(other.mappedBytes), begin(other.begin),
      bytes(other.bytes) {
  other.mapping = nullptr;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping) {
    munmap(mapping, mappedBytes);
  }
}

LoadedCandidate::LoadedCandidate(const CandidateSpec &spec)
    : spec(spec), workspace(spec.workspaceBytes) {
  for (const CandidateInput &input : spec.inputs) {
    inputs.emplace_back(input.bytes);
    std::ifstream file(input.file, std::ios::binary);
    if (!file.read(inputs.back().data(), static_cast<std::streamsize>(input.bytes))) {
      fail("cannot read " + std::to_string(input.bytes) + " bytes of '" + input.file + "'");
    }
    inputPointers.push_back(inputs.back().data());
  }
  for (const CandidateOutput &output : spec.outputs) {
    outputs.emplace_back(output.bytes);
    outputPointers.push_back(outputs.back().data());
    expected.push_back(output.expected.empty() ? ExpectedPoints() : readPoints(output.expected));
  }
  // A candidate has no start-up code that requests the tile registers of the CPU, as a library has.
  // A CPU without tiles has no such candidates.
  (void)convoy_check_cpu("amx-tile");
  void *library = dlopen(spec.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(std::string("cannot load the candidate: ") + dlerror());
  }
  void *address = dlsym(library, (spec.symbol + "_run").c_str());
  if (!address) {
    fail("the candidate has no '" + spec.symbol + "_run'");
  }
  function = reinterpret_cast<RunFunction>(address);
  findConstants(address);
}

/// Finds the segments of the library that are neither code nor writable.
void LoadedCandidate::findConstants(void *address) {
  struct Search {
    uintptr_t address;
    std::vector<ByteRange> &ranges;
  } search{reinterpret_cast<uintptr_t>(address), constants};
  auto visit = [](dl_phdr_info *info, size_t, void *context) {
    auto &search = *static_cast<Search *>(context);
    bool isOurs = false;
    std::vector<ByteRange> ranges;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = info->dlpi_phdr[i];
      uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      if (part.p_type != PT_LOAD) {
        continue;
      }
      isOurs |= search.address >= begin && search.address < begin + part.p_memsz;
      if ((part.p_flags & (PF_W | PF_X)) == 0) {
        // The dynamic linker gives addresses as integers.
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        ranges.push_back({reinterpret_cast<const char *>(begin), part.p_memsz});
      }
    }
    if (isOurs) {
      search.ranges = ranges;
    }
    return isOurs ? 1 : 0;
  };
  dl_iterate_phdr(visit, &search);
}

void LoadedCandidate::run() {
  int code = function(inputPointers.data(), outputPointers.data(), workspace.data());
  if (code != 0) {
    fail("the candidate returned " + std::to_string(code));
  }
}

void LoadedCandidate::forgetOutputs() {
  // Fills with NaN, so that an element that is not written counts as wrong.
  for (const GuardedBuffer &output : outputs) {
    std::memset(output.data(), 0xff, output.size());
  }
  // Integers have no NaN. A value of the other half of the range is always wrong.
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (expected[i].type != kU8 && expected[i].type != kI8 && expected[i].type != kBool) {
      continue;
    }
    for (const ExpectedPoint &point : expected[i].points) {
      if (point.index >= 0 && static_cast<size_t>(point.index) < outputs[i].size()) {
        outputs[i].data()[point.index] = static_cast<char>(static_cast<int>(point.value) ^
                                                           (expected[i].type == kBool ? 1 : 0x80));
      }
    }
  }
  std::memset(workspace.data(), 0xff, workspace.size());
}

std::string LoadedCandidate::whatIsWrong() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t size = bytesOf(expected[i].type);
    auto elements = static_cast<int64_t>(outputs[i].size() / size);
    for (const ExpectedPoint &point : expected[i].points) {
      double value = NAN;
      if (point.index >= 0 && point.index < elements) {
        value = elementAt(outputs[i].data() + point.index * static_cast<int64_t>(size),
                          expected[i].type);
      }
      if (std::abs(value - point.value) <= point.tolerance || value == point.value) {
        continue;
      }
      std::ostringstream text;
      text.precision(9);
      text << "output " << i << ", element " << point.index << " in memory: expects " << point.value
           << " within " << point.tolerance << ", got " << value;
      return text.str();
    }
  }
  return "";
}

void LoadedCandidate::coolWeights() const {
  for (const ByteRange &range : constants) {
    flush(range.begin, range.bytes);
  }
  fence();
}

void LoadedCandidate::warmInputs() const {
  for (const GuardedBuffer &input : inputs) {
    for (size_t offset = 0; offset < input.size(); offset += kLineBytes) {
      (void)*static_cast<volatile const char *>(input.data() + offset);
    }
  }
}

} // namespace convoy::measure
