#!/usr/bin/env python3
"""The same C program, compiled and linked in many ways, and what tools have made of it."""
import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, Run, hold, require  # noqa: E402

folder = Folder()
SOURCES = ["globals.c", "globals_other.c"]
COMPILED = {
    "O0": ["-O0"], "O3": ["-O3"], "no_plt": ["-fno-plt"], "protected_stack": ["-fstack-protector-all"],
    "PIC": ["-fPIC"], "visible": ["-fPIC", "-rdynamic"], "hidden": ["-fvisibility=hidden"],
    "medium": ["-mcmodel=medium", "-mlarge-data-threshold=1000"],
    "sections": ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"],
    "cf_protection": ["-fcf-protection=full"], "no_frame_table": ["-fno-asynchronous-unwind-tables"],
    "PIE_without_copies": ["-mno-direct-extern-access"],
}
LINKED = {
    "now": ["-Wl,-z,now"], "lazy": ["-Wl,-z,lazy"], "norelro": ["-Wl,-z,norelro"], "relro_now": ["-Wl,-z,relro,-z,now"],
    "noseparate": ["-Wl,-z,noseparate-code"], "separate": ["-Wl,-z,separate-code"], "sysv": ["-Wl,--hash-style=sysv"],
    "gnu": ["-Wl,--hash-style=gnu"], "packed": ["-Wl,-z,pack-relative-relocs"], "execstack": ["-Wl,-z,execstack"],
    "large_pages": ["-Wl,-z,max-page-size=0x200000"],
    "aligned_pages": ["-Wl,-z,max-page-size=0x200000,-z,common-page-size=0x200000"],
    "no_frame_index": ["-Wl,--no-eh-frame-hdr"], "symbolic": ["-Wl,-Bsymbolic"], "static_libgcc": ["-static-libgcc"],
    "initfirst": ["-Wl,-z,initfirst"], "origin": ["-Wl,-z,origin"],
}
LINKERS = {"gold": [], "lld": ["-Wl,-z,pack-dyn-relocs=relr"], "mold": []}


def variant(name, options, sources):
    program = folder.compile(name, sources, *options, "-fcommon")
    alone = Run([program])
    require(alone.status == 0 and alone.out.endswith(", 0 wrong\n"), f"alone: {alone}")
    hold("private", 3, program)


def linked_by(linker, options, objects):
    if shutil.which(f"ld.{linker}") is None:
        folder.not_tested(linker, "this linker is not installed")
        return
    variant(f"by_{linker}", [f"-fuse-ld={linker}"], objects)
    for option in options:
        variant(f"by_{linker}{option}", [f"-fuse-ld={linker}", option], objects)


def by_clang(_name):
    if shutil.which("clang-14") is None:
        folder.not_tested("clang", "clang-14 is not installed")
        return
    program = folder.path / "by_clang"
    sources = [folder.source(name) for name in SOURCES]
    folder.command("env", "PURE_CC=clang-14", "purecc", "-std=gnu11", "-O1", "-fcommon", *sources, "-o", program)
    hold("private", 3, program)


def without_sections(file):
    """What is loaded, and nothing else: no section table, nothing behind the last segment."""
    header = bytearray(file[:64])
    table, = struct.unpack_from("<Q", header, 32)
    size, count = struct.unpack_from("<HH", header, 54)
    ends = [0]
    for number in range(count):
        kind, _, offset, _, _, in_file = struct.unpack_from("<IIQQQQ", file, table + number * size)
        if kind == 1:
            ends.append(offset + in_file)
    struct.pack_into("<Q", header, 40, 0)
    struct.pack_into("<HH", header, 60, 0, 0)
    return bytes(header) + file[64:max(ends)]


def patched(plain):
    """The names lie behind all that the file had before, as in what spack and conda install."""
    if shutil.which("patchelf") is None:
        folder.not_tested("patchelf", "it is not installed")
        return
    program, library = folder.path / "patched", folder.path / "libpatched.so"
    folder.command("gcc", "-shared", "-fPIC", folder.source("globals_other.c"), "-o", library)
    shutil.copy(plain, program)
    for file in (library, program):
        folder.command("patchelf", "--add-rpath", f"{folder.path}:{'/a/longer/path' * 9}", file)
    folder.command("patchelf", "--add-needed", library.name, program)
    hold("private", 3, program)


def made_by_tools(plain):
    for name, words in {
            "stripped": ["strip", "-s", "-o"], "without_debug": ["strip", "-g", "-o"],
            "compressed_debug": ["objcopy", "--compress-debug-sections"]}.items():
        if shutil.which(words[0]) is None:
            folder.not_tested(name, f"{words[0]} is not installed")
            continue
        made = folder.path / name
        folder.command(*words, *([made, plain] if words[-1] == "-o" else [plain, made]))
        folder.beside(hold, "private", 3, made)
    bare = folder.path / "without_sections"
    bare.write_bytes(without_sections(plain.read_bytes()))
    bare.chmod(0o755)
    folder.beside(hold, "private", 3, bare)
    folder.beside(patched, plain)
    odd = folder.path / "an odd 'name'\n;$(x)"
    shutil.copy(plain, odd)
    folder.beside(hold, "private", 3, odd)
    link = folder.path / "link"
    link.symlink_to(plain)
    folder.beside(hold, "private", 3, link)
    read_only = folder.path / "read_only"
    shutil.copy(plain, read_only)
    read_only.chmod(0o555)
    folder.beside(hold, "private", 3, read_only)


def main():
    objects = []
    for source in SOURCES:
        objects.append(folder.path / source.replace(".c", ".o"))
        folder.command("purecc", "-std=gnu11", "-O1", "-g", "-fcommon", "-c", folder.source(source), "-o", objects[-1])
    made_by_tools(folder.compile("plain", objects))
    for name, options in COMPILED.items():
        folder.beside(variant, name, options, SOURCES)
    for name, options in LINKED.items():
        folder.beside(variant, name, options, objects)
    for linker, options in LINKERS.items():
        folder.beside(linked_by, linker, options, objects)
    folder.beside(by_clang, "clang")


folder.beside(main)
folder.finish()
