#!/usr/bin/env python3
"""Holds what `disasm --syntax iga` prints against the text of the vendor's own disassembler:

    scripts/check-iga-text.py --parallax target/release/parallax KERNELS.jsonl.gz…

A line of a file is a JSON object with `name`, `device` (skl or dg1) and `isa`, machine code in hex. It needs `ocloc` and
the library of its disassembler (Debian: intel-opencl-icd, libigc1). Lines are the same if they differ in blanks and
names of labels only. Exit code 0: at least 99 % are the same, 1: fewer, 2: what is needed is not there.
"""

import argparse
import collections
import glob
import gzip
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

FAMILIES = {"skl": 12, "dg1": 18}


def container(device, kernels):
    """A program of patch tokens, which the vendor's disassembler reads."""
    file = struct.pack("<7I", 0x494E5443, 1081, FAMILIES[device], 8, len(kernels), 0, 0)
    for number, code in enumerate(kernels):
        name, heap = b"k%07d" % number + bytes(4), code + bytes(-len(code) % 64)
        tokens = struct.pack("<2I", 2, 8)
        file += struct.pack("<IQII", 0, 0, len(name), len(tokens)) + struct.pack("<5I", len(heap), 0, 0, 0, len(code))
        file += name + heap + tokens
    return file


def statements(text):
    """The instructions of a text, without comments, labels and what blanks and names of labels are."""
    lines = (re.sub(r"\s+", " ", line.split("//")[0]).strip() for line in text.splitlines())
    lines = [line for line in lines if line and not re.fullmatch(r"[\w.]+:", line)]
    return [re.sub(r"\bL\d+\b", "L", re.sub(r" ?([,{]) ?", r"\1", line)) for line in lines]


def vendor_texts(device, kernels, folder):
    """What the vendor's disassembler makes of each kernel."""
    libraries = glob.glob("/usr/lib/*/libiga64.so.1")
    if not shutil.which("ocloc") or not libraries:
        print("check-iga-text: needs ocloc and libiga64 (Debian: intel-opencl-icd, libigc1)", file=sys.stderr)
        sys.exit(2)
    # It asks for the library by a name that the package does not have.
    (folder / "libiga64.so").symlink_to(libraries[0])
    (folder / "kernels.bin").write_bytes(container(device, kernels))
    command = ["ocloc", "disasm", "-file", "kernels.bin", "-device", device, "-dump", "text"]
    environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return [(folder / "text" / f"k{number:07d}_KernelHeap.asm").read_text() for number in range(len(kernels))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="kernels, a JSON object a line")
    parser.add_argument("--parallax", default="target/release/parallax", help="the command [%(default)s]")
    arguments = parser.parse_args()
    by_device = collections.defaultdict(list)
    for path in arguments.files:
        with gzip.open(path, "rt") as lines:
            for kernel in map(json.loads, lines):
                by_device[kernel["device"]].append((kernel["name"], bytes.fromhex(kernel["isa"])))
    same, other = 0, []
    for device, kernels in by_device.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            texts = vendor_texts(device, [code for _, code in kernels], folder)
            for (kernel, code), theirs in zip(kernels, texts):
                (folder / "kernel.bin").write_bytes(code)
                command = [arguments.parallax, "disasm", "--device", device, "--syntax", "iga", folder / "kernel.bin"]
                ours = statements(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                theirs = statements(theirs)
                same += sum(a == b for a, b in zip(theirs, ours))
                different = [(a, b) for a, b in zip(theirs, ours) if a != b]
                different += [("", "")] * abs(len(theirs) - len(ours))
                other += [(f"{device} {kernel}", *pair) for pair in different]
    for kernel, theirs, ours in other[:10]:
        print(f"{kernel}\n  vendor: {theirs}\n  here:   {ours}")
    number = same + len(other)
    print(f"{same} of {number} instructions are printed as by the vendor ({100 * same / max(number, 1):.2f} %)")
    return 0 if number and same >= 0.99 * number else 1


if __name__ == "__main__":
    sys.exit(main())
