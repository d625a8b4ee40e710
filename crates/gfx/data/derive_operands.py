#!/usr/bin/env python3
"""Writes operands.tsv: which operands each instruction of opcodes.tsv has.

Usage: derive_operands.py    (needs `pip install tinygrad==0.14.0`; run when opcodes.tsv changes)

Field names, sizes and number formats are facts of AMD's machine-readable RDNA3.5 ISA, taken from the
tables that tinygrad 0.14.0 derived from it (tinygrad.runtime.autogen.amd.rdna3). What those tables do
not say is added here: the order of the assembly syntax, which operands are written, and operands
without a field (VCC, EXEC, literal constants).

A row is format, opcode, and operands as `role.field.kind.type`, in assembly order. Roles are out, in and
inout; inout also where part of the register is kept.
"""

import importlib
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

PACKAGE = "tinygrad.runtime.autogen.amd.rdna3"

# Fields in the order in which an assembler takes them, for each format.
ORDER = {
    "SOP2": "sdst ssrc0 ssrc1",
    "SOPK": "sdst simm16",
    "SOP1": "sdst ssrc0",
    "SOPC": "ssrc0 ssrc1",
    "SOPP": "simm16",
    "SMEM": "sdata sbase soffset",
    "VOP2": "vdst src0 vsrc1",
    "VOPC": "src0 vsrc1",
    "VOP1": "vdst src0",
    "VOP3": "vdst src0 src1 src2",
    "VOP3SD": "vdst sdst src0 src1 src2",
    "VOP3P": "vdst src0 src1 src2",
    "VINTERP": "vdst src0 src1 src2",
    "LDSDIR": "vdst attr",
    "VOPDX": "vdstx srcx0 vsrcx1",
    "VOPDY": "vdsty srcy0 vsrcy1",
    "DS": "vdst addr data0 data1",
    "FLAT": "vdst addr data",
    "GLOBAL": "vdst addr data saddr",
    "SCRATCH": "vdst addr data saddr",
    "MUBUF": "vdata vaddr srsrc soffset",
    "MTBUF": "vdata vaddr srsrc soffset",
    "MIMG": "vdata vaddr srsrc ssamp",
    "EXP": "target vsrc0 vsrc1 vsrc2 vsrc3",
}

# What the bits of a field mean, where it is the same in every instruction that has it.
KIND = {
    "ssrc0": "Ssrc", "ssrc1": "Ssrc", "sdst": "Sgpr", "sdata": "Sgpr",
    "sbase": "Sbase", "soffset": "Soffset", "saddr": "Saddr", "srsrc": "Srsrc", "ssamp": "Srsrc",
    "src0": "Src", "src1": "Src", "src2": "Src", "srcx0": "Src", "srcy0": "Src",
    "vsrc0": "Vgpr", "vsrc1": "Vgpr", "vsrc2": "Vgpr", "vsrc3": "Vgpr", "vsrcx1": "Vgpr",
    "vsrcy1": "Vgpr", "vdst": "Vgpr", "vdstx": "Vgpr", "vdsty": "Vgpr", "addr": "Vgpr",
    "data": "Vgpr", "data0": "Vgpr", "data1": "Vgpr", "vdata": "Vgpr", "vaddr": "Vgpr",
    "attr": "Attribute", "target": "Target",
}

IMMEDIATE = {
    "OPR_SIMM16": "Simm16", "OPR_VERSION": "Simm16", "OPR_CLAUSE": "Simm16", "OPR_HWREG": "Hwreg",
    "OPR_LABEL": "Label", "OPR_SENDMSG": "Sendmsg", "OPR_SENDMSG_RTN": "SendmsgRtn",
    "OPR_WAITCNT": "Waitcnt", "OPR_WAITCNT_DEPCTR": "Depctr", "OPR_DELAY": "Delay",
    "OPR_WAIT_EVENT": "Simm16", "OPR_SIMM8": "Simm8",
}

PACKED = {
    "PK2_B16": "B16x2", "PK2_U16": "U16x2", "PK2_I16": "I16x2", "PK2_F16": "F16x2",
    "PK2_BF16": "Bf16x2", "PK2_U8": "U8x2", "PK4_U8": "U8x4", "PK4_B8": "B8x4", "PK4_IU8": "Iu8x4",
    "PK8_U4": "U4x8", "PK8_IU4": "Iu4x8",
}

# Registers of a matrix operand hold 16 elements of A or B, or 8 of C and D, for each lane.
MATRIX = {
    "AB_F16": "F16x16", "AB_BF16": "Bf16x16", "AB_IU8": "Iu8x16", "AB_IU4": "Iu4x16",
    "DC_F32": "F32x8", "DC_I32": "I32x8", "DC_F16": "F16x8", "DC_BF16": "Bf16x8",
}

# Instructions whose destination also is a source, or keeps a part of what it held.
INOUT = re.compile(
    r"^(v_(dual_)?(fmac|dot2acc|pk_fmac)|s_fmac|v_swap|v_writelane|v_movrel[sd]*d|v_fma_mix(lo|hi)"
    r"|s_bitset|s_addk|s_mulk|s_cmov|s_movreld|s_movrelsd|v_cvt_pk_u8_f32)"
    r"|_d16|^v_interp_p2_\w*f16|^v_wmma_b?f16_"
)


def tables():
    """Opcode and operand tables of the package, as (format, opcode) -> {field: (format, bits, type)}."""
    operands = importlib.import_module(PACKAGE + ".operands").OPERANDS
    found = {}
    for op, fields in operands.items():
        family = type(op).__name__.removesuffix("Op")
        found[family, op.value] = {
            field: (fmt.name.removeprefix("FMT_") if fmt else "ANY", bits, kind.name)
            for field, (fmt, bits, kind) in fields.items()
        }
    return found


def type_of(fmt, bits):
    name = fmt.removeprefix("NUM_")
    if name == "M64":
        return "Mask"
    if name in PACKED:
        return PACKED[name]
    if fmt.startswith("WMMA_"):
        return MATRIX[fmt.removeprefix("WMMA_")]
    # An image address is called F32 however many registers it has.
    number = re.search(r"\d+$", name)
    if fmt.startswith("NUM_") and number and (int(number[0]) == bits or bits < 64):
        return name.capitalize()
    return f"B{bits}"


def operand(role, field, kind, type_name):
    return f"{role}.{field}.{kind}.{type_name}"


def row(fmt, opcode, mnemonic, found):
    """The operands of one instruction, in assembly order."""
    sd = (("VOP3SD", opcode) in found) if fmt == "VOP3" else False
    family = "VOP3SD" if sd else "VOPD" if fmt.startswith("VOPD") else fmt
    fields = found.get((family, opcode), {})
    if fmt == "VOPDX":
        fields = {re.sub("y", "x", field): value for field, value in fields.items()}
    if fmt == "EXP":
        fields = {"target" if field == "tgt" else field: value for field, value in fields.items()}
    if fmt == "VOP3":
        # Some rows of promoted one-source instructions call the only source vsrc0.
        fields = {"src0" if field == "vsrc0" else field: value for field, value in fields.items()}

    order = ORDER[family if sd else fmt].split()
    is_memory = fmt in ("DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF", "MIMG")
    out = []
    for field in order:
        if field not in fields:
            continue
        number, bits, kind_name = fields[field]
        kind = IMMEDIATE.get(kind_name) or KIND[field]
        if field == "vdst" and kind_name == "OPR_SREG":
            kind = "Sgpr"
        if field == "vdst" and kind_name == "OPR_EXEC":
            out.append(operand("out", "exec", "Exec", "Mask"))
            continue
        if field == "sdst" and kind_name == "OPR_SDST_NULL":
            out.append(operand("in", field, kind, type_of(number, bits)))
            continue
        written = field in ("vdst", "sdst", "vdstx", "vdsty", "sdata")
        role = "out" if written else "in"
        if written and INOUT.search(mnemonic):
            role = "inout"
        if mnemonic.startswith(("s_cmpk", "s_setreg")) or kind == "Simm8":
            role = "in"
        if field == "vdata":
            role = "in" if "store" in mnemonic else "inout" if "atomic" in mnemonic or "d16" in mnemonic else "out"
        if mnemonic.startswith("v_swap") and field == "src0":
            role = "inout"
        if "cmpswap" in mnemonic and field == "vdst":
            # The data is the new and the compared value; only one comes back.
            number, bits = "ANY", 64 if mnemonic.endswith("64") else 32
        if kind == "Label":
            number, bits = "NUM_I16", 16
        out.append(operand(role, field, kind, type_of(number, bits)))

    literal = {"f16": "F16", "f32": "F32"}.get(mnemonic[-3:])
    if "fmaak" in mnemonic:
        out.append(operand("in", "literal", "Literal", literal))
    if "fmamk" in mnemonic:
        out.insert(len(out) - 1, operand("in", "literal", "Literal", literal))
    if mnemonic == "s_setreg_imm32_b32":
        out.append(operand("in", "literal", "Literal", "B32"))
    if mnemonic == "s_setreg_b32":
        out.reverse()
    if mnemonic.startswith("s_subvector_loop"):
        out = [operand("inout", "sdst", "Sgpr", "B32"), operand("in", "simm16", "Label", "I16")]
    if mnemonic in ("s_wait_idle", "s_code_end"):
        out = []

    vcc_in = operand("in", "vcc", "Vcc", "Mask")
    vcc_out = operand("out", "vcc", "Vcc", "Mask")
    if fmt == "VOPC":
        out.insert(0, operand("out", "exec", "Exec", "Mask") if "cmpx" in mnemonic else vcc_out)
    if mnemonic in ("v_cndmask_b32", "v_dual_cndmask_b32") and fmt != "VOP3":
        out.append(vcc_in)
    if "_co_ci_" in mnemonic and fmt == "VOP2":
        out.insert(1, vcc_out)
        out.append(vcc_in)
    if mnemonic.startswith("v_div_fmas"):
        out.append(vcc_in)
    assert is_memory or len(out) == len(set(out)), (fmt, opcode, mnemonic, out)
    return out


# Rows that the package lacks or that an assembler contradicts.
CORRECTIONS = {
    # Not in the list, in the manual's text only; as the 32-bit atomics beside it.
    ("FLAT", 55): "out.vdst.Vgpr.U32 in.addr.Vgpr.B64 in.data.Vgpr.U32",
    ("DS", 24): "", ("DS", 26): "", ("DS", 28): "", ("DS", 20): "",
}


def main():
    found = tables()
    lines = ["format\topcode\toperands"]
    with open(os.path.join(HERE, "opcodes.tsv")) as opcodes:
        next(opcodes)
        for line in opcodes:
            fmt, opcode, mnemonic = line.split("\t")[:3]
            key = fmt, int(opcode)
            text = CORRECTIONS.get(key)
            if text is None:
                text = " ".join(row(fmt, int(opcode), mnemonic, found))
            lines.append(f"{fmt}\t{opcode}\t{text}")
    with open(os.path.join(HERE, "operands.tsv"), "w") as out:
        out.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
