#!/usr/bin/env python3
"""Writes sweep.txt.gz: encodings over the whole instruction table and their text by LLVM 22.

Usage: crates/gfx/vectors/sweep.py    (installs llvm-22 when missing; run when the table changes)

`cargo run -p hrx-gfx --example sweep` gives the encodings. Kept are those that llvm-objdump-22 takes for
one instruction and whose text llvm-mc-22 assembles to the same bytes: valid, canonical encodings.
A line is the dwords in hexadecimal, a tab, the text.
"""

import collections
import gzip
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1151"]
# Each encoding has a place of its own, filled up with s_nop, so that one that does not decode cannot
# shift the next.
PLACE_WORDS = 8
FILLER = "bf800000"
# Lines for one mnemonic; some have immediates with many names.
MOST = 256


def output(command, **keywords):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **keywords).stdout


def disassemble(encodings, folder):
    """Pairs of words and text of the encodings that are one whole instruction."""
    source, binary = os.path.join(folder, "sweep.s"), os.path.join(folder, "sweep.o")
    with open(source, "w") as file:
        file.write(".text\n")
        for words in encodings:
            filled = words + [FILLER] * (PLACE_WORDS - len(words))
            file.write(".long " + ",".join("0x" + word for word in filled) + "\n")
    output(["llvm-mc-22", *TARGET, "-filetype=obj", "-o", binary, source])
    listing = output(["llvm-objdump-22", "-d", "-z", "--mcpu=gfx1151", binary])
    found = []
    for line in listing.splitlines():
        match = re.match(r"\t(.*?)\s*// ([0-9A-F]{12}): ((?:[0-9A-F]{8} ?)+)", line)
        if not match:
            continue
        place, offset = divmod(int(match[2], 16), 4 * PLACE_WORDS)
        words = match[3].lower().split()
        # A comment in the text says that an operand is of a class that the instruction does not take.
        if offset == 0 and words == encodings[place] and not re.search(r"^\.long|/\*Inv", match[1]):
            found.append((words, match[1]))
    return found


def assemble(texts):
    """Bytes of each text, None where the assembler refuses it."""
    command = ["llvm-mc-22", *TARGET, "-show-encoding"]

    def run(lines):
        result = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
        return result.stdout, result.stderr

    _, errors = run(texts)
    refused = {int(line) for line in re.findall(r"^<stdin>:(\d+):\d+: error", errors, re.M)}
    accepted = [text for line, text in enumerate(texts, 1) if line not in refused]
    assembled, _ = run(accepted)
    encodings = re.findall(r"encoding: \[(.*?)\]", assembled)
    assert len(encodings) == len(accepted), (len(encodings), len(accepted))
    encodings = iter(encodings)
    return [None if line in refused else next(encodings) for line in range(1, len(texts) + 1)]


def main():
    if not shutil.which("llvm-mc-22"):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "llvm-22"], check=True)
    asked = output(["cargo", "run", "-q", "-p", "hrx-gfx", "--example", "sweep"], cwd=HERE)
    encodings = [line.split() for line in asked.splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        found = disassemble(encodings, folder)
    lines, kept = [], collections.Counter()
    for (words, text), encoding in zip(found, assemble([text for _, text in found])):
        # An encoding with a label in it is not all numbers.
        if encoding is None or not re.fullmatch(r"(0x[0-9a-f]{2},?)+", encoding):
            continue
        own = b"".join(int(word, 16).to_bytes(4, "little") for word in words)
        mnemonic = text.split()[0]
        if bytes(int(byte, 16) for byte in encoding.split(",")) == own and kept[mnemonic] < MOST:
            kept[mnemonic] += 1
            lines.append(" ".join(words) + "\t" + text)
    with open(os.path.join(HERE, "sweep.txt.gz"), "wb") as file:
        file.write(gzip.compress("".join(line + "\n" for line in lines).encode(), 9, mtime=0))
    print(f"{len(lines)} of {len(encodings)} encodings are canonical instructions")


main()
