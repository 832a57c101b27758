//! Random memory writes, memory reads, vertex fetches, local data share accesses, vertex emissions and
//! fetch subroutines: reference and executor in lockstep.

use parallax_executor::r700::Executor;
use parallax_isa::{
    Model,
    r700::{
        Case, CfOpcode, Program as IsaProgram,
        case::{Buffers, LoopConstant, MemoryRange, ProgramType, VertexBuffer},
        microcode::{
            CfWord, ExportBuffer, Field, LocalRead, LocalWrite, MemoryRead, SemanticFetch,
            VertexFetch,
        },
        text::print,
    },
};
use parallax_lockstep::{Verdict, lockstep::lockstep, r700::R700};
use parallax_reference::r700::Reference;

use crate::r700::numbers::Numbers;

/// A program being written: control-flow instructions, then fetch clauses.
#[derive(Default)]
struct Program {
    control_flow: Vec<[u32; 2]>,
    /// Number of the instruction that runs a clause, and the clause.
    clauses: Vec<(usize, Vec<[u32; 4]>)>,
}

impl Program {
    fn plain(&mut self, opcode: CfOpcode, fields: &[(Field, u32)]) {
        let mut word = CfWord::default().with(CfWord::CF_INST, opcode.code());
        for &(field, value) in fields {
            word = word.with(field, value);
        }
        self.control_flow.push(word.0);
    }

    /// A fetch clause in some pixel mode.
    fn clause(&mut self, opcode: CfOpcode, numbers: &mut Numbers, fetches: Vec<[u32; 4]>) {
        let count = fetches.len() as u32 - 1;
        self.clauses.push((self.control_flow.len(), fetches));
        let mode = pixel_mode(numbers);
        let [quads, valid] = mode;
        self.plain(
            opcode,
            &[
                (CfWord::COUNT, count & 7),
                (CfWord::COUNT_3, count >> 3),
                (CfWord::WHOLE_QUAD_MODE, quads),
                (CfWord::VALID_PIXEL_MODE, valid),
            ],
        );
    }

    /// The dwords, with a `NOP` that ends the program.
    fn finish(mut self) -> Vec<u32> {
        self.plain(CfOpcode::Nop, &[(CfWord::END_OF_PROGRAM, 1)]);
        let mut address = self.control_flow.len().next_multiple_of(2) as u32;
        let mut clauses = Vec::new();
        for (place, fetches) in self.clauses {
            CfWord::ADDR.set(&mut self.control_flow[place], address);
            address += 2 * fetches.len() as u32;
            clauses.extend(fetches.concat());
        }
        let mut dwords = self.control_flow.concat();
        dwords.resize(dwords.len().next_multiple_of(4), 0);
        dwords.extend(clauses);
        dwords
    }
}

/// Whole quad mode and valid pixel mode, mostly neither.
fn pixel_mode(numbers: &mut Numbers) -> [u32; 2] {
    match numbers.below(6) {
        0 => [1, 0],
        1 => [0, 1],
        _ => [0, 0],
    }
}

/// Registers a case declares: relative addresses may leave them.
const DECLARED: u32 = 12;

/// A case that runs a program with small numbers in the X and Y elements and anything elsewhere.
fn case(numbers: &mut Numbers, program: Vec<u32>) -> Case {
    let mut case = Case::new(program);
    case.gpr_count = DECLARED;
    case.global_gprs = 4;
    case.wavefront = numbers.below(3);
    case.base_vertex = numbers.below(4);
    case.start_instance = numbers.below(4);
    case.semantic_table = vec![7, 3, 9, 3];
    let initial = numbers.below(4);
    case.loop_constants = vec![LoopConstant { count: 2, initial, increment: 3 }];
    let range = |base, size| MemoryRange { base, size };
    case.buffers = Buffers {
        scratch: range(0, 1300),
        reduction: range(1300, 900),
        stream: [range(2200, 200), range(2400, 100), range(2500, 60), range(0, 0)],
        ring: range(2600, 300),
        export: range(2900, 1196),
    };
    let state = &mut case.state;
    state.valid = numbers.mask();
    state.pixels.active = numbers.mask();
    for register in state.gpr.iter_mut().chain(&mut state.global) {
        let limit = numbers.pick(&[4, 16, 300]);
        for lanes in &mut register[..2] {
            lanes.fill_with(|| numbers.below(limit));
        }
        for lanes in &mut register[2..] {
            lanes.fill_with(|| numbers.next());
        }
    }
    state.memory.fill_with(|| numbers.next());
    state.local.fill_with(|| numbers.next());
    case
}

/// Runs cases made by a function and fails with the first few that differ.
fn agree(rounds: u64, make: impl Fn(&mut Numbers) -> Case) {
    let mut failed = Vec::new();
    let mut halted = 0;
    for round in 0..rounds {
        let case = make(&mut Numbers::new(round + 1));
        match lockstep::<R700>(&mut Reference::new(), &mut Executor::new(), &case) {
            Verdict::Agreed(agreement) => {
                halted += u64::from(agreement.outcome == parallax_isa::Outcome::Halted);
            }
            verdict => {
                let mut text = format!("{verdict:?}");
                text.truncate(700);
                let program = IsaProgram::decode(&case.program).expect("decodes");
                failed.push(format!("round {round}: {text}\n{}", print(&program)));
            }
        }
    }
    let shown = failed.iter().take(4).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(failed.is_empty(), "{} of {rounds} rounds differ:\n{shown}", failed.len());
    assert!(halted > rounds / 2, "only {halted} of {rounds} programs reach their end");
}

/// Puts a loop around what a function adds, so that aL counts.
fn looped(add: impl FnOnce(&mut Program)) -> Program {
    let mut program = Program::default();
    program.plain(CfOpcode::LoopStart, &[]);
    add(&mut program);
    let end = program.control_flow.len() as u32;
    CfWord::ADDR.set(&mut program.control_flow[0], end + 1);
    program.plain(CfOpcode::LoopEnd, &[(CfWord::ADDR, 1)]);
    program
}

fn memory_write(numbers: &mut Numbers) -> [u32; 2] {
    let opcode = numbers.pick(&[
        CfOpcode::MemScratch,
        CfOpcode::MemReduction,
        CfOpcode::MemStream0,
        CfOpcode::MemStream1,
        CfOpcode::MemStream2,
        CfOpcode::MemStream3,
        CfOpcode::MemRing,
        CfOpcode::MemExport,
    ]);
    let private = matches!(opcode, CfOpcode::MemScratch | CfOpcode::MemReduction);
    let element_size = match opcode {
        _ if private => 3,
        CfOpcode::MemExport => numbers.pick(&[0, 1, 2, 3]),
        _ => numbers.pick(&[0, 1, 3]),
    };
    let [quads, valid] = pixel_mode(numbers);
    ExportBuffer::default()
        .with(ExportBuffer::CF_INST, opcode.code())
        .with(ExportBuffer::TYPE, numbers.below(4))
        .with(ExportBuffer::ARRAY_BASE, numbers.below(if private { 4 } else { 40 }))
        .with(ExportBuffer::ARRAY_SIZE, numbers.below(if private { 6 } else { 300 }))
        .with(ExportBuffer::RW_GPR, numbers.below(DECLARED))
        .with(ExportBuffer::RW_REL, numbers.below(2))
        .with(ExportBuffer::INDEX_GPR, numbers.below(DECLARED))
        .with(ExportBuffer::ELEM_SIZE, element_size)
        .with(ExportBuffer::COMP_MASK, numbers.next())
        .with(ExportBuffer::BURST_COUNT, numbers.below(4))
        .with(ExportBuffer::WHOLE_QUAD_MODE, quads)
        .with(ExportBuffer::VALID_PIXEL_MODE, valid)
        .0
}

/// Formats a vertex fetch or a memory read may use.
const FORMATS: [u32; 27] = [
    1, 2, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 22, 25, 26, 27, 29, 30, 31, 32, 34,
    35, 43,
];

/// Selects of a destination.
fn selects(numbers: &mut Numbers) -> [u32; 4] {
    [0; 4].map(|_: u32| numbers.pick(&[0, 1, 2, 3, 0, 1, 4, 5, 7]))
}

fn memory_read(numbers: &mut Numbers) -> [u32; 4] {
    let kind = numbers.below(3);
    let select = selects(numbers);
    let element_size = match kind {
        0 => numbers.pick(&[0, 1, 3, 3]),
        1 => 3,
        _ => numbers.pick(&[0, 1, 3]),
    };
    let format = match element_size {
        0 => numbers.pick(&[13, 14, 26, 25, 16]),
        1 => numbers.pick(&[29, 30, 31, 32]),
        _ => numbers.pick(&[34, 35, 35]),
    };
    MemoryRead::default()
        .with(MemoryRead::VTX_INST, 2)
        .with(MemoryRead::ELEM_SIZE, element_size)
        .with(MemoryRead::MEM_OP, kind)
        .with(MemoryRead::FETCH_WHOLE_QUAD, u32::from(numbers.one_in(4)))
        .with(MemoryRead::UNCACHED, 1)
        .with(MemoryRead::INDEXED, numbers.below(2))
        .with(MemoryRead::SRC_GPR, numbers.below(DECLARED))
        .with(MemoryRead::SRC_REL, numbers.below(2))
        .with(MemoryRead::SRC_SEL_X, numbers.below(2))
        .with(MemoryRead::BURST_CNT, if numbers.one_in(3) { numbers.below(3) } else { 0 })
        .with(MemoryRead::DST_GPR, numbers.below(DECLARED))
        .with(MemoryRead::DST_REL, numbers.below(2))
        .with(MemoryRead::DST_SEL_X, select[0])
        .with(MemoryRead::DST_SEL_Y, select[1])
        .with(MemoryRead::DST_SEL_Z, select[2])
        .with(MemoryRead::DST_SEL_W, select[3])
        .with(MemoryRead::DATA_FORMAT, format)
        .with(MemoryRead::NUM_FORMAT_ALL, numbers.below(3))
        .with(MemoryRead::FORMAT_COMP_ALL, numbers.below(2))
        .with(MemoryRead::SRF_MODE_ALL, numbers.below(2))
        .with(MemoryRead::ARRAY_BASE, numbers.below(if kind == 2 { 100 } else { 4 }))
        .with(MemoryRead::ENDIAN_SWAP, numbers.below(3))
        .with(MemoryRead::MEGA_FETCH, 1)
        .with(MemoryRead::ARRAY_SIZE, numbers.below(6))
        .0
}

fn vertex_fetch(numbers: &mut Numbers, formats: &[u32]) -> [u32; 4] {
    let select = selects(numbers);
    let fetch = VertexFetch::default()
        .with(VertexFetch::FETCH_TYPE, numbers.below(3))
        .with(VertexFetch::FETCH_WHOLE_QUAD, numbers.below(2))
        .with(VertexFetch::BUFFER_ID, numbers.below(2))
        .with(VertexFetch::SRC_GPR, numbers.below(DECLARED))
        .with(VertexFetch::SRC_REL, numbers.below(2))
        .with(VertexFetch::SRC_SEL_X, numbers.below(2))
        .with(VertexFetch::MEGA_FETCH_COUNT, numbers.below(64))
        .with(VertexFetch::DST_GPR, numbers.below(DECLARED))
        .with(VertexFetch::DST_REL, numbers.below(2))
        .with(VertexFetch::DST_SEL_X, select[0])
        .with(VertexFetch::DST_SEL_Y, select[1])
        .with(VertexFetch::DST_SEL_Z, select[2])
        .with(VertexFetch::DST_SEL_W, select[3])
        .with(VertexFetch::USE_CONST_FIELDS, u32::from(numbers.one_in(4)))
        .with(VertexFetch::DATA_FORMAT, numbers.pick(formats))
        .with(VertexFetch::NUM_FORMAT_ALL, numbers.below(3))
        .with(VertexFetch::FORMAT_COMP_ALL, numbers.below(2))
        .with(VertexFetch::SRF_MODE_ALL, numbers.below(2))
        .with(VertexFetch::OFFSET, numbers.pick(&[0, 4, 8, 12, 3]))
        .with(VertexFetch::ENDIAN_SWAP, numbers.below(3))
        .with(VertexFetch::CONST_BUF_NO_STRIDE, u32::from(numbers.one_in(5)))
        .with(VertexFetch::MEGA_FETCH, numbers.below(2))
        .with(VertexFetch::ALT_CONST, u32::from(numbers.one_in(4)));
    if numbers.one_in(4) {
        let id = numbers.pick(&[3, 7, 9, 200]);
        let mut semantic = SemanticFetch(fetch.0).with(SemanticFetch::SEMANTIC_ID, id);
        semantic.0[1] &= !0x100;
        return semantic.with(SemanticFetch::VTX_INST, 1).0;
    }
    fetch.0
}

/// A vertex buffer with every kind of number in it.
fn vertex_buffer(numbers: &mut Numbers) -> VertexBuffer {
    let length = numbers.pick(&[4096, 4096, 700]);
    let byte = |_| match numbers.below(8) {
        0 => 0,
        1 => 0xFF,
        2 => 0x80,
        3 => 0x7C,
        _ => numbers.next() as u8,
    };
    let bytes = (0..length).map(byte).collect();
    VertexBuffer {
        bytes,
        stride: numbers.pick(&[16, 12, 8, 20, 4]),
        data_format: numbers.pick(&FORMATS),
        num_format: numbers.below(3),
        format_comp: numbers.below(2),
        srf_mode: numbers.below(2),
        endian_swap: numbers.below(3),
    }
}

fn local_write(numbers: &mut Numbers) -> [u32; 4] {
    let select = [0; 4].map(|_: u32| numbers.pick(&[0, 1, 2, 3, 4, 5, 7]));
    let stride = 4 * (1 + numbers.below(8));
    let index = 4 * numbers.below(stride / 4);
    LocalWrite::default()
        .with(LocalWrite::VTX_INST, 2)
        .with(LocalWrite::MEM_OP, 4)
        .with(LocalWrite::SRC_GPR, numbers.below(DECLARED))
        .with(LocalWrite::SRC_REL_MODE, numbers.below(3))
        .with(LocalWrite::SRC_SEL_X, select[0])
        .with(LocalWrite::SRC_SEL_Y, select[1])
        .with(LocalWrite::SRC_SEL_Z, select[2])
        .with(LocalWrite::SRC_SEL_W, select[3])
        .with(LocalWrite::DST_INDEX, index)
        .with(LocalWrite::DST_STRIDE, stride)
        .with(LocalWrite::SIMD_WAVE_REL, numbers.below(2))
        .with(LocalWrite::BURST_CNT, if numbers.one_in(3) { numbers.below(3) } else { 0 })
        .0
}

fn local_read(numbers: &mut Numbers) -> [u32; 4] {
    LocalRead::default()
        .with(LocalRead::VTX_INST, 2)
        .with(LocalRead::MEM_OP, 5)
        .with(LocalRead::SRC_GPR, numbers.below(DECLARED))
        .with(LocalRead::SRC_REL_MODE, numbers.below(3))
        .with(LocalRead::SRC_SEL_X, numbers.pick(&[0, 1, 4]))
        .with(LocalRead::SRC_SEL_Y, numbers.pick(&[0, 1, 4]))
        .with(LocalRead::RD_OFFSET, numbers.below(64))
        .with(LocalRead::DST_GPR, numbers.below(DECLARED))
        .with(LocalRead::DST_REL_MODE, numbers.below(3))
        .with(LocalRead::DST_WR_X, numbers.below(2))
        .with(LocalRead::DST_WR_Y, numbers.below(2))
        .with(LocalRead::DST_WR_Z, numbers.below(2))
        .with(LocalRead::DST_WR_W, numbers.below(2))
        .with(LocalRead::BROADCAST, u32::from(numbers.one_in(4)))
        .with(LocalRead::WATERFALL, u32::from(!numbers.one_in(4)))
        .with(LocalRead::MUX_CNTL, numbers.pick(&[0, 0, 2]))
        .with(LocalRead::BURST_CNT, if numbers.one_in(3) { numbers.below(3) } else { 0 })
        .0
}

fn some(
    numbers: &mut Numbers,
    count: u32,
    mut make: impl FnMut(&mut Numbers) -> [u32; 4],
) -> Vec<[u32; 4]> {
    (0..1 + numbers.below(count)).map(|_| make(numbers)).collect()
}

/// Fetches of a clause, which is one step: open results of one must not be the indices of another.
fn unchained(
    numbers: &mut Numbers,
    count: u32,
    make: impl FnMut(&mut Numbers) -> [u32; 4],
) -> Vec<[u32; 4]> {
    let mut fetches = some(numbers, count, make);
    if fetches.len() > 1 {
        for fetch in &mut fetches {
            VertexFetch::SRC_GPR.set(fetch, 4 + numbers.below(2));
            VertexFetch::SRC_REL.set(fetch, 0);
            if VertexFetch::VTX_INST.get(fetch) != 1 {
                VertexFetch::DST_GPR.set(fetch, 6 + numbers.below(DECLARED - 6));
            }
        }
    }
    fetches
}

#[test]
fn memory_writes() {
    agree(400, |numbers| {
        let program = looped(|program| {
            for _ in 0..4 {
                program.control_flow.push(memory_write(numbers));
            }
        });
        case(numbers, program.finish())
    });
}

#[test]
fn memory_reads() {
    agree(400, |numbers| {
        let program = looped(|program| {
            program.control_flow.push(memory_write(numbers));
            let opcode = numbers.pick(&[CfOpcode::Vtx, CfOpcode::VtxTc, CfOpcode::Tex]);
            let reads = unchained(numbers, 10, memory_read);
            program.clause(opcode, numbers, reads);
        });
        case(numbers, program.finish())
    });
}

#[test]
fn vertex_fetches() {
    agree(400, |numbers| {
        let program = looped(|program| {
            let opcode = numbers.pick(&[CfOpcode::Vtx, CfOpcode::VtxTc, CfOpcode::Tex]);
            let fetches = unchained(numbers, 8, |numbers| vertex_fetch(numbers, &FORMATS));
            program.clause(opcode, numbers, fetches);
        });
        let mut case = case(numbers, program.finish());
        case.program_type = ProgramType::Vertex;
        for constants in [&mut case.constants, &mut case.alternate_constants] {
            constants.vertex_buffers = vec![vertex_buffer(numbers), vertex_buffer(numbers)];
        }
        case
    });
}

/// Every code of DATA_FORMAT: read alike, or refused by both.
#[test]
fn every_data_format() {
    let every: Vec<u32> = (0..64).collect();
    let mut undefined = Vec::new();
    for code in &every {
        for variant in 0..4 {
            let numbers = &mut Numbers::new(u64::from(code * 4 + variant) + 77);
            let mut program = Program::default();
            let fetch = VertexFetch(vertex_fetch(numbers, &[*code]))
                .with(VertexFetch::VTX_INST, 0)
                .with(VertexFetch::USE_CONST_FIELDS, 0)
                .with(VertexFetch::DST_SEL_X, 0)
                .with(VertexFetch::DST_SEL_Y, 1)
                .with(VertexFetch::DST_SEL_Z, 2)
                .with(VertexFetch::DST_SEL_W, 3);
            program.clause(CfOpcode::Vtx, numbers, vec![fetch.0]);
            let mut case = case(numbers, program.finish());
            case.state.valid = u64::MAX;
            case.state.pixels.active = u64::MAX;
            for constants in [&mut case.constants, &mut case.alternate_constants] {
                constants.vertex_buffers = vec![vertex_buffer(numbers), vertex_buffer(numbers)];
            }
            let verdict = lockstep::<R700>(&mut Reference::new(), &mut Executor::new(), &case);
            let Verdict::Agreed(agreement) = verdict else {
                let mut text = format!("{verdict:?}");
                text.truncate(1200);
                panic!("format {code}: {text}");
            };
            let mut executor = Executor::new();
            executor.load(&case).expect("decodes");
            assert_eq!(
                executor.run() == parallax_isa::Outcome::Halted,
                agreement.outcome == parallax_isa::Outcome::Halted,
                "format {code}"
            );
            if agreement.outcome != parallax_isa::Outcome::Halted {
                undefined.push(*code);
            }
        }
    }
    undefined.dedup();
    assert!(undefined.iter().all(|code| !FORMATS.contains(code)), "{undefined:?}");
}

#[test]
fn local_data_share() {
    agree(400, |numbers| {
        let program = looped(|program| {
            let accesses = some(numbers, 8, |numbers| {
                if numbers.one_in(2) { local_write(numbers) } else { local_read(numbers) }
            });
            program.clause(CfOpcode::Tex, numbers, accesses);
        });
        case(numbers, program.finish())
    });
}

#[test]
fn fetch_subroutines() {
    agree(200, |numbers| {
        let mut program = Program::default();
        let relative = numbers.below(2);
        let fields = [
            (CfWord::ADDR, relative),
            (CfWord::COND, numbers.pick(&[0, 0, 1, 2, 3])),
            (CfWord::CALL_COUNT, numbers.pick(&[0, 1, 1, 31])),
        ];
        program.plain(CfOpcode::CallFs, &fields);
        program.plain(CfOpcode::Nop, &[(CfWord::END_OF_PROGRAM, 1)]);
        let fetches = unchained(numbers, 4, |numbers| vertex_fetch(numbers, &FORMATS));
        program.clause(CfOpcode::Vtx, numbers, fetches);
        program.plain(CfOpcode::Return, &[]);
        let mut case = case(numbers, program.finish());
        case.fetch_program = 2 - relative;
        case.program_type = numbers.pick(&[ProgramType::Vertex, ProgramType::Export]);
        for constants in [&mut case.constants, &mut case.alternate_constants] {
            constants.vertex_buffers = vec![vertex_buffer(numbers), vertex_buffer(numbers)];
        }
        case
    });
}

#[test]
fn vertices_and_strips() {
    agree(60, |numbers| {
        let program = looped(|program| {
            for _ in 0..4 {
                let opcode = numbers.pick(&[
                    CfOpcode::EmitVertex,
                    CfOpcode::EmitCutVertex,
                    CfOpcode::CutVertex,
                    CfOpcode::WaitAck,
                ]);
                let [quads, valid] = pixel_mode(numbers);
                let modes = [(CfWord::WHOLE_QUAD_MODE, quads), (CfWord::VALID_PIXEL_MODE, valid)];
                program.plain(opcode, &modes);
            }
        });
        let mut case = case(numbers, program.finish());
        case.program_type = ProgramType::Geometry;
        case
    });
}
