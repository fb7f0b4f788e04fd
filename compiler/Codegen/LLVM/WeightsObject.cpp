// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the weights as an object file. An assembler's .incbin would keep them in memory two
// or three times; this code copies them from the model's mapped file to the object.
//
//   ELF header | weights | symbol table | strings | section headers

#include "Codegen/LLVM/Weights.h"
#include "Support/OutputFile.h"
#include "Support/TypedError.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace elf = llvm::ELF;

namespace convoy::codegen {
namespace {

constexpr int64_t kPageBytes = 4096;
constexpr int64_t kTableAlignmentBytes = 8;

enum Section : uint16_t { kNull, kWeights, kStackNote, kSymbols, kStrings, kSectionCount };

/// The layout of the file, which is known before the first byte is written.
class WeightsObject {
public:
  WeightsObject(int64_t bytes, StringRef symbol, uint16_t machine)
      : bytes(bytes), machine(machine), isLarge(machine == elf::EM_X86_64),
        weightsOffset(llvm::alignTo(sizeof(elf::Elf64_Ehdr), kPageBytes)),
        symbolsOffset(llvm::alignTo(weightsOffset + bytes, kTableAlignmentBytes)),
        stringsOffset(symbolsOffset + 2 * sizeof(elf::Elf64_Sym)) {
    symbolName = addString(symbol);
    // A large section is placed far from the code, which accesses it through the GOT.
    // Otherwise, more than 2 GiB of weights would move the code's own constants out of its
    // reach.
    weightsName = addString(isLarge ? ".lrodata" : ".rodata");
    stackNoteName = addString(".note.GNU-stack");
    symbolsName = addString(".symtab");
    stringsName = addString(".strtab");
    headersOffset = llvm::alignTo(stringsOffset + strings.size(), kTableAlignmentBytes);
  }

  llvm::Error write(ModuleOp module, int64_t modelBytes, llvm::raw_fd_ostream &stream) const {
    writeHeader(stream);
    fillTo(weightsOffset, stream);
    if (llvm::Error error = streamWeights(module, modelBytes, stream)) {
      return error;
    }
    fillTo(symbolsOffset, stream);
    writeSymbols(stream);
    stream << strings;
    fillTo(headersOffset, stream);
    writeSections(stream);
    return llvm::Error::success();
  }

private:
  uint32_t addString(StringRef text) {
    auto offset = static_cast<uint32_t>(strings.size());
    strings.append(text.begin(), text.end());
    strings.push_back('\0');
    return offset;
  }

  static void fillTo(uint64_t offset, llvm::raw_fd_ostream &stream) {
    stream.write_zeros(static_cast<unsigned>(offset - stream.tell()));
  }

  template <typename T>
  static void writeRaw(const T &record, llvm::raw_ostream &stream) {
    // The targets are little-endian, and so are the hosts that compile for them.
    stream.write(reinterpret_cast<const char *>(&record), sizeof(record));
  }

  void writeHeader(llvm::raw_ostream &stream) const {
    elf::Elf64_Ehdr header = {};
    std::copy_n(elf::ElfMagic, 4, header.e_ident);
    header.e_ident[elf::EI_CLASS] = elf::ELFCLASS64;
    header.e_ident[elf::EI_DATA] = elf::ELFDATA2LSB;
    header.e_ident[elf::EI_VERSION] = elf::EV_CURRENT;
    header.e_type = elf::ET_REL;
    header.e_machine = machine;
    header.e_version = elf::EV_CURRENT;
    header.e_ehsize = sizeof(elf::Elf64_Ehdr);
    header.e_shoff = headersOffset;
    header.e_shentsize = sizeof(elf::Elf64_Shdr);
    header.e_shnum = kSectionCount;
    header.e_shstrndx = kStrings;
    writeRaw(header, stream);
  }

  void writeSymbols(llvm::raw_ostream &stream) const {
    writeRaw(elf::Elf64_Sym{}, stream);
    elf::Elf64_Sym symbol = {};
    symbol.st_name = symbolName;
    symbol.setBindingAndType(elf::STB_GLOBAL, elf::STT_OBJECT);
    symbol.st_other = elf::STV_HIDDEN;
    symbol.st_shndx = kWeights;
    symbol.st_size = bytes;
    writeRaw(symbol, stream);
  }

  void writeSections(llvm::raw_ostream &stream) const {
    writeRaw(elf::Elf64_Shdr{}, stream);
    uint64_t flags = elf::SHF_ALLOC | (isLarge ? uint64_t(elf::SHF_X86_64_LARGE) : 0);
    writeSection(stream, weightsName, elf::SHT_PROGBITS, flags, weightsOffset, bytes, kPageBytes);
    writeSection(stream, stackNoteName, elf::SHT_PROGBITS, 0, symbolsOffset, 0, 1);
    elf::Elf64_Shdr symbols = {};
    symbols.sh_name = symbolsName;
    symbols.sh_type = elf::SHT_SYMTAB;
    symbols.sh_offset = symbolsOffset;
    symbols.sh_size = 2 * sizeof(elf::Elf64_Sym);
    symbols.sh_link = kStrings;
    symbols.sh_info = 1; // the first global symbol
    symbols.sh_addralign = kTableAlignmentBytes;
    symbols.sh_entsize = sizeof(elf::Elf64_Sym);
    writeRaw(symbols, stream);
    writeSection(stream, stringsName, elf::SHT_STRTAB, 0, stringsOffset, strings.size(), 1);
  }

  static void writeSection(llvm::raw_ostream &stream, uint32_t name, uint32_t type, uint64_t flags,
                           uint64_t offset, uint64_t bytes, uint64_t alignment) {
    elf::Elf64_Shdr section = {};
    section.sh_name = name;
    section.sh_type = type;
    section.sh_flags = flags;
    section.sh_offset = offset;
    section.sh_size = bytes;
    section.sh_addralign = alignment;
    writeRaw(section, stream);
  }

  uint64_t bytes;
  uint16_t machine;
  bool isLarge;
  uint64_t weightsOffset;
  uint64_t symbolsOffset;
  uint64_t stringsOffset;
  uint64_t headersOffset = 0;
  std::string strings = std::string(1, '\0');
  uint32_t symbolName = 0;
  uint32_t weightsName = 0;
  uint32_t stackNoteName = 0;
  uint32_t symbolsName = 0;
  uint32_t stringsName = 0;
};

} // namespace

llvm::Error writeWeightsObject(ModuleOp module, int64_t bytes, StringRef symbol,
                               const llvm::Triple &triple, StringRef path) {
  uint16_t machine = triple.getArch() == llvm::Triple::x86_64    ? elf::EM_X86_64
                     : triple.getArch() == llvm::Triple::aarch64 ? elf::EM_AARCH64
                                                                 : elf::EM_NONE;
  if (machine == elf::EM_NONE) {
    return createUnsupported("not supported: weights linked into a library for " + triple.str() +
                             "; use --weights=file");
  }
  // A model without weights still passes an address.
  WeightsObject object(std::max<int64_t>(bytes, 1), symbol, machine);
  return writeFile(
      path, [&](llvm::raw_fd_ostream &stream) { return object.write(module, bytes, stream); });
}

} // namespace convoy::codegen
