//! ALU clauses (section 3.7): what the control-flow instruction does before and after the groups.

use parallax_isa::r700::{
    Cf, CfOpcode,
    microcode::CfAluWord,
    state::{Frame, PIXELS, frame},
};

use super::{
    masks::Mode,
    wavefront::{Executed, Wavefront, refuse},
};

/// The two locked windows of a clause: mode, buffer and first line.
fn windows(word: CfAluWord) -> [(u32, u32, u32); 2] {
    [
        (word.kcache_mode0(), word.kcache_bank0(), word.kcache_addr0()),
        (word.kcache_mode1(), word.kcache_bank1(), word.kcache_addr1()),
    ]
}

/// A locked window of the constant cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Constant buffer.
    pub(super) bank: usize,
    /// First constant.
    pub(super) first: usize,
    /// Constants: 16 or 32.
    pub(super) length: usize,
}

impl Wavefront {
    /// The window of a set of the constant cache; `None` if nothing is locked.
    pub(super) fn window(&self, word: CfAluWord, set: usize) -> Option<Window> {
        let (mode, bank, line) = windows(word)[set];
        let (line, lines) = match mode {
            0 => return None,
            1 => (line, 1),
            2 => (line, 2),
            _ => (line + self.state.current_loop.index / 16, 2),
        };
        Some(Window { bank: bank as usize, first: 16 * line as usize, length: 16 * lines })
    }

    /// `ALU*`: pushes, then starts the clause, or skips it if it executes for no pixel.
    pub(super) fn start_clause(&mut self, word: CfAluWord) -> Executed {
        let opcode = Cf::Alu(word).opcode().unwrap_or(CfOpcode::Alu);
        // Decision D-r700-constants.
        for set in 0..2 {
            let Some(window) = self.window(word, set) else { continue };
            if self.constants(word).buffers.get(window.bank).is_none_or(Vec::is_empty) {
                return refuse(format!("constant buffer {} is not provided", window.bank));
            }
        }
        match opcode {
            CfOpcode::AluPushBefore | CfOpcode::AluElseAfter => self.push_states(false)?,
            CfOpcode::AluPopAfter => self.branches_on_top(1)?,
            CfOpcode::AluPop2After => self.branches_on_top(2)?,
            CfOpcode::AluBreak | CfOpcode::AluContinue => {
                self.inside_loop()?;
                self.room_for(&Frame { kind: frame::BRANCH, ..Frame::default() })?;
            }
            _ => {}
        }
        let executing = self.base(self.state.pixels, Mode::of(word.whole_quad_mode() == 1, false));
        if executing == 0 {
            return self.end_clause(word, opcode);
        }
        let state = &mut self.state;
        state.in_clause = 1;
        state.group = word.addr();
        state.executing = executing;
        state.predicate = state.pixels.active;
        Ok(())
    }

    /// Whether some saved pixel states are on top of the stack.
    fn branches_on_top(&self, count: usize) -> Executed {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        let top = frames.iter().rev().take(count);
        if top.filter(|frame| frame.kind == frame::BRANCH).count() < count {
            return refuse("a saved pixel state is not on top of the stack");
        }
        Ok(())
    }

    /// Executes the next group; after the last one, ends the clause.
    pub(super) fn clause_step(&mut self, word: CfAluWord) -> Executed {
        let group = self.group_at(self.state.group)?.clone();
        self.execute_group(word, &group)?;
        self.state.group += group.words() as u32;
        if self.state.group > word.addr() + word.count() {
            let opcode = Cf::Alu(word).opcode().unwrap_or(CfOpcode::Alu);
            self.end_clause(word, opcode)?;
        }
        Ok(())
    }

    /// The end of a clause: the predicates sent to the execute mask become states, pops are done, and
    /// what lives inside one clause is gone.
    fn end_clause(&mut self, word: CfAluWord, opcode: CfOpcode) -> Executed {
        let before = self.control();
        let skipping =
            self.state.pixels.active & self.state.execute_set & !self.state.execute_value;
        let states = &mut self.state.pixels;
        states.active &= !skipping;
        match opcode {
            CfOpcode::AluContinue => {
                states.inactive_continue |= skipping;
            }
            CfOpcode::AluBreak => {
                states.inactive_break |= skipping;
            }
            _ => {}
        }
        match opcode {
            CfOpcode::AluPopAfter => self.pop_states(1)?,
            CfOpcode::AluPop2After => self.pop_states(2)?,
            CfOpcode::AluElseAfter => {
                let saved = self.top_of(frame::BRANCH, "a saved pixel state")?;
                self.invert(saved.pixels.active);
            }
            _ => {}
        }
        let state = &mut self.state;
        state.previous = [[0; PIXELS]; 5];
        state.ar = [[0; PIXELS]; 4];
        state.predicate = 0;
        state.executing = 0;
        state.execute_set = 0;
        state.execute_value = 0;
        state.group = 0;
        state.in_clause = 0;
        self.next_instruction();
        self.observe_flow(Cf::Alu(word), before, true);
        Ok(())
    }
}
