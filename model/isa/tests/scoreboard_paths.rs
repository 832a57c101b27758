//! Which paths the check of the software scoreboard follows: those that a thread to which channels belong
//! can take, and no others.

use parallax_isa::{
    Device,
    eu::{Program, hazards::check::hazards, text},
};
use rstest::rstest;

fn program(source: &str) -> Program {
    text::parse(Device::Dg1, source).unwrap_or_else(|wrong| panic!("{wrong:?}")).program
}

/// The byte offsets of producer and consumer of each hazard.
fn found(source: &str) -> Vec<[usize; 2]> {
    let program = program(source);
    let offset = |index: usize| program.instructions()[index].offset;
    let hazards = hazards(&program);
    hazards.iter().map(|hazard| [offset(hazard.producer), offset(hazard.consumer)]).collect()
}

#[rstest]
#[case::an_if_does_not_jump_over_its_else(
    "add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     (f0.0) if (8|M0) ELSE_SIDE END
     mov (8|M0) r5.0<1>:d 1:d
     else (8|M0) END END
     ELSE_SIDE:
     mov (8|M0) r6.0<1>:d 1:d
     mov (8|M0) r7.0<1>:d 1:d
     mov (8|M0) r8.0<1>:d 1:d
     END:
     endif (8|M0) BEHIND
     BEHIND:
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d {@5}",
    &[]
)]
#[case::a_jump_takes_longer_than_instructions_in_order(
    "add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     (f0.0) if (8|M0) ELSE_SIDE END
     mov (8|M0) r5.0<1>:d 1:d
     else (8|M0) END END
     ELSE_SIDE:
     mov (8|M0) r6.0<1>:d 1:d
     mov (8|M0) r7.0<1>:d 1:d
     mov (8|M0) r8.0<1>:d 1:d
     END:
     endif (8|M0) BEHIND
     BEHIND:
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d",
    &[]
)]
#[case::but_a_message_is_under_way_behind_it(
    "send (8|M0) r4.0:ud r2 null 0xa 0x02110800 {$1}
     (f0.0) if (8|M0) ELSE_SIDE END
     mov (8|M0) r5.0<1>:d 1:d
     else (8|M0) END END
     ELSE_SIDE:
     mov (8|M0) r6.0<1>:d r4.0<8;8,1>:d {$1.dst}
     END:
     endif (8|M0) BEHIND
     BEHIND:
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d",
    &[[0, 96]]
)]
#[case::one_side_of_an_if_does_not_wait_for_the_other(
    "(f0.0) if (8|M0) ELSE_SIDE END
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     else (8|M0) END END
     ELSE_SIDE:
     mov (8|M0) r6.0<1>:d r4.0<8;8,1>:d
     END:
     endif (8|M0) BEHIND
     BEHIND:
     mov (8|M0) r9.0<1>:d r6.0<8;8,1>:d",
    &[[48, 80]]
)]
#[case::nor_does_one_turn_of_a_loop_for_the_last(
    "AGAIN:
     mov (8|M0) r5.0<1>:d r4.0<8;8,1>:d
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     (f0.0) while (8|M0) AGAIN",
    &[]
)]
#[case::a_loop_without_a_predicate_is_not_left_at_its_end(
    "AGAIN:
     (f0.0) break (8|M0) LAST LAST
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d {@3}
     LAST:
     while (8|M0) AGAIN
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d {@4}",
    &[]
)]
#[case::but_by_those_that_break_out_of_it(
    "AGAIN:
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     (f0.0) break (8|M0) LAST LAST
     LAST:
     while (8|M0) AGAIN
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d",
    &[[0, 48]]
)]
#[case::with_a_predicate_it_is(
    "AGAIN:
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d {@1}
     (f0.0) while (8|M0) AGAIN
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d",
    &[[0, 32]]
)]
#[case::who_comes_to_an_endif_goes_on_behind_it(
    "(f0.0) if (8|M0) END END
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d
     END:
     endif (8|M0) BEHIND
     mov (8|M0) r5.0<1>:d 1:d
     mov (8|M0) r6.0<1>:d 1:d
     BEHIND:
     mov (8|M0) r9.0<1>:d r4.0<8;8,1>:d {@4}",
    &[]
)]
#[case::a_break_leads_on_to_the_next_endif(
    "AGAIN:
     (f1.0) if (8|M0) END END
     add (8|M0) r4.0<1>:d r2.0<8;8,1>:d 1:d {@1}
     break (8|M0) END LAST
     END:
     endif (8|M0) LAST
     mov (8|M0) r5.0<1>:d r4.0<8;8,1>:d {@4}
     LAST:
     while (8|M0) AGAIN
     mov (8|M0) r9.0<1>:d 2:d",
    &[[16, 64]]
)]
fn hazards_are_found_on_paths_that_are_taken(
    #[case] source: &str,
    #[case] expected: &[[usize; 2]],
) {
    assert_eq!(found(source), expected);
}
