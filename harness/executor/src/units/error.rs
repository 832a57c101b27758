//! Messages in error, as registers show them.

use parallax_isa::units::{Answer, Fault, Message, Target};

/// Words of the last errors; of the data port's those of the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Errors {
    math: [Option<u32>; 3],
    sampler: Option<[u32; 3]>,
    data_port: Option<[u32; 3]>,
}

impl Errors {
    pub(super) fn take(&mut self, message: &Message) -> Answer {
        let overflows = message.length > message.room;
        let wrong_length = message.length != message.due;
        let from = u32::from(message.unit) << 24 | u32::from(message.execution_unit) << 16;
        let [six, seven] = message.header;
        let failed = match message.target {
            Target::Math(unit) => {
                let flags = math_flags(message) | u32::from(overflows) << 3;
                if flags != 0 {
                    let lengths =
                        u32::from(message.response) << 12 | u32::from(message.length) << 8;
                    let what = u32::from(message.opcode) << 4 | flags;
                    let word = from | u32::from(message.thread) << 20 | lengths | what;
                    self.math[usize::from(unit)] = Some(word);
                }
                flags != 0
            }
            Target::Sampler => {
                let code =
                    u32::from(wrong_length || overflows) + 2 * u32::from(message.ends_thread);
                if code != 0 {
                    let word = from | u32::from(message.thread) << 21 | code;
                    self.sampler = Some([word, six, seven]);
                }
                code != 0
            }
            Target::DataPort => {
                let mut flags = u32::from(wrong_length)
                    | u32::from(message.ends_thread) << 1
                    | u32::from(overflows) << 3;
                for fault in &message.faults {
                    flags |= 1 << place(*fault);
                }
                if flags != 0 && self.data_port.is_none() {
                    let word = from | u32::from(message.thread) << 21 | flags;
                    self.data_port = Some([word, seven, six]);
                }
                flags != 0
            }
        };
        Answer::Message {
            arbitrated: if overflows { 1 } else { message.length },
            sent: message.length,
            is_answered: !failed,
        }
    }

    /// By the control register: a unit, and zero for the message.
    pub(super) fn math(&self, control: u32) -> Option<u32> {
        if control & 0xFF00 != 0 {
            return None;
        }
        *self.math.get((control >> 16 & 3) as usize)?
    }

    pub(super) fn sampler(&self, select: usize) -> Option<u32> {
        let words = self.sampler?;
        if words[0] & 3 == 3 { None } else { words.get(select).copied() }
    }

    pub(super) fn data_port(&self, select: usize) -> Option<u32> {
        self.data_port?.get(select).copied()
    }
}

/// Bad length, invalid opcode, end of thread.
fn math_flags(message: &Message) -> u32 {
    // Functions of one operand and of two, a bit each.
    const ONE: u32 = 0x01FE;
    const TWO: u32 = 0x3C00;
    let function = 1 << message.opcode;
    let flag = match message.length {
        _ if (ONE | TWO) & function == 0 => 2,
        1 if ONE & function != 0 => 0,
        2 if TWO & function != 0 => 0,
        _ => 1,
    };
    flag | u32::from(message.ends_thread) << 2
}

/// The bit of what a data port finds.
fn place(fault: Fault) -> u32 {
    match fault {
        Fault::FunctionId => 2,
        Fault::TargetCache => 4,
        Fault::SurfaceType => 5,
        Fault::BlockSize => 6,
        Fault::AddressAlignment => 7,
        Fault::MessageLength => 8,
        Fault::StatelessMode => 9,
        Fault::StatelessBoundary => 10,
        Fault::SurfaceFormat => 12,
        Fault::ReturnLength => 13,
    }
}
