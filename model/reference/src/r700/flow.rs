//! Control-flow instructions (section 9.1): branches, loops, calls.

use parallax_isa::r700::{
    Cf, CfOpcode,
    case::{LoopConstant, ProgramType},
    microcode::CfWord,
    state::{Frame, Loop, PixelStates, frame},
};

use super::{
    record::{Control, FlowStep, Observed},
    wavefront::{Executed, Wavefront, pixels, refuse},
};

/// Deepest nesting of calls.
const DEEPEST_CALL: u32 = 32;
/// Bits of aL.
pub(super) const LOOP_INDEX: u32 = 0x1FFF;

impl Wavefront {
    /// Executes a control-flow instruction that is not inside a clause.
    pub(super) fn control_flow(&mut self, cf: Cf) -> Executed {
        let before = self.control();
        self.execute(cf)?;
        self.observe_flow(cf, before, false);
        Ok(())
    }

    /// What the program flows by, if somebody looks.
    pub(super) fn control(&mut self) -> Option<Box<Control>> {
        self.observer?;
        let mut control = self.control.take().unwrap_or_else(|| Box::new(Control::new()));
        control.take(&self.state);
        Some(control)
    }

    /// Lends the record of an instruction, or of the end of the clause that it has started, to the observer.
    pub(super) fn observe_flow(&mut self, cf: Cf, before: Option<Box<Control>>, is_end: bool) {
        let (Some(observer), Some(before)) = (self.observer, before) else { return };
        let Some(opcode) = cf.opcode() else { return };
        let (case, pushes, after) = (&self.case, self.pushes, &*self.state);
        let step = FlowStep { case, cf, opcode, is_end, pushes, before: &before, after };
        observer(&Observed::Flow(step));
        self.control = Some(before);
    }

    fn execute(&mut self, cf: Cf) -> Executed {
        match cf {
            Cf::Alu(word) => self.start_clause(word),
            Cf::Export(word) => {
                self.export(word)?;
                self.next_instruction();
                Ok(())
            }
            Cf::Memory(word) => {
                self.memory_write(word)?;
                self.next_instruction();
                Ok(())
            }
            Cf::Plain(word) => self.plain(word, cf.opcode().unwrap_or(CfOpcode::Nop)),
        }
    }

    /// Goes to the following control-flow instruction.
    pub(super) fn next_instruction(&mut self) {
        self.state.cf = self.state.cf.wrapping_add(1);
    }

    /// Goes to the target of a jump, or to the following instruction.
    fn go(&mut self, jump: bool, word: CfWord) {
        if jump {
            self.state.cf = word.addr();
        } else {
            self.next_instruction();
        }
    }

    fn plain(&mut self, word: CfWord, opcode: CfOpcode) -> Executed {
        match opcode {
            CfOpcode::Tex | CfOpcode::Vtx | CfOpcode::VtxTc => {
                self.fetch_clause(word)?;
                self.next_instruction();
            }
            CfOpcode::LoopStart | CfOpcode::LoopStartDx10 | CfOpcode::LoopStartNoAl => {
                self.loop_start(word, opcode)?;
            }
            CfOpcode::LoopEnd => self.loop_end(word)?,
            CfOpcode::LoopContinue | CfOpcode::LoopBreak => self.leave_iteration(word, opcode)?,
            CfOpcode::Jump => self.jump(word, word.pop_count())?,
            CfOpcode::Push => self.push_instruction(word, word.pop_count())?,
            CfOpcode::PushElse => self.push_else(word)?,
            CfOpcode::Else => self.else_instruction(word)?,
            CfOpcode::Pop => {
                self.pop(word)?;
                self.next_instruction();
            }
            CfOpcode::PopJump => {
                self.pop(word)?;
                self.jump(word, 0)?;
            }
            CfOpcode::PopPush => {
                self.pop(word)?;
                self.push_instruction(word, 0)?;
            }
            CfOpcode::PopPushElse => {
                self.pop(word)?;
                self.push_else(word)?;
            }
            CfOpcode::Call => self.call(word, word.addr(), frame::CALL)?,
            CfOpcode::CallFs => {
                if !matches!(self.case.program_type, ProgramType::Vertex | ProgramType::Export) {
                    return refuse("CALL_FS outside of a vertex program");
                }
                let target = self.case.fetch_program.wrapping_add(word.addr());
                self.call(word, target, frame::CALL_FETCH)?;
            }
            CfOpcode::Return => self.return_instruction()?,
            CfOpcode::EmitVertex | CfOpcode::EmitCutVertex | CfOpcode::CutVertex => {
                self.emit(word, opcode)?;
                self.next_instruction();
            }
            CfOpcode::Kill => self.kill(word)?,
            _ => self.next_instruction(),
        }
        Ok(())
    }

    /// Pops of an instruction that jumps: valid pixel mode deactivates invalid pixels after them.
    fn pop_on_the_way(&mut self, word: CfWord, count: u32) -> Executed {
        self.pop_states(count)?;
        if count > 0 && word.valid_pixel_mode() == 1 {
            self.state.pixels.active &= self.state.valid;
        }
        Ok(())
    }

    /// `JUMP`: goes to ADDR, with its pops, if no pixel passes.
    fn jump(&mut self, word: CfWord, pops: u32) -> Executed {
        let none = self.test(word, self.state.pixels) == 0;
        if none {
            self.pop_on_the_way(word, pops)?;
        }
        self.go(none, word);
        Ok(())
    }

    /// `PUSH`: saves the states and applies the test; if no pixel passes, pops and goes to ADDR.
    fn push_instruction(&mut self, word: CfWord, pops: u32) -> Executed {
        let passing = self.test(word, self.state.pixels);
        if passing == 0 {
            self.pop_on_the_way(word, pops)?;
        } else {
            self.push_states(word.whole_quad_mode() == 1)?;
            self.activate(passing);
        }
        self.go(passing == 0, word);
        Ok(())
    }

    /// `PUSH_ELSE`: saves the states and makes the passing pixels inactive.
    fn push_else(&mut self, word: CfWord) -> Executed {
        let passing = self.test(word, self.state.pixels);
        self.push_states(word.whole_quad_mode() == 1)?;
        let states = &mut self.state.pixels;
        states.active &= !passing;
        states.inactive_continue &= !passing;
        states.inactive_break &= !passing;
        let none = states.active == 0;
        self.go(none, word);
        Ok(())
    }

    /// `POP`: restores states, then applies the test to them.
    fn pop(&mut self, word: CfWord) -> Executed {
        // Decision D-r700-pop-and.
        self.pop_states(word.pop_count())?;
        let passing = self.test(word, self.state.pixels);
        self.activate(passing);
        Ok(())
    }

    /// `ELSE`: exchanges active and inactive-branch for the pixels that were active when the states
    /// on top of the stack were saved.
    fn else_instruction(&mut self, word: CfWord) -> Executed {
        let saved = self.top_of(frame::BRANCH, "a saved pixel state")?;
        let concerned = self.test(word, saved.pixels);
        self.invert(concerned);
        if word.valid_pixel_mode() == 1 {
            self.state.pixels.active &= self.state.valid;
        }
        let none = self.state.pixels.active == 0;
        if none {
            self.pop_on_the_way(word, word.pop_count())?;
        }
        self.go(none, word);
        Ok(())
    }

    /// Exchanges active and inactive-branch.
    pub(super) fn invert(&mut self, concerned: u64) {
        let PixelStates { active, inactive_continue, inactive_break } = self.state.pixels;
        let branch = !(active | inactive_continue | inactive_break);
        self.state.pixels.active = active & !concerned | branch & concerned;
    }

    fn loop_constant(&self, word: CfWord) -> LoopConstant {
        self.case.loop_constants.get(word.cf_const() as usize).copied().unwrap_or_default()
    }

    /// `LOOP_START*`: saves states and outer loop and starts the trips; without a pixel that passes or
    /// without a trip, pops and goes to ADDR.
    fn loop_start(&mut self, word: CfWord, opcode: CfOpcode) -> Executed {
        let constant = self.loop_constant(word);
        let endless = opcode == CfOpcode::LoopStartDx10;
        let enter = endless || constant.count != 0;
        let passing = if enter { self.test(word, self.state.pixels) } else { 0 };
        if passing == 0 {
            self.pop_on_the_way(word, word.pop_count())?;
            self.go(true, word);
            return Ok(());
        }
        let (pixels, outer) = (self.state.pixels, self.state.current_loop);
        self.push(Frame { kind: frame::LOOP, pixels, outer, ..Frame::default() })?;
        self.state.pixels =
            PixelStates { active: passing, inactive_continue: 0, inactive_break: !passing };
        let kind = opcode.code();
        self.state.current_loop = match opcode {
            CfOpcode::LoopStart => Loop {
                count: constant.count,
                index: constant.initial & LOOP_INDEX,
                increment: constant.increment,
                kind,
            },
            CfOpcode::LoopStartNoAl => Loop { count: constant.count, kind, ..outer },
            _ => Loop { count: 0, kind, ..outer },
        };
        self.next_instruction();
        Ok(())
    }

    /// `LOOP_END`: another trip from ADDR on, or out of the loop.
    fn loop_end(&mut self, word: CfWord) -> Executed {
        self.top_of(frame::LOOP, "a loop")?;
        let left = self.state.pixels.inactive_break;
        self.state.pixels =
            PixelStates { active: !left, inactive_continue: 0, inactive_break: left };
        let passing = self.test(word, self.state.pixels);
        let kind = self.state.current_loop.kind;
        let endless = kind == CfOpcode::LoopStartDx10.code();
        let count = self.state.current_loop.count.wrapping_sub(1);
        if passing != 0 && (endless || count != 0) {
            let current = &mut self.state.current_loop;
            if !endless {
                current.count = count;
            }
            if kind == CfOpcode::LoopStart.code() {
                let index = current.index.wrapping_add_signed(current.increment);
                current.index = index & LOOP_INDEX;
            }
            self.go(true, word);
            return Ok(());
        }
        let outer = self.take(frame::LOOP, "a loop")?;
        self.state.pixels = outer.pixels;
        self.state.current_loop = outer.outer;
        self.next_instruction();
        Ok(())
    }

    /// Whether a loop is around the instruction, with only saved pixel states above it.
    pub(super) fn inside_loop(&self) -> Executed {
        let frames = &self.state.stack[..self.state.stack_depth as usize];
        match frames.iter().rfind(|frame| frame.kind != frame::BRANCH) {
            Some(frame) if frame.kind == frame::LOOP => Ok(()),
            _ => refuse("no loop is around a break or continue"),
        }
    }

    /// `LOOP_BREAK`, `LOOP_CONTINUE`: passing pixels leave the loop or its iteration; when no pixel
    /// is left in it, unwinds to the loop and goes to ADDR.
    fn leave_iteration(&mut self, word: CfWord, opcode: CfOpcode) -> Executed {
        self.inside_loop()?;
        let passing = self.test(word, self.state.pixels);
        let states = &mut self.state.pixels;
        states.active &= !passing;
        states.inactive_continue &= !passing;
        states.inactive_break &= !passing;
        if opcode == CfOpcode::LoopBreak {
            states.inactive_break |= passing;
        } else {
            states.inactive_continue |= passing;
        }
        let none = states.inactive_break | states.inactive_continue == u64::MAX;
        if none {
            while self.top().is_some_and(|top| top.kind == frame::BRANCH) {
                self.take(frame::BRANCH, "a saved pixel state")?;
            }
        }
        self.go(none, word);
        Ok(())
    }

    /// `CALL`, `CALL_FS`: goes to a subroutine if a pixel passes and calls are not too deep.
    fn call(&mut self, word: CfWord, target: u32, kind: u32) -> Executed {
        if word.call_count() > 31 {
            return refuse(format!(
                "CALL_COUNT is {}, at most 31 has a meaning",
                word.call_count()
            ));
        }
        let depth = self.state.call_depth + word.call_count();
        if self.test(word, self.state.pixels) == 0 || depth > DEEPEST_CALL {
            self.next_instruction();
            return Ok(());
        }
        if kind == frame::CALL_FETCH && target == 0 {
            // Decision D-r700-fetch-program.
            return refuse(
                "CALL_FS calls a fetch program, and there is none: `fetch_program` of the setup is \
                 its address",
            );
        }
        let return_address = self.state.cf.wrapping_add(1);
        let outer = self.state.call_depth;
        self.push(Frame { kind, return_address, depth: outer, ..Frame::default() })?;
        self.state.call_depth = depth;
        self.state.cf = target;
        Ok(())
    }

    /// `RETURN`: goes back behind the call.
    fn return_instruction(&mut self) -> Executed {
        let kind = match self.top() {
            Some(top) if [frame::CALL, frame::CALL_FETCH].contains(&top.kind) => top.kind,
            _ => return refuse("RETURN without a return address on top of the stack"),
        };
        let call = self.take(kind, "a return address")?;
        self.state.call_depth = call.depth;
        self.state.cf = call.return_address;
        Ok(())
    }

    /// `EMIT_VERTEX`, `EMIT_CUT_VERTEX`, `CUT_VERTEX`: counts vertices and strips.
    fn emit(&mut self, word: CfWord, opcode: CfOpcode) -> Executed {
        if self.case.program_type != ProgramType::Geometry {
            return refuse(format!("{} outside of a geometry program", opcode.mnemonic()));
        }
        let (vertices, strips) = match opcode {
            CfOpcode::EmitVertex => (1, 0),
            CfOpcode::EmitCutVertex => (1, 1),
            _ => (0, 1),
        };
        for pixel in pixels(self.test(word, self.state.pixels)) {
            self.state.emitted[pixel] += vertices;
            self.state.cut[pixel] += strips;
        }
        Ok(())
    }

    /// `KILL`: passing pixels are no longer valid; goes to ADDR when none is.
    fn kill(&mut self, word: CfWord) -> Executed {
        if self.case.program_type != ProgramType::Pixel {
            return refuse("KILL outside of a pixel program");
        }
        self.state.valid &= !self.test(word, self.state.pixels);
        let none = self.state.valid == 0;
        self.go(none, word);
        Ok(())
    }
}
