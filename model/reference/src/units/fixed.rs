//! Fixed functions, each with its debug registers (sections 3.3.4 to 3.3.11).

use parallax_isa::{
    Device,
    units::{Answer, Inputs, Setting, Unit, address},
};

use super::{
    registers::Registers,
    snapshot::{self, Snapshot},
};

/// Counters, and what was latched.
#[derive(Debug, Clone, Default)]
pub(super) struct Pipeline {
    /// Counters were reset.
    pub(super) was_reset: bool,
    /// Commands of primitives that vertex fetch has seen.
    draws: u32,
    /// Vertices that it has fetched.
    vertices: u32,
    /// Threads of vertex shader, geometry shader and clipper.
    threads: [u32; 3],
    /// Primitives that strips and fans have seen.
    primitives: u32,
    windower: Windower,
    /// The thread that shades the vertex that was trapped.
    shader: Option<u32>,
    geometry: Option<Inputs>,
    clipper: Option<Inputs>,
    setup: Option<Inputs>,
}

/// What the windower counts and has latched.
#[derive(Debug, Clone, Default)]
struct Windower {
    /// The primitive of the last thread, and how many threads it had.
    primitive: Option<u32>,
    threads: u32,
    /// How often the subspan that is looked for came.
    instances: u32,
    /// Kernel, instances and primitive.
    latched: Option<[u32; 3]>,
}

/// A thread that sets up a primitive.
pub(super) struct Setup {
    pub(super) number: u32,
    pub(super) rectangle: [u16; 4],
    pub(super) is_trapped: bool,
    pub(super) header: [u32; 2],
}

/// A thread for pixels.
pub(super) struct Subspans {
    pub(super) at: [u16; 2],
    pub(super) primitive: u32,
    pub(super) is_trapped: bool,
    pub(super) kernel: u32,
}

/// The 24 bits of a thread's number that headers have.
const NUMBER: u32 = 0x00FF_FFFF;

/// Doublewords 6 and 7 of R0.
fn header(software: u8, number: u32, low: u32, flag: bool) -> [u32; 2] {
    [u32::from(software) << 24 | number & NUMBER, u32::from(flag) << 31 | low]
}

impl Pipeline {
    pub(super) fn reset_counters(&mut self) {
        self.was_reset = true;
        self.draws = 0;
        self.vertices = 0;
        self.threads = [0; 3];
        self.primitives = 0;
        self.windower.threads = 0;
        self.windower.instances = 0;
    }

    /// Vertex fetch and a command of primitives: it is skipped, beyond the last one, or fetches from
    /// elsewhere.
    pub(super) fn draw(&mut self, registers: &Registers, start: u32, count: u32) -> Answer {
        let number = self.draws;
        count_up(registers, &mut self.draws);
        let is_skipped = registers.is_enabled(address::VF_CTL, 3)
            && number < registers.field(address::VF_STR_PSKIP, 23, 0);
        let is_beyond = registers.is_enabled(address::VF_CTL, 2)
            && number >= registers.field(address::VF_MAX_PRIM, 23, 0);
        if is_skipped || is_beyond {
            return Answer::Dropped;
        }
        if registers.is_enabled(address::VF_CTL, 1) {
            return Answer::Draw(
                registers.get(address::VF_STR_VL_OVR),
                registers.get(address::VF_VC_OVR),
            );
        }
        Answer::Draw(start, count)
    }

    /// Vertex fetch and a vertex: by its number or by its index it may be trapped.
    pub(super) fn fetch(&mut self, registers: &mut Registers, index: u32, shader: u32) -> Answer {
        let number = self.vertices;
        count_up(registers, &mut self.vertices);
        let is_by_index = registers.bit(address::VF_CTL, 4);
        let is_match = if is_by_index {
            registers.get(address::VF_STRG_VAL) == index
        } else {
            registers.field(address::VF_STRG_VAL, 23, 0) == number & NUMBER
        };
        if snapshot::compare(registers, address::VF_CTL, is_match) {
            self.shader = (!is_by_index).then_some(shader);
        }
        Answer::Word(registers.get(address::VF_CTL))
    }

    /// A thread for vertices: its header.
    pub(super) fn vertex_thread(
        &mut self,
        registers: &mut Registers,
        unit: Unit,
        inputs: &Inputs,
        setting: &Setting,
    ) -> [u32; 2] {
        let (control, trigger, bits) = match unit {
            Unit::Vertex => (address::VS_CTL, address::VS_STRG_VAL, 24),
            Unit::Geometry => (address::GS_CTL, address::GS_STRG_VAL, 28),
            Unit::Clipper => (address::CL_CTL, address::CL_STRG_VAL, 28),
        };
        let thread = self.threads[unit as usize];
        count_up(registers, &mut self.threads[unit as usize]);
        let is_match = registers.field(trigger, bits - 1, 0) == thread & NUMBER;
        let Snapshot { is_taken, flag } = snapshot::of_thread(registers, control, is_match);
        if is_taken {
            match unit {
                Unit::Vertex => {}
                Unit::Geometry => self.geometry = Some(inputs.clone()),
                Unit::Clipper => self.clipper = Some(inputs.clone()),
            }
        }
        header(setting.software, thread, 0, flag)
    }

    /// Strips and fans and a primitive, which is counted even if it is dropped.
    pub(super) fn primitive(
        &mut self,
        registers: &mut Registers,
        is_culled: bool,
        rectangle: [u16; 4],
        inputs: &Inputs,
        setting: &Setting,
    ) -> Option<Setup> {
        let number = self.primitives;
        count_up(registers, &mut self.primitives);
        if registers.bit(address::SF_CTL, 30) {
            return None;
        }
        if registers.is_enabled(address::SF_CTL, 4) {
            let least = registers.field(address::SF_MIN_PR_IND, 27, 0);
            let greatest = registers.field(address::SF_MAX_PR_IND, 27, 0);
            if number < least || number > greatest {
                return None;
            }
        }
        if is_culled {
            return None;
        }
        let is_match = registers.field(address::SF_STRG_VAL, 27, 0) == number;
        let Snapshot { is_taken, flag } = snapshot::of_thread(registers, address::SF_CTL, is_match);
        if is_taken {
            self.setup = Some(inputs.clone());
        }
        let rectangle = if registers.is_enabled(address::SF_CTL, 3) {
            [
                registers.field(address::SF_CLIP_RMIN, 15, 0),
                registers.field(address::SF_CLIP_RMIN, 31, 16),
                registers.field(address::SF_CLIP_RMAX, 15, 0),
                registers.field(address::SF_CLIP_RMAX, 31, 16),
            ]
            .map(|edge| edge as u16)
        } else {
            rectangle
        };
        let header = header(setting.software, number, 0, flag);
        Some(Setup { number, rectangle, is_trapped: is_taken, header })
    }

    /// The windower: the pseudo-code of section 3.3.9, in its order.
    pub(super) fn subspans(
        &mut self,
        device: Device,
        registers: &mut Registers,
        subspans: &Subspans,
        software: u8,
    ) -> Option<[u32; 2]> {
        const CONTROL: u16 = address::WIZ_CTL;
        if device == Device::G45 && registers.field(CONTROL, 25, 24) != 0 {
            return None;
        }
        let windower = &mut self.windower;
        if windower.primitive != Some(subspans.primitive) {
            windower.primitive = Some(subspans.primitive);
            windower.threads = 0;
        }
        let thread = windower.threads;
        count_up(registers, &mut windower.threads);

        let trigger = [
            registers.field(address::WIZ_STRG_VAL, 15, 0),
            registers.field(address::WIZ_STRG_VAL, 31, 16),
        ];
        let is_there = subspans.at.iter().zip(trigger).all(|(at, wanted)| {
            // Subspans begin at even places.
            u32::from(*at) / 2 == wanted / 2
        });
        if is_there {
            count_up(registers, &mut windower.instances);
        }
        let is_match = is_there
            && (!registers.is_enabled(CONTROL, 4)
                || windower.instances == registers.field(CONTROL, 23, 16));

        let takes_all = registers.is_enabled(CONTROL, 2);
        let uses_upstream = registers.is_enabled(CONTROL, 3);
        let has_upstream = !uses_upstream || subspans.is_trapped;
        let is_final = if takes_all {
            has_upstream
        } else {
            snapshot::compare(registers, CONTROL, is_match && has_upstream)
        };
        if is_final {
            let primitive = subspans.primitive & NUMBER;
            windower.latched = Some([subspans.kernel, windower.instances, primitive]);
        }
        let flag = is_final && registers.is_enabled(CONTROL, 1);
        Some(header(software, thread, subspans.primitive & NUMBER, flag))
    }

    pub(super) fn vertex_fetch_data(&self, registers: &Registers) -> Answer {
        let is_shader = registers.field(address::VF_CTL, 15, 8) == 0;
        match self.shader {
            Some(shader) if is_shader && !registers.bit(address::VF_CTL, 4) => Answer::Word(shader),
            _ => Answer::Open,
        }
    }

    /// What was latched of a geometry shader's thread: two words a vertex, their number, the kernel.
    pub(super) fn geometry_data(&self, registers: &Registers) -> Answer {
        let Some(inputs) = &self.geometry else { return Answer::Open };
        match registers.field(address::GS_CTL, 15, 8) {
            select @ (0 | 2 | 4 | 6 | 8 | 10) => vertex(inputs, select),
            12 => selected(inputs.vertices.len() as u32),
            13 => selected(inputs.kernel),
            _ => Answer::Open,
        }
    }

    pub(super) fn clipper_data(&self, registers: &Registers) -> Answer {
        three_vertices(self.clipper.as_ref(), registers.field(address::CL_CTL, 15, 8))
    }

    pub(super) fn setup_data(&self, registers: &Registers) -> Answer {
        three_vertices(self.setup.as_ref(), registers.field(address::SF_CTL, 15, 8))
    }

    pub(super) fn windower_data(&self, registers: &Registers) -> Answer {
        let select = registers.field(address::WIZ_CTL, 15, 8) as usize;
        match self.windower.latched.as_ref().and_then(|latched| latched.get(select)) {
            Some(word) => selected(*word),
            None => Answer::Open,
        }
    }
}

/// Counts, as long as debugging is enabled; counters begin at zero after a flush that resets them.
fn count_up(registers: &Registers, counter: &mut u32) {
    if registers.is_debugged {
        *counter = counter.wrapping_add(1);
    }
}

/// A word of those that were latched together.
fn selected(word: u32) -> Answer {
    Answer::Word(word)
}

/// The word of a select that is about a vertex: where it came from, or its number in that.
fn vertex(inputs: &Inputs, select: u32) -> Answer {
    match inputs.vertices.get(select as usize / 2) {
        Some(origin) if select.is_multiple_of(2) => {
            selected(u32::from(origin.unit) << 28 | origin.thread & NUMBER)
        }
        Some(origin) => selected(origin.relative),
        None => Answer::Open,
    }
}

/// The words of clipper and of strips and fans.
fn three_vertices(latched: Option<&Inputs>, select: u32) -> Answer {
    let Some(inputs) = latched else { return Answer::Open };
    match select {
        0..=5 => vertex(inputs, select),
        6 => selected(inputs.vertices.len() as u32),
        7 => selected(inputs.kernel),
        _ => Answer::Open,
    }
}

/// The clipper and a vertex.
pub(super) fn enter_clipper(device: Device, registers: &Registers) -> Answer {
    if device == Device::G45 && registers.bit(address::CL_CTL, 30) {
        return Answer::Dropped;
    }
    Answer::Done
}

/// The thread spawner and a root thread: R0.6 is the identifier.
pub(super) fn root(registers: &mut Registers, identifier: u32) -> [u32; 2] {
    let flag = spawned(registers, [identifier, 0], 1);
    [identifier, u32::from(flag) << 31]
}

/// The thread spawner and a child, whose header its parent has written.
pub(super) fn child(registers: &mut Registers, header: [u32; 2]) -> [u32; 2] {
    let flag = spawned(registers, header, 2);
    [header[0], header[1] | u32::from(flag) << 31]
}

/// Whether a thread that is spawned is trapped; `all` is the bit that traps all like it.
fn spawned(registers: &mut Registers, header: [u32; 2], all: u32) -> bool {
    if registers.is_enabled(address::TS_CTL, 1) || registers.is_enabled(address::TS_CTL, 2) {
        return registers.is_enabled(address::TS_CTL, 0)
            && registers.is_enabled(address::TS_CTL, all);
    }
    let triggers = [address::TS_STRG_0_6VAL, address::TS_STRG_0_7VAL];
    let mut both = header.iter().zip(triggers);
    let is_match = both.all(|(word, trigger)| word & NUMBER == registers.field(trigger, 23, 0));
    snapshot::compare(registers, address::TS_CTL, is_match)
}
