#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Determines how many bytes of stack the C library's functions need on a microcontroller, for the
field toolchain.libraryStack of the target's description. Links the functions with the target's
linker, disassembles them, and adds up the instructions that move the stack pointer down on the
deepest path of calls. A function whose stack it cannot determine is left out.

  library-stack.py TARGET.json..           adds the field to each description, or replaces it
  library-stack.py --check TARGET.json..   exits with 1 if a declared number is too small
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap

# The functions that emitted C calls or that a compiler calls for its operators.
FUNCTIONS = """memcpy memmove memset strlen fma fmaf sqrt sqrtf rint rintf floor floorf ceil ceilf trunc truncf round
roundf fmod fmodf fabs fabsf copysign copysignf fmin fminf fmax fmaxf nearbyint nearbyintf
__aeabi_idiv __aeabi_uidiv __aeabi_idivmod __aeabi_uidivmod __aeabi_ldivmod __aeabi_uldivmod __aeabi_lmul
__aeabi_llsl __aeabi_llsr __aeabi_lasr __aeabi_lcmp __aeabi_ulcmp __aeabi_memcpy __aeabi_memcpy4 __aeabi_memcpy8
__aeabi_memmove __aeabi_memmove4 __aeabi_memmove8 __aeabi_memset __aeabi_memset4 __aeabi_memset8 __aeabi_memclr
__aeabi_memclr4 __aeabi_memclr8
__aeabi_fadd __aeabi_fsub __aeabi_frsub __aeabi_fmul __aeabi_fdiv __aeabi_fcmpeq __aeabi_fcmplt __aeabi_fcmple
__aeabi_fcmpgt __aeabi_fcmpge __aeabi_fcmpun __aeabi_f2iz __aeabi_f2uiz __aeabi_f2lz __aeabi_f2ulz __aeabi_i2f
__aeabi_ui2f __aeabi_l2f __aeabi_ul2f __aeabi_f2d __aeabi_d2f __aeabi_dadd __aeabi_dsub __aeabi_drsub __aeabi_dmul
__aeabi_ddiv __aeabi_dcmpeq __aeabi_dcmplt __aeabi_dcmple __aeabi_dcmpgt __aeabi_dcmpge __aeabi_dcmpun __aeabi_d2iz
__aeabi_d2uiz __aeabi_d2lz __aeabi_d2ulz __aeabi_i2d __aeabi_ui2d __aeabi_l2d __aeabi_ul2d
__gnu_thumb1_case_sqi __gnu_thumb1_case_uqi __gnu_thumb1_case_shi __gnu_thumb1_case_uhi __gnu_thumb1_case_si
__divdi3 __udivdi3 __moddi3 __umoddi3 __muldi3 __ashldi3 __ashrdi3 __lshrdi3 __clzsi2 __clzdi2 __ctzsi2 __popcountsi2
__addsf3 __subsf3 __mulsf3 __divsf3 __eqsf2 __nesf2 __ltsf2 __lesf2 __gtsf2 __gesf2 __unordsf2 __fixsfsi
__fixunssfsi __fixsfdi __fixunssfdi __floatsisf __floatunsisf __floatdisf __floatundisf __extendsfdf2
__truncdfsf2 __adddf3 __subdf3 __muldf3 __divdf3 __eqdf2 __nedf2 __ltdf2 __ledf2 __gtdf2 __gedf2 __unorddf2
__fixdfsi __fixunsdfsi __fixdfdi __fixunsdfdi __floatsidf __floatunsidf __floatdidf __floatundidf""".split()

WORD = 4
STEP = 16  # sizes in the description are multiples of it
WIDTH = 100


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def count_registers(text):
    """Returns the number of registers in a list such as "{r4, r5-r7, lr}"."""
    count = 0
    for part in text.strip("{} ").split(","):
        ends = part.strip().split("-")
        if len(ends) == 2:
            count += int(re.sub(r"\D", "", ends[1])) - int(re.sub(r"\D", "", ends[0])) + 1
        else:
            count += 1
    return count


def pushed(mnemonic, operands):
    """Returns by how many bytes an instruction moves the stack pointer down; None if unknown."""
    mnemonic = mnemonic.split(".")[0]
    if mnemonic in ("push", "vpush"):
        size = WORD * 2 if operands.strip("{ ").startswith("d") else WORD
        return size * count_registers(operands)
    if mnemonic in ("stmdb", "stmfd", "vstmdb") and operands.startswith("sp!"):
        return WORD * count_registers(operands.split(",", 1)[1])
    match = re.match(r"\[sp, #-(\d+)\]!", operands.split(",", 1)[1].strip()) if mnemonic in ("str", "strd") else None
    if match:
        return int(match[1])
    match = re.match(r"\[sp, #-(\d+)\]!", operands.split(",", 2)[-1].strip()) if mnemonic == "strd" else None
    if match:
        return int(match[1])
    if mnemonic in ("sub", "subw", "subs") and operands.startswith("sp"):
        match = re.search(r"#(\d+)", operands)
        return int(match[1]) if match else None
    if mnemonic in ("addi", "add", "c.addi", "c.addi16sp") and operands.startswith("sp,"):
        match = re.search(r"(-?\d+)$", operands)
        return max(0, -int(match[1])) if match else (0 if mnemonic == "add" and "#" in operands else None)
    return 0


class Code:
    """The functions of a linked program: the stack of each one and the functions that it calls."""

    def __init__(self, disassembly):
        self.own, self.calls = {}, {}
        name = None
        for line in disassembly.splitlines():
            start = re.match(r"^[0-9a-f]+ <([^>]+)>:", line)
            if start:
                name = start[1]
                self.own[name], self.calls[name] = 0, set()
                continue
            parts = line.split("\t")
            if name is None or len(parts) < 2 or parts[1].startswith("."):
                continue
            mnemonic, operands = parts[1].strip(), (parts[2] if len(parts) > 2 else "")
            operands = operands.split(";")[0].split("@")[0].strip()
            bytes_down = pushed(mnemonic, operands)
            if bytes_down is None:
                self.own[name] = None
            elif self.own[name] is not None:
                self.own[name] += bytes_down
            target = re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>", line)
            is_branch = re.match(r"(b|bl|blx|j|jal|call|tail|b(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)|cbn?z|b.+z?)"
                                 r"(\.[nw])?$", mnemonic)
            if target and is_branch:
                self.add_call(name, target[1])

    def add_call(self, name, callee):
        """Functions of RISC-V with many saved registers share code that saves them, four words at once."""
        saved = re.match(r"__riscv_save_(\d+)", callee)
        if saved and self.own[name] is not None:
            self.own[name] += (int(saved[1]) // 4 + 1) * 4 * WORD
        elif callee != name and not re.match(r"__riscv_(save|restore)_", callee):
            self.calls[name].add(callee)

    def deepest(self, name, path=()):
        """Returns the bytes of the deepest path; None if a part of it is unknown."""
        if name in path or self.own.get(name) is None:
            return None
        deepest = 0
        for callee in self.calls[name]:
            below = self.deepest(callee, (*path, name))
            if below is None:
                return None
            deepest = max(deepest, below)
        return self.own[name] + deepest


def stack_of_library(target, folder):
    chain = target["toolchain"]
    linker = chain["linker"]["command"]
    prefix = re.sub(r"gcc$", "", linker[0])

    def link(names):
        source = os.path.join(folder, "all.c")
        with open(source, "w", encoding="utf-8") as file:
            for name in names:
                file.write(f"extern char {name}[];\n")
            file.write("const char *const used[] = {" + ", ".join(names) + "};\n")
            file.write("const void *convoy_start(void);\nconst void *convoy_start(void) { return used; }\n")
        program = os.path.join(folder, "all.elf")
        result = run([*linker, "-fno-builtin", "-w", source, "-Wl,-e,convoy_start", "-lm", "-o", program])
        missing = set(re.findall(r"undefined reference to `(\w+)'", result.stderr))
        if result.returncode != 0 and not missing & set(names):
            sys.exit(result.stderr)
        return program if result.returncode == 0 else None, missing

    _, missing = link(FUNCTIONS)
    names = [name for name in FUNCTIONS if name not in missing]
    program, _ = link(names)
    code = Code(run([prefix + "objdump", "-d", "--no-show-raw-insn", program], check=True).stdout)
    # Functions can have several names at one address.
    symbols = run([prefix + "nm", program], check=True).stdout.split("\n")
    address = {line.split()[-1]: int(line.split()[0], 16) & ~1 for line in symbols if len(line.split()) == 3}
    at = {address[name]: name for name in code.own if name in address}
    found = {name: code.deepest(at.get(address.get(name), name)) for name in names}
    # Compilers for Arm call the functions of the run-time ABI by its names.
    is_arm = target["toolchain"]["start"] == "cortex-m"
    return {name: used for name, used in found.items() if used is not None and not (is_arm and is_libgcc(name))}


def is_libgcc(name):
    return re.match(r"__(?!aeabi|gnu_thumb1|clz|ctz|popcount)", name) is not None


def field_text(stack):
    """Returns the lines of the field. Sizes are rounded up, so that there are few groups."""
    groups = {}
    for name, used in sorted(stack.items()):
        groups.setdefault(-(-used // STEP) * STEP, []).append(name)
    entries = []
    for used, names in sorted(groups.items()):
        words = textwrap.wrap(", ".join(f'"{name}"' for name in names), WIDTH - 10)
        lines = "\n".join(" " * 10 + line for line in words)
        entries.append(f'      {{\n        "bytes": {used},\n        "functions": [\n{lines}\n        ]\n      }}')
    return '    "libraryStack": [\n' + ",\n".join(entries) + "\n    ],\n"


def write_field(path, stack):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r' {4}"libraryStack": \[\n.*?\n {4}\],\n', "", text, flags=re.DOTALL)
    text = re.sub(r'( {4}"stackBytes": \d+,\n)', lambda match: match[1] + field_text(stack), text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    is_check = sys.argv[1:2] == ["--check"]
    failed = False
    for path in sys.argv[2 if is_check else 1:]:
        with open(path, encoding="utf-8") as file:
            target = json.load(file)
        with tempfile.TemporaryDirectory() as folder:
            stack = stack_of_library(target, folder)
        if not is_check:
            write_field(path, stack)
            continue
        declared = {name: group["bytes"] for group in target["toolchain"].get("libraryStack", [])
                    for name in group["functions"]}
        for name, used in stack.items():
            if declared.get(name, 0) < used:
                print(f"{path}: {name} is declared with {declared.get(name, 0)} bytes and needs {used}")
                failed = True
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
