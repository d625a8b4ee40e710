//! Prints encodings that cover the instruction table, one a line, as hexadecimal dwords.
//!
//! For each instruction some with random operands and modifiers, always the same ones. They are the
//! questions to an independent disassembler, whose answers are in `vectors/sweep.txt.gz`
//! (`vectors/build.sh`). Many of them are no valid instructions; it says which.

use hrx_gfx::isa::field::Field;
use hrx_gfx::isa::table::{Group, INSTRUCTIONS, Instruction, Kind, Operand, Type};

/// Encodings of each instruction. In the long formats few random ones are valid.
fn variants(group: Group) -> usize {
    match group {
        Group::Vop3 | Group::Vop3sd => 24,
        Group::Vop3p | Group::Vinterp => 80,
        Group::Mimg => 20,
        Group::Vop1 | Group::Flat | Group::Global | Group::Mtbuf | Group::Mubuf => 16,
        _ => 8,
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 >> 32).expect("32 bits are left")
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    fn pick(&mut self, choices: &[u32]) -> u32 {
        let count = u32::try_from(choices.len()).expect("choices are few");
        choices[self.below(count) as usize]
    }
}

/// Fixed bits of a group: the first dword without opcode, and the place of the opcode.
fn opcode_bits(group: Group, opcode: u32) -> u32 {
    match group {
        Group::Sop2 => 0b10 << 30 | opcode << 23,
        Group::Sopk => 0b1011 << 28 | opcode << 23,
        Group::Sop1 => 0b1_0111_1101 << 23 | opcode << 8,
        Group::Sopc => 0b1_0111_1110 << 23 | opcode << 16,
        Group::Sopp => 0b1_0111_1111 << 23 | opcode << 16,
        Group::Smem => 0b11_1101 << 26 | opcode << 18,
        Group::Vop2 => opcode << 25,
        Group::Vopc => 0b011_1110 << 25 | opcode << 17,
        Group::Vop1 => 0b011_1111 << 25 | opcode << 9,
        Group::Vop3 | Group::Vop3sd => 0b11_0101 << 26 | opcode << 16,
        Group::Vop3p => 0b1100_1100 << 24 | opcode << 16,
        Group::Vinterp => 0b1100_1101 << 24 | opcode << 16,
        Group::Ldsdir => 0b1100_1110 << 24 | opcode << 20,
        Group::VopdX => 0b11_0010 << 26 | opcode << 22,
        Group::VopdY => opcode << 17,
        Group::Ds => 0b11_0110 << 26 | opcode << 18,
        Group::Flat => 0b11_0111 << 26 | opcode << 18,
        Group::Scratch => 0b11_0111 << 26 | 1 << 16 | opcode << 18,
        Group::Global => 0b11_0111 << 26 | 2 << 16 | opcode << 18,
        Group::Mubuf => 0b11_1000 << 26 | opcode << 18,
        Group::Mtbuf => 0b11_1010 << 26 | opcode << 15,
        Group::Mimg => 0b11_1100 << 26 | opcode << 18,
        Group::Exp => 0b11_1110 << 26,
    }
}

fn base_words(group: Group) -> usize {
    match group {
        Group::Sop2
        | Group::Sopk
        | Group::Sop1
        | Group::Sopc
        | Group::Sopp
        | Group::Vop2
        | Group::Vopc
        | Group::Vop1
        | Group::Ldsdir => 1,
        _ => 2,
    }
}

/// One encoding as it grows.
struct Encoding {
    words: [u32; 5],
    literal: Option<u32>,
    dpp: Option<u32>,
}

impl Encoding {
    fn set(&mut self, group: Group, name: &str, value: u32) {
        let field: &Field = group
            .fields()
            .iter()
            .find(|field| field.name == name)
            .expect("a field of the group");
        field.set(&mut self.words, value);
    }

    fn print(&self, words: usize) {
        let tail = self.dpp.or(self.literal);
        let all: Vec<_> = self.words[..words]
            .iter()
            .chain(&tail)
            .map(|word| format!("{word:08x}"))
            .collect();
        println!("{}", all.join(" "));
    }
}

/// An SGPR of which `registers` follow one another, aligned as they must be.
fn sgpr(random: &mut Random, registers: u32) -> u32 {
    if registers <= 2 && random.one_in(6) {
        return random.pick(if registers == 1 {
            &[106, 107, 124, 125, 126, 127]
        } else {
            &[106, 124, 126]
        });
    }
    let alignment = registers.min(4);
    random.below((106 - registers) / alignment) * alignment
}

/// A VGPR of which `registers` follow one another.
fn vgpr(random: &mut Random, registers: u32) -> u32 {
    random.below(257 - registers)
}

fn source(random: &mut Random, ty: Type, encoding: &mut Encoding, vgprs: bool) -> u32 {
    let registers = ty.registers(false);
    match random.below(if vgprs { 12 } else { 7 }) {
        0 | 1 => sgpr(random, registers),
        2 => 128 + random.below(81),
        3 => 240 + random.below(9),
        4 => random.pick(&[235, 236, 237, 238, 251, 252, 253, 124, 125]),
        5 | 6 => {
            // One literal for all sources that name it.
            let value = random.next();
            let value = random.pick(&[value, value & 0xffff, value % 100, 0x3f80_0000, 0x3c00]);
            encoding.literal.get_or_insert(value);
            255
        }
        _ => 256 + vgpr(random, registers),
    }
}

fn encode(instruction: &Instruction, random: &mut Random, encoding: &mut Encoding) {
    let group = instruction.group;
    encoding.words[0] |= opcode_bits(group, u32::from(instruction.opcode));
    for operand in instruction.operands {
        let registers = operand.ty.registers(false);
        let value = match operand.kind {
            Kind::Vgpr => vgpr(random, registers),
            Kind::Src => source(random, operand.ty, encoding, true),
            Kind::Ssrc => source(random, operand.ty, encoding, false),
            // A counter register that would be added to the number; assemblers take null only.
            Kind::Sgpr if instruction.mnemonic.starts_with("s_waitcnt") => 124,
            Kind::Sgpr => sgpr(random, registers),
            Kind::Sbase => sgpr(random, registers.max(2)) / 2,
            Kind::Srsrc => random.below(25),
            Kind::Soffset => random.pick(&[124, 124, 125, 5, 77]),
            Kind::Saddr => random.pick(&[124, 124, 4, 78, 106]),
            Kind::Exec if group == Group::Vop3 => {
                encoding.set(group, "vdst", 126);
                continue;
            }
            Kind::Vcc | Kind::Exec => continue,
            Kind::Literal => {
                let value = random.next();
                let value = if operand.ty == Type::F16 {
                    value & 0xffff
                } else {
                    value
                };
                encoding.literal.get_or_insert(value);
                continue;
            }
            Kind::Simm8 => random.below(256),
            Kind::Target => random.pick(&[0, 1, 7, 8, 9, 12, 13, 14, 15, 16, 20, 21, 22, 32, 63]),
            _ => {
                let value = random.next() & 0xffff;
                random.pick(&[value, value & 0xff, value & 7, 0, 0xffff])
            }
        };
        encoding.set(group, operand.field, value);
    }
    if !instruction.operands.is_empty() || instruction.flags.gds() {
        modifiers(instruction, random, encoding);
    }
}

fn modifiers(instruction: &Instruction, random: &mut Random, encoding: &mut Encoding) {
    let group = instruction.group;
    let maybe = |name: &str, n: u32, encoding: &mut Encoding, random: &mut Random| {
        if random.one_in(n) {
            let value = random.next();
            encoding.set(group, name, value);
        }
    };
    match group {
        Group::Vop3 => {
            let floats = |operand: &&Operand| {
                operand.kind == Kind::Src && matches!(operand.ty, Type::F16 | Type::F32 | Type::F64)
            };
            let floats = instruction.operands.iter().filter(floats).count();
            if floats > 0 && random.one_in(2) {
                encoding.set(group, "neg", random.below(1 << floats));
                encoding.set(group, "abs", random.below(1 << floats));
                maybe("omod", 4, encoding, random);
            }
            maybe("clamp", 4, encoding, random);
            maybe(
                "opsel",
                if instruction.flags.true16() { 2 } else { 8 },
                encoding,
                random,
            );
        }
        Group::Vop3sd => {
            for name in ["neg", "clamp"] {
                maybe(name, 3, encoding, random);
            }
            maybe("omod", 5, encoding, random);
        }
        Group::Vop3p => {
            encoding.set(group, "opsel_hi01", 3);
            encoding.set(group, "opsel_hi2", 1);
            for name in [
                "neg_lo",
                "neg_hi",
                "opsel",
                "opsel_hi01",
                "opsel_hi2",
                "clamp",
            ] {
                maybe(name, 3, encoding, random);
            }
        }
        Group::Vinterp => {
            for name in ["neg", "clamp", "opsel", "waitexp"] {
                maybe(name, 2, encoding, random);
            }
        }
        Group::Ldsdir => {
            for name in ["attr_chan", "wait_va"] {
                maybe(name, 1, encoding, random);
            }
        }
        Group::Ds => {
            for name in ["offset0", "offset1"] {
                maybe(name, 2, encoding, random);
            }
            if instruction.flags.gds() || random.one_in(6) {
                encoding.set(group, "gds", 1);
            }
        }
        Group::Flat | Group::Global | Group::Scratch => {
            maybe("offset", 2, encoding, random);
            for name in ["dlc", "glc", "slc"] {
                maybe(name, 3, encoding, random);
            }
            // Null says that there is none; FLAT has no other.
            if group == Group::Flat {
                encoding.set(group, "saddr", 124);
                let offset = random.next() & random.pick(&[0, 0xfff]);
                encoding.set(group, "offset", offset);
            }
            // Without a result there is no register for it.
            let is_atomic = instruction.mnemonic.contains("_atomic_");
            if is_atomic && encoding.words[0] & 1 << 14 == 0 {
                encoding.set(group, "vdst", 0);
            }
            if group == Group::Scratch {
                encoding.set(group, "sve", 1);
                maybe("sve", 2, encoding, random);
            }
        }
        Group::Smem => {
            for name in ["dlc", "glc"] {
                maybe(name, 3, encoding, random);
            }
            maybe("offset", 2, encoding, random);
        }
        Group::Mubuf | Group::Mtbuf => {
            for name in ["offset", "slc", "dlc", "glc", "offen", "idxen"] {
                maybe(name, 2, encoding, random);
            }
            if group == Group::Mtbuf {
                maybe("format", 1, encoding, random);
            }
            if instruction.mnemonic.contains("_load_") {
                maybe("tfe", 6, encoding, random);
            }
        }
        Group::Mimg => {
            for name in ["dmask", "dim"] {
                maybe(name, 1, encoding, random);
            }
            if instruction.mnemonic.contains("_msaa_") {
                let dim = random.pick(&[6, 7]);
                encoding.set(group, "dim", dim);
            }
            let mut names = vec!["slc", "dlc", "glc", "unorm", "r128", "a16"];
            if instruction.mnemonic.contains("_atomic_") {
                let dmask = random.pick(&[1, 3, 15]);
                encoding.set(group, "dmask", dmask);
            } else {
                names.extend(["d16", "tfe", "lwe"]);
            }
            for name in names {
                maybe(name, 4, encoding, random);
            }
        }
        Group::Exp => {
            for name in ["en", "done", "row"] {
                maybe(name, 2, encoding, random);
            }
        }
        _ => {}
    }
}

/// Turns source 0 into a DPP operand.
fn with_dpp(instruction: &Instruction, random: &mut Random, encoding: &mut Encoding) {
    encoding.literal = None;
    let sources = instruction
        .operands
        .iter()
        .filter(|operand| operand.kind == Kind::Src);
    for operand in sources.skip(1) {
        let value = 256 + vgpr(random, 1);
        encoding.set(instruction.group, operand.field, value);
    }
    let register = random.below(256);
    if random.one_in(3) {
        let src0 = random.pick(&[233, 234]);
        encoding.set(instruction.group, "src0", src0);
        encoding.dpp = Some(register | random.next() << 8);
    } else {
        encoding.set(instruction.group, "src0", 250);
        let low = random.below(16);
        let control = match random.below(8) {
            0 | 1 => random.below(256),
            2 => 0x100 | low.max(1),
            3 => 0x110 | low.max(1),
            4 => 0x120 | low.max(1),
            5 => 0x140 | low & 1,
            6 => 0x150 | low,
            _ => 0x160 | low,
        };
        let mut dword = register | control << 8;
        dword |= random.pick(&[0, 1 << 18, 1 << 19, 3 << 18]);
        if !matches!(
            instruction.group,
            Group::Vop3 | Group::Vop3sd | Group::Vop3p
        ) && random.one_in(2)
        {
            dword |= random.below(16) << 20;
        }
        let masks = random.next() & 0xff00_0000;
        dword |= random.pick(&[0xff00_0000, masks]);
        encoding.dpp = Some(dword);
    }
}

fn main() {
    let mut random = Random(0x1351_0bad_5eed);
    let blank = || Encoding {
        words: [0; 5],
        literal: None,
        dpp: None,
    };
    for instruction in INSTRUCTIONS {
        if matches!(instruction.group, Group::VopdX | Group::VopdY) {
            continue;
        }
        let words = base_words(instruction.group);
        for _ in 0..variants(instruction.group) {
            let mut encoding = blank();
            encode(instruction, &mut random, &mut encoding);
            encoding.print(words);
            let has_src0 = instruction
                .operands
                .iter()
                .any(|operand| operand.field == "src0");
            if instruction.flags.dpp() && has_src0 && random.one_in(2) {
                with_dpp(instruction, &mut random, &mut encoding);
                encoding.print(words);
            }
        }
        if instruction.group == Group::Mimg {
            for _ in 0..variants(instruction.group) {
                let mut encoding = blank();
                encode(instruction, &mut random, &mut encoding);
                encoding.set(instruction.group, "nsa", 1);
                encoding.literal = Some(random.next());
                encoding.print(2);
            }
        }
    }
    // Immediates that have names: each value once.
    for (mnemonic, field, values) in [
        ("s_getreg_b32", "simm16", 64),
        ("s_setreg_b32", "simm16", 64),
        ("s_sendmsg", "simm16", 256),
        ("s_version", "simm16", 16),
        ("s_waitcnt", "simm16", 64),
        ("s_nop", "simm16", 72),
        ("s_clause", "simm16", 72),
        ("exp", "target", 64),
        ("tbuffer_load_format_x", "format", 128),
    ] {
        let instruction = INSTRUCTIONS
            .iter()
            .find(|row| row.mnemonic == mnemonic)
            .expect(mnemonic);
        for value in 0..values {
            let mut encoding = blank();
            encoding.words[0] = opcode_bits(instruction.group, u32::from(instruction.opcode));
            // For a hardware register: 32 bits from bit 0 on.
            let whole = if mnemonic.ends_with("reg_b32") {
                31 << 11
            } else {
                0
            };
            encoding.set(instruction.group, field, value | whole);
            encoding.print(base_words(instruction.group));
        }
    }
    // Messages that are answered: the number is where others have a source.
    for message in 0..256u32 {
        println!("{:08x}", 0xbe80_4c00 | message);
    }
    // Delays, counters and lane patterns by chance.
    for _ in 0..64 {
        let value = random.next() & 0x7ff;
        println!("{:08x}", 0xbf87_0000 | value);
        println!("{:08x}", 0xbf88_0000 | random.next() & 0xff9f);
        println!("{:08x}", 0xbf89_0000 | random.next() & 0xfff7);
        println!("{:08x} 03000002", 0xd8d4_0000 | random.next() & 0xffff);
    }
    for pattern in [
        0x801bu32, 0x80e4, 0x401f, 0x7c1f, 0x041f, 0x001e, 0x0018, 0x01f0, 0xc020, 0xc420, 0xe000,
    ] {
        println!("{:08x} 03000002", 0xd8d4_0000 | pattern);
    }
    let of = |group| INSTRUCTIONS.iter().filter(move |row| row.group == group);
    for x in of(Group::VopdX) {
        for y in of(Group::VopdY) {
            for _ in 0..2 {
                let mut encoding = blank();
                encode(x, &mut random, &mut encoding);
                encode(y, &mut random, &mut encoding);
                encoding.print(2);
            }
        }
    }
}
