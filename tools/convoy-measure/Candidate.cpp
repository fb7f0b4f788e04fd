// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a candidate, runs it and checks its outputs.

#include "Candidate.h"
#include "Spec.h"
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

template <typename T>
std::vector<T> readAll(const std::string &path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<T> values(file ? static_cast<size_t>(file.tellg()) / sizeof(T) : 0);
  file.seekg(0);
  if (values.empty() || !file.read(reinterpret_cast<char *>(values.data()),
                                   static_cast<std::streamsize>(values.size() * sizeof(T)))) {
    fail("cannot read '" + path + "'");
  }
  return values;
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

/// Returns the table of the candidate. A candidate may come from a builder of another version.
const convoy_model *findModel(void *library, const std::string &name) {
  auto function = reinterpret_cast<const convoy_model *(*)()>(dlsym(library, name.c_str()));
  if (!function) {
    fail("the candidate has no '" + name + "'; build it with the version of this program");
  }
  const convoy_model *model = function();
  if (model->abi_version != CONVOY_ABI_VERSION || model->struct_bytes < sizeof(convoy_model)) {
    fail("the candidate has interface " + std::to_string(model->abi_version) +
         ", expected interface " + std::to_string(CONVOY_ABI_VERSION) +
         "; build it with the version of this program");
  }
  return model;
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

Candidate::Candidate(const CandidateSpec &spec) : spec(spec), workspace(spec.workspaceBytes) {
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
    expected.push_back(output.expected.empty() ? std::vector<ExpectedPoint>()
                                               : readAll<ExpectedPoint>(output.expected));
  }
  void *library = dlopen(spec.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(std::string("cannot load the candidate: ") + dlerror());
  }
  model = findModel(library, spec.symbol + "_model");
  findConstants(reinterpret_cast<const void *>(model->run));
}

/// Finds the segments of the library that are neither code nor writable.
void Candidate::findConstants(const void *address) {
  struct Search {
    uintptr_t address;
    std::vector<Range> &ranges;
  } search{reinterpret_cast<uintptr_t>(address), constants};
  auto visit = [](dl_phdr_info *info, size_t, void *context) {
    auto &search = *static_cast<Search *>(context);
    bool isOurs = false;
    std::vector<Range> ranges;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr) &part = info->dlpi_phdr[i];
      uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      if (part.p_type != PT_LOAD) {
        continue;
      }
      isOurs |= search.address >= begin && search.address < begin + part.p_memsz;
      if ((part.p_flags & (PF_W | PF_X)) == 0) {
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

void Candidate::run() {
  int32_t code = model->run(inputPointers.data(), outputPointers.data(), workspace.data());
  if (code != CONVOY_OK) {
    fail("the candidate returned " + std::to_string(code));
  }
}

void Candidate::forgetOutputs() {
  // Fills with NaN, so that an element that is not written counts as wrong.
  for (const GuardedBuffer &output : outputs) {
    std::memset(output.data(), 0xff, output.size());
  }
  std::memset(workspace.data(), 0xff, workspace.size());
}

std::string Candidate::whatIsWrong() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto elements = static_cast<int64_t>(outputs[i].size() / sizeof(float));
    for (const ExpectedPoint &point : expected[i]) {
      float value = NAN;
      if (point.index >= 0 && point.index < elements) {
        std::memcpy(&value, outputs[i].data() + point.index * sizeof(float), sizeof(float));
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

void Candidate::coolWeights() const {
  for (const Range &range : constants) {
    flush(range.begin, range.bytes);
  }
  fence();
}

void Candidate::warmInputs() const {
  for (const GuardedBuffer &input : inputs) {
    for (size_t offset = 0; offset < input.size(); offset += kLineBytes) {
      (void)*static_cast<volatile const char *>(input.data() + offset);
    }
  }
}

} // namespace convoy::measure
