//! The units beside the threads of Gen4: debug registers (G45 volume 4, chapter 3), the thread dispatcher, messages in
//! error, and commands that load state.

use parallax_isa::{
    Device,
    device::Generation::{Gen4, Gen45},
    units::{
        Answer, Event,
        address::{self, RC_CTL, SF_CTL, TD_CTL, TS_CTL, VF_CTL, WIZ_CTL},
    },
};
use parallax_reference::units::UnitsStep;

use crate::{Rule, rule, unit_step::Units};

/// Counts the rules that decide an answer; to be lent to
/// [`Units::observed_by`](parallax_reference::units::Units::observed_by).
pub fn observe(step: &UnitsStep) {
    for rule in RULES.iter().filter(|rule| rule.holds_of_units(step) == Some(true)) {
        rule.count();
    }
}

// Bits of control registers of snapshots.
const ENABLE: u32 = 0;
const THREAD: u32 = 1;
const ALL: u32 = 2;
const COMPLETE: u32 = 31;

/// The bits of a thread's number in a header.
const NUMBER: u32 = 0x00FF_FFFF;

/// Registers in which units show what they have latched.
const LATCHED: [u16; 11] = [
    address::SVG_RDATA,
    address::VF_RDATA,
    address::VS_RDATA,
    address::GS_RDATA,
    address::CL_RDATA,
    address::SF_RDATA,
    address::WIZ_RDATA,
    address::MATH_RDATA,
    address::SAMPLER_RDATA,
    address::DP_RDATA,
    address::URB_RDATA,
];

// Events that rules speak of.

fn draws(s: Units) -> bool {
    matches!(s.event, Event::Draw { .. })
}

fn fetches(s: Units) -> bool {
    matches!(s.event, Event::Fetched { .. })
}

fn counts(s: Units) -> bool {
    draws(s) || fetches(s) || dispatches(s) || is_of_subspans(s)
}

/// A thread for vertices or a primitive.
fn dispatches(s: Units) -> bool {
    matches!(s.event, Event::Thread(..) | Event::Primitive { .. })
}

fn is_of_primitives(s: Units) -> bool {
    matches!(s.event, Event::Primitive { .. })
}

fn is_of_subspans(s: Units) -> bool {
    matches!(s.event, Event::Subspans { .. })
}

fn is_spawned(s: Units) -> bool {
    matches!(s.event, Event::Root(..) | Event::Child(..))
}

fn begins(s: Units) -> bool {
    s.start().is_some()
}

fn is_read(s: Units) -> bool {
    matches!(s.event, Event::Read(_))
}

fn is_message(s: Units) -> bool {
    matches!(s.event, Event::Message(_))
}

fn is_command(s: Units) -> bool {
    matches!(s.event, Event::Command(_))
}

fn writes_urb(s: Units) -> bool {
    matches!(s.event, Event::UrbWrite(..))
}

fn is_attention(s: Units) -> bool {
    matches!(s.event, Event::Attention(_))
}

fn is_palette(s: Units) -> bool {
    matches!(s.event, Event::Palette(..))
}

fn is_target_write(s: Units) -> bool {
    matches!(s.event, Event::TargetWrite(..))
}

fn is_streamed(s: Units) -> bool {
    matches!(s.event, Event::StreamedVertex(_))
}

/// A rule of the answers to some events.
const fn unit(id: &str, of: fn(Units) -> bool, when: fn(Units) -> bool) -> Rule {
    rule::units(id, of, when).since(Gen4).until(Gen45)
}

pub(crate) const RULES: &[Rule] = &[
    // Snapshots.
    unit("g45.debug.snapshot.fields", is_read, |s| {
        matches!(s.event, Event::Read(address) if !LATCHED.contains(address)) && s.word() != Some(0)
    }),
    unit(
        "g45.debug.snapshot.complete",
        |s| s.control().is_some(),
        |s| s.has_control(|at| s.enables(at, ENABLE) && s.enables(at, COMPLETE)),
    ),
    unit("g45.debug.snapshot.mux", is_read, |s| {
        let units = [address::GS_RDATA, address::CL_RDATA, address::SF_RDATA, address::WIZ_RDATA];
        units.into_iter().any(|address| s.reads(address))
    }),
    unit("g45.debug.snapshot.all-threads", dispatches, |s| {
        begins(s) && s.has_control(|at| s.enables(at, ALL) && !s.enables(at, THREAD))
    }),
    unit("g45.debug.counter.reset", |s| matches!(s.event, Event::Thread(..)), |s| s.were_reset),
    unit("g45.debug.counter.enable", counts, |s| !s.is_debugged()),
    unit("g45.debug.svg.base-latch", is_read, |s| s.reads(address::SVG_RDATA)),
    // Vertex fetch.
    unit("g45.debug.vf.type", fetches, |s| s.enables(VF_CTL, ENABLE)),
    unit("g45.debug.vf.skip", draws, |s| s.enables(VF_CTL, 3)),
    unit("g45.debug.vf.max", draws, |s| s.enables(VF_CTL, 2)),
    unit("g45.debug.vf.range", draws, |s| {
        s.enables(VF_CTL, 1) && matches!(s.answer, Answer::Draw(..))
    }),
    // Headers of threads.
    unit("g45.debug.hdr.r07-flag", dispatches, |s| s.starts(|start| start.header[1] >> 31 == 1)),
    unit("g45.debug.hdr.r06-thread", dispatches, |s| {
        s.starts(|start| start.header[0] & NUMBER != 0)
    }),
    unit("g45.debug.gs.mux", is_read, |s| s.reads(address::GS_RDATA)),
    unit(
        "g45.debug.cl.cull-all",
        |s| *s.event == Event::Entering,
        |s| *s.answer == Answer::Dropped,
    ),
    unit(
        "g45.debug.sf.primitive-number",
        is_of_primitives,
        |s| matches!(s.answer, Answer::Setup { number, .. } if *number != 0),
    ),
    unit("g45.debug.sf.range", is_of_primitives, |s| s.enables(SF_CTL, 4)),
    unit("g45.debug.sf.clip", is_of_primitives, |s| begins(s) && s.enables(SF_CTL, 3)),
    unit("g45.debug.sf.cull-all", is_of_primitives, |s| s.register(SF_CTL) >> 30 & 1 == 1),
    // The windower.
    unit("g45.debug.wm.header", is_of_subspans, |s| s.starts(|start| start.header != [0; 2])),
    unit("g45.debug.wm.match", is_of_subspans, |s| begins(s) && s.enables(WIZ_CTL, ENABLE)),
    unit("g45.debug.wm.local", is_of_subspans, |s| {
        begins(s) && (s.enables(WIZ_CTL, ENABLE) || s.enables(WIZ_CTL, ALL))
    }),
    unit("g45.debug.wm.final", is_of_subspans, |s| begins(s) && s.enables(WIZ_CTL, 3)),
    unit("g45.debug.wm.payload", is_of_subspans, |s| begins(s) && s.enables(WIZ_CTL, THREAD)),
    unit("g45.debug.wm.xy-lsb", is_of_subspans, |s| begins(s) && s.enables(WIZ_CTL, ENABLE)),
    unit("g45.debug.wm.kill", is_of_subspans, |s| *s.answer == Answer::Dropped),
    // The thread spawner.
    unit("g45.debug.ts.root-header", is_spawned, |s| matches!(s.event, Event::Root(..))),
    unit("g45.debug.ts.child-header", is_spawned, |s| matches!(s.event, Event::Child(..))),
    unit("g45.debug.ts.match", is_spawned, |s| {
        s.enables(TS_CTL, ENABLE) && !s.enables(TS_CTL, 1) && !s.enables(TS_CTL, 2)
    }),
    // The thread dispatcher.
    unit("g45.debug.td.external-halt-match", begins, |s| s.enables(TD_CTL, 7)),
    unit("g45.debug.td.force-halt", begins, |s| {
        s.enables(TD_CTL, 6)
            && !s.enables(TD_CTL, 7)
            && s.starts(|start| start.control[1] >> 30 & 1 == 1)
    }),
    unit("g45.debug.td.exc-override", begins, |s| s.enables(TD_CTL, 5)),
    unit("g45.debug.td.force-bp", begins, |s| s.enables(TD_CTL, 4)),
    unit("g45.debug.td.bp-enable", begins, |s| s.enables(TD_CTL, 4) || s.enables(TD_CTL, 2)),
    unit("g45.debug.bp.default-off", begins, |s| s.starts(|start| start.control[1] >> 15 & 1 == 0)),
    unit("g45.cr.reset", begins, |_| true).unconditional(),
    unit("g45.mask.initial-dmask", begins, |s| s.starts(|start| start.masks != [0xFFFF; 4])),
    unit("g45.exec.dmask-groups", is_of_subspans, |s| {
        begins(s) && matches!(s.event, Event::Subspans { valid, .. } if valid.contains(&false))
    }),
    unit("g45.mdepth.reset", begins, |_| true).unconditional(),
    unit("g45.mstack.initial", begins, |_| true).unconditional().since(Gen45),
    unit("g45.notif.reset", begins, |s| s.starts(|start| start.notifications != 0)),
    unit("g45.debug.att.attn", is_attention, |s| s.word().is_some_and(|word| word & 1 == 1)),
    unit("g45.debug.att.adata", is_attention, |s| s.word().is_some_and(|word| word & 2 == 2)),
    // Messages in error.
    unit("g45.msg.error.opcode", is_message, |s| {
        matches!(s.answer, Answer::Message { is_answered: false, .. })
    }),
    unit("g45.msg.error.opcode-latch", is_read, |s| s.reads(address::MATH_RDATA)),
    unit("g45.debug.math.error", is_read, |s| s.reads(address::MATH_RDATA)),
    unit("g45.debug.sampler.error", is_read, |s| s.reads(address::SAMPLER_RDATA)),
    unit("g45.debug.dp.first-error", is_read, |s| {
        s.reads(address::DP_RDATA) && s.data_port_errors > 1
    }),
    unit("g45.debug.dp.errors", is_read, |s| {
        s.reads(address::DP_RDATA) && s.register(address::DP_CTL) >> 8 & 0xFF == 0
    }),
    unit(
        "g45.debug.err.long",
        is_message,
        |s| matches!(s.event, Event::Message(message) if message.length > message.room),
    ),
    // Render cache and URB.
    unit(
        "g45.debug.rc.default-color",
        |s| matches!(s.event, Event::Pixel(..)),
        |s| {
            s.enables(RC_CTL, 2) && matches!(s.event, Event::Pixel(header, ..) if header >> 31 == 1)
        },
    ),
    unit("g45.debug.urb.trap", is_read, |s| s.reads(address::URB_RDATA)),
    unit("g45.urb.desc.complete-validates", writes_urb, |s| *s.answer == Answer::Entry(None)),
    unit(
        "g45.urb.desc.used",
        writes_urb,
        |s| matches!(s.answer, Answer::Entry(Some(entry)) if entry.is_used),
    ),
    unit("g45.urb.header.primtype", writes_urb, |s| s.has_primitive(|(kind, ..)| kind != 0)),
    unit("g45.urb.header.primstart", writes_urb, |s| s.has_primitive(|(_, first, _)| first)),
    unit("g45.urb.header.primend", writes_urb, |s| s.has_primitive(|(.., last)| last)),
    // Streamed vertices, and the scoreboard.
    unit("g45.dataport.svb.desc.inc-svbi", is_streamed, |s| s.counts_streamed(10)),
    unit("g45.dataport.svb.desc.inc-written", is_streamed, |s| s.counts_streamed(9)),
    unit("g45.dataport.svb.desc.inc-needed", is_streamed, |s| s.counts_streamed(8)),
    unit("g45.dataport.rtw.header.dispatched", is_target_write, |s| {
        s.writes_target(&[0, 1, 2, 3, 4]) && s.is_last_target()
    }),
    unit("g45.dataport.rt.single.scoreboard", is_target_write, |s| s.writes_target(&[0, 4])),
    unit("g45.dataport.rt.repl.scoreboard", is_target_write, |s| s.writes_target(&[1])),
    unit("g45.dataport.rt.dual.scoreboard", is_target_write, |s| s.writes_target(&[2, 3])),
    // Commands.
    unit("g45.sampler.cmd.ckey-header", is_command, |s| s.loads(0x04)),
    unit(
        "g45.sampler.cmd.ckey-index",
        |s| matches!(s.event, Event::Key(_)),
        |s| matches!(s.event, Event::Key(index) if *index != 0),
    ),
    unit(
        "g45.sampler.cmd.ckey-values",
        |s| matches!(s.event, Event::Key(_)),
        |s| *s.answer != Answer::Key(0, 0),
    ),
    unit("g45.sampler.cmd.subopcode", is_command, |s| *s.answer == Answer::Done),
    unit("g45.sampler.cmd.pal0-header", is_command, |s| s.loads(0x02)),
    unit("g45.sampler.cmd.pal0-data", is_palette, |s| {
        matches!(s.event, Event::Palette(0, _)) && s.word().is_some_and(|word| word != 0)
    }),
    unit("g45.sampler.cmd.pal0-size", is_palette, |s| matches!(s.event, Event::Palette(0, _))),
    unit("g45.sampler.cmd.pal1-header", is_command, |s| s.loads(0x0C)),
    unit("g45.sampler.cmd.pal1-data", is_palette, |s| {
        s.device == Device::G45
            && matches!(s.event, Event::Palette(1, _))
            && s.word().is_some_and(|word| word != 0)
    }),
];
