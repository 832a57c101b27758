//! Filtered fetches whose results were computed by hand, on both engines.

use parallax_executor::r700::Executor;
use parallax_isa::{
    Model, Outcome, Step,
    r700::{
        Case, R700,
        sampler::{Comparison, Filter, MipFilter, Sampler, Wrap},
        text,
        texture::{Kind, Texture},
    },
};
use parallax_reference::r700::Reference;
use rstest::rstest;

/// Singles that say where they are: column + 10 * row + 100 * level + 1000 * slice.
fn numbered(kind: Kind, [width, height, depth]: [u32; 3], levels: u32) -> Texture {
    let mut bytes = Vec::new();
    for level in 0..levels {
        let at_level = |size: u32| (size >> level).max(1);
        let slices = match kind {
            Kind::Volume => at_level(depth),
            Kind::Cube => 6 * depth,
            _ => depth,
        };
        for slice in 0..slices {
            for row in 0..at_level(height) {
                for column in 0..at_level(width) {
                    let number = column + 10 * row + 100 * level + 1000 * slice;
                    bytes.extend((number as f32).to_le_bytes());
                }
            }
        }
    }
    // 32_FLOAT.
    let data_format = 14;
    let pitch = width;
    Texture { bytes, kind, width, height, depth, pitch, levels, data_format, ..Texture::default() }
}

/// A plane of 8 by 4 texels with three levels.
fn plane() -> Texture {
    numbered(Kind::Plane, [8, 4, 1], 3)
}

/// The sampler of the rows: X repeats, beyond Y is the border, which is 500; nothing is filtered.
fn sampler() -> Sampler {
    Sampler {
        wrap: [Wrap::Wrap, Wrap::ClampBorder, Wrap::ClampLastTexel],
        border: [500.0_f32; 4].map(f32::to_bits),
        ..Sampler::default()
    }
}

fn bilinear() -> Sampler {
    Sampler { magnify: Filter::Bilinear, minify: Filter::Bilinear, ..sampler() }
}

fn with_wrap(wrap: Wrap, sampler: Sampler) -> Sampler {
    Sampler { wrap: [wrap; 3], ..sampler }
}

fn mipped(mip: MipFilter) -> Sampler {
    Sampler { mip, ..sampler() }
}

fn comparing(compare: Comparison, sampler: Sampler) -> Sampler {
    Sampler { compare, ..sampler }
}

/// Where the first pixel of a quad is, and how far the ones to its right and below are.
#[derive(Clone, Copy)]
struct Quad([f32; 4], [f32; 4], [f32; 4]);

/// A quad whose pixels are all at one place.
fn at(place: [f32; 4]) -> Quad {
    Quad(place, [0.0; 4], [0.0; 4])
}

/// Normalised coordinates of the middle of the texel in column 2 and row 2.
const MIDDLE: [f32; 4] = [2.5 / 8.0, 2.5 / 4.0, 0.0, 0.0];

fn case(clause: &str, texture: &Texture, sampler: Sampler, quad: Quad) -> Case {
    let lines = format!("00 TEX:\n{clause}\n01 EXP_DONE: PIX0, R1.xyzw END_OF_PROGRAM\n");
    let program = text::parse(&lines).unwrap_or_else(|wrong| panic!("{clause}: {}", wrong[0]));
    let mut case = Case::new(program.encode());
    case.constants.textures = vec![texture.clone()];
    case.constants.samplers = vec![sampler];
    let Quad(place, right, down) = quad;
    for element in 0..4 {
        for pixel in 0..64 {
            let [across, below] = [pixel % 2, pixel / 2 % 2].map(|n| n as f32);
            let value = place[element] + across * right[element] + below * down[element];
            case.state.gpr[0][element][pixel] = value.to_bits();
        }
        // Gradients for those that set them: two texels across, four down.
        case.state.gpr[2][element] = [[0.25_f32, 0.0, 0.0, 0.0][element].to_bits(); 64];
        case.state.gpr[3][element] = [[0.0_f32, 1.0, 0.0, 0.0][element].to_bits(); 64];
    }
    // Only the first pixel is active: its gradients come from others.
    case.state.pixels.active = 1;
    case
}

/// The result of the first pixel.
fn run<E: Model<Machine = R700>>(mut engine: E, case: &Case) -> ([f32; 4], Outcome) {
    engine.load(case).expect("the case is taken up");
    let end = loop {
        if let Step::Finished(end) = engine.step() {
            break end;
        }
    };
    let state = engine.state();
    ([0, 1, 2, 3].map(|element: usize| f32::from_bits(state.gpr[1][element][0])), end)
}

fn check(case: &Case, expected: &[f32]) {
    let both =
        [("reference", run(Reference::new(), case)), ("executor", run(Executor::new(), case))];
    for (name, (found, end)) in both {
        assert_eq!(end, Outcome::Halted, "{name}");
        assert_eq!(&found[..expected.len()], expected, "{name}");
    }
}

const ALL: &str = "COORD_TYPE_X(1) COORD_TYPE_Y(1) COORD_TYPE_Z(1)";

#[rstest]
#[case::point(sampler(), MIDDLE, "", 22.0)]
#[case::bilinear_in_the_middle(bilinear(), MIDDLE, "", 22.0)]
#[case::bilinear_between_four(bilinear(), [3.0 / 8.0, 0.5, 0.0, 0.0], "", 17.5)]
#[case::one_of_256_steps(bilinear(), [(2.5 + 1.0 / 256.0) / 8.0, 0.625, 0.0, 0.0], "", 22.003_906)]
#[case::half_a_step_is_cut_off(bilinear(), [(2.5 + 1.0 / 512.0) / 8.0, 0.625, 0.0, 0.0], "", 22.0)]
#[case::half_a_texel_more(bilinear(), MIDDLE, "OFFSET_X(1)", 22.5)]
#[case::half_a_texel_less(bilinear(), MIDDLE, "OFFSET_Y(31)", 17.0)]
#[case::eight_texels_less(sampler(), MIDDLE, "OFFSET_X(16)", 22.0)]
#[case::repeats(sampler(), [-5.5 / 8.0, 0.625, 0.0, 0.0], "", 22.0)]
#[case::repeats_around_the_edge(bilinear(), [0.0, 0.625, 0.0, 0.0], "", 23.5)]
#[case::mirrors(with_wrap(Wrap::Mirror, sampler()), [-2.5 / 8.0, 0.625, 0.0, 0.0], "", 22.0)]
#[case::mirrors_again(with_wrap(Wrap::Mirror, sampler()), [13.5 / 8.0, 0.625, 0.0, 0.0], "", 22.0)]
#[case::last_texel(with_wrap(Wrap::ClampLastTexel, bilinear()), [3.0, 0.625, 0.0, 0.0], "", 27.0)]
#[case::mirrors_once(
    with_wrap(Wrap::MirrorOnceLastTexel, sampler()), [-2.5 / 8.0, 0.625, 0.0, 0.0], "", 22.0
)]
#[case::mirrors_once_to_the_edge(
    with_wrap(Wrap::MirrorOnceLastTexel, sampler()), [-3.0, 0.625, 0.0, 0.0], "", 27.0
)]
#[case::border(sampler(), [0.3, -0.1, 0.0, 0.0], "", 500.0)]
#[case::border_at_half(with_wrap(Wrap::ClampBorder, bilinear()), [0.0, 0.625, 0.0, 0.0], "", 260.0)]
#[case::half_a_border(
    with_wrap(Wrap::ClampHalfBorder, bilinear()), [-1.0, 0.625, 0.0, 0.0], "", 260.0
)]
#[case::half_a_border_of_a_point(
    with_wrap(Wrap::ClampHalfBorder, sampler()), [-1.0, 0.625, 0.0, 0.0], "", 20.0
)]
#[case::half_a_border_mirrored(
    with_wrap(Wrap::MirrorOnceHalfBorder, bilinear()), [-1.0, 0.625, 0.0, 0.0], "", 263.5
)]
#[case::border_mirrored(
    with_wrap(Wrap::MirrorOnceBorder, sampler()), [-2.5 / 8.0, 0.625, 0.0, 0.0], "", 22.0
)]
#[case::border_beyond_the_mirror(
    with_wrap(Wrap::MirrorOnceBorder, sampler()), [-1.1, 0.625, 0.0, 0.0], "", 500.0
)]
#[case::fraction_of_the_border(
    with_wrap(Wrap::ClampBorder, bilinear()), [0.25 / 8.0, 0.625, 0.0, 0.0], "BC_FRAC_MODE(1)", 0.25
)]
fn places(
    #[case] sampler: Sampler,
    #[case] place: [f32; 4],
    #[case] fields: &str,
    #[case] expected: f32,
) {
    let clause = format!("SAMPLE_LZ R1.xyzw, R0.xyzw {ALL} {fields}");
    check(&case(&clause, &plane(), sampler, at(place)), &[expected]);
}

/// Steps of two texels to the right; of four down.
const TWO_ACROSS: [f32; 4] = [2.0 / 8.0, 0.0, 0.0, 0.0];
const FOUR_DOWN: [f32; 4] = [0.0, 1.0, 0.0, 0.0];
const NONE: [f32; 4] = [0.0; 4];

#[rstest]
#[case::level_0("SAMPLE", mipped(MipFilter::Point), NONE, NONE, 22.0)]
#[case::level_1("SAMPLE", mipped(MipFilter::Point), TWO_ACROSS, NONE, 111.0)]
#[case::level_2("SAMPLE", mipped(MipFilter::Point), NONE, FOUR_DOWN, 200.0)]
#[case::the_longer_step("SAMPLE", mipped(MipFilter::Point), TWO_ACROSS, FOUR_DOWN, 200.0)]
#[case::no_levels("SAMPLE", sampler(), NONE, FOUR_DOWN, 22.0)]
#[case::to_the_last_level("SAMPLE", mipped(MipFilter::Point), NONE, [0.0, 90.0, 0.0, 0.0], 200.0)]
#[case::level_zero("SAMPLE_LZ", mipped(MipFilter::Point), NONE, FOUR_DOWN, 22.0)]
#[case::bias_of_the_sampler(
    "SAMPLE", Sampler { lod_bias: 64, ..mipped(MipFilter::Point) }, TWO_ACROSS, NONE, 200.0
)]
#[case::no_bias_of_level_zero(
    "SAMPLE_LZ", Sampler { lod_bias: 64, ..mipped(MipFilter::Point) }, TWO_ACROSS, NONE, 22.0
)]
#[case::least_level(
    "SAMPLE_LZ", Sampler { min_lod: 64, ..mipped(MipFilter::Point) }, NONE, NONE, 111.0
)]
#[case::greatest_level(
    "SAMPLE", Sampler { max_lod: 64, ..mipped(MipFilter::Point) }, NONE, FOUR_DOWN, 111.0
)]
#[case::between_levels(
    "SAMPLE", Sampler { lod_bias: -32, ..mipped(MipFilter::Linear) }, TWO_ACROSS, NONE, 66.5
)]
#[case::magnifies(
    "SAMPLE",
    Sampler { magnify: Filter::Bilinear, ..sampler() },
    [0.0, 0.25, 0.0, 0.0], NONE, 22.0
)]
fn levels(
    #[case] opcode: &str,
    #[case] sampler: Sampler,
    #[case] right: [f32; 4],
    #[case] down: [f32; 4],
    #[case] expected: f32,
) {
    let clause = format!("{opcode} R1.xyzw, R0.xyzw {ALL}");
    check(&case(&clause, &plane(), sampler, Quad(MIDDLE, right, down)), &[expected]);
}

#[rstest]
#[case::bias_in_sixteenths("SAMPLE_LB R1.xyzw, R0.xyzw LOD_BIAS(16)", TWO_ACROSS, &[200.0])]
#[case::bias_below_zero("SAMPLE_LB R1.xyzw, R0.xyzw LOD_BIAS(112)", TWO_ACROSS, &[22.0])]
#[case::bias_that_is_not_asked_for("SAMPLE R1.xyzw, R0.xyzw LOD_BIAS(16)", TWO_ACROSS, &[111.0])]
#[case::level_of_w("SAMPLE_L R1.xyzw, R0.xyz1", NONE, &[111.0])]
#[case::gradients("GET_GRADIENTS_H R1.xyzw, R0.xyzw", TWO_ACROSS, &[0.25, 0.0, 0.0, 0.0])]
#[case::gradients_down("GET_GRADIENTS_V R1.xyzw, R0.xyzw", TWO_ACROSS, &[0.0, 0.0, 0.0, 0.0])]
#[case::level_of_detail("GET_COMP_TEX_LOD R1.xyzw, R0.xyzw", TWO_ACROSS, &[1.0, 1.0])]
#[case::level_of_detail_unclamped(
    "GET_COMP_TEX_LOD R1.xyzw, R0.xyzw", [8.0, 0.0, 0.0, 0.0], &[2.0, 6.0]
)]
#[case::level_of_detail_standing("GET_COMP_TEX_LOD R1.xyzw, R0.xyzw", NONE, &[0.0, -32.0])]
#[case::weights("GET_LERP R1.xyzw, R0.xyzw OFFSET_X(1)", NONE, &[0.5, 0.0, 0.0, 0.0])]
#[case::set_across("SET_GRADIENTS_H R7.____, R2.xyzw
      SET_GRADIENTS_V R7.____, R2.0000
      SAMPLE_G R1.xyzw, R0.xyzw", NONE, &[111.0])]
#[case::set_down("SET_GRADIENTS_H R7.____, R2.xyzw
      SET_GRADIENTS_V R7.____, R3.xyzw
      SAMPLE_G R1.xyzw, R0.xyzw", NONE, &[200.0])]
#[case::set_last("SET_GRADIENTS_H R7.____, R3.xyzw
      SET_GRADIENTS_V R7.____, R3.0000
      SET_GRADIENTS_H R7.____, R2.xyzw
      SAMPLE_G R1.xyzw, R0.xyzw", NONE, &[111.0])]
#[case::set_with_bias("SET_GRADIENTS_H R7.____, R2.xyzw
      SET_GRADIENTS_V R7.____, R2.0000
      SAMPLE_G_LB R1.xyzw, R0.xyzw LOD_BIAS(16)", NONE, &[200.0])]
#[case::set_and_level_zero("SAMPLE_G_LZ R1.xyzw, R0.xyzw", FOUR_DOWN, &[22.0])]
#[case::set_and_level_of_w("SAMPLE_G_L R1.xyzw, R0.xyz1", NONE, &[111.0])]
#[case::kept("KEEP_GRADIENTS R7.____, R0.xyzw
      SAMPLE_G R1.xyzw, R0.xyzw", TWO_ACROSS, &[111.0])]
#[case::keeping_gives_the_border("KEEP_GRADIENTS R1.xyzw, R0.xyzw", NONE, &[500.0; 4])]
fn forms(#[case] clause: &str, #[case] right: [f32; 4], #[case] expected: &[f32]) {
    let lines: Vec<String> = clause.lines().map(|line| format!("{line} {ALL}")).collect();
    let case =
        case(&lines.join("\n"), &plane(), mipped(MipFilter::Point), Quad(MIDDLE, right, NONE));
    check(&case, expected);
}

#[rstest]
#[case::less("SAMPLE_C", Comparison::Less, sampler(), 21.5, 1.0)]
#[case::not_less("SAMPLE_C", Comparison::Less, sampler(), 22.0, 0.0)]
#[case::less_equal("SAMPLE_C_LZ", Comparison::LessEqual, sampler(), 22.0, 1.0)]
#[case::greater("SAMPLE_C_LZ", Comparison::Greater, sampler(), 22.5, 1.0)]
#[case::equal("SAMPLE_C_LZ", Comparison::Equal, sampler(), 22.0, 1.0)]
#[case::not_equal_to_a_nan("SAMPLE_C_LZ", Comparison::NotEqual, sampler(), f32::NAN, 1.0)]
#[case::nothing_is_less_than_a_nan(
    "SAMPLE_C_LZ",
    Comparison::GreaterEqual,
    sampler(),
    f32::NAN,
    0.0
)]
#[case::half_of_them_pass("SAMPLE_C_LZ OFFSET_X(1)", Comparison::Less, bilinear(), 22.5, 0.5)]
#[case::always("SAMPLE_C_L", Comparison::Always, sampler(), 1.0, 1.0)]
fn comparisons(
    #[case] opcode: &str,
    #[case] compare: Comparison,
    #[case] sampler: Sampler,
    #[case] reference: f32,
    #[case] expected: f32,
) {
    let (opcode, fields) = opcode.split_once(' ').unwrap_or((opcode, ""));
    let clause = format!("{opcode} R1.xyzw, R0.xyzw {ALL} {fields}");
    let [x, y, z, _] = MIDDLE;
    let quad = at([x, y, z, reference]);
    check(&case(&clause, &plane(), comparing(compare, sampler), quad), &[expected]);
}

/// Codes of the format: 128 of 255 for a half, rounded to even; out of range to the ends.
#[rstest]
#[case::to_the_nearest_code(0.502, 0.0)]
#[case::to_the_code_above(0.506, 1.0)]
#[case::beyond_the_range(7.0, 1.0)]
#[case::below_the_range(-7.0, 0.0)]
fn references_become_codes(#[case] reference: f32, #[case] expected: f32) {
    let texture = Texture { bytes: vec![128; 4], ..Texture::default() };
    let clause = format!("SAMPLE_C_LZ R1.xyzw, R0.xyzw {ALL}");
    let sampler = comparing(Comparison::Greater, sampler());
    check(&case(&clause, &texture, sampler, at([0.5, 0.5, 0.0, reference])), &[expected]);
}

#[rstest]
#[case::counted_texels(plane(), bilinear(), [3.0, 2.0, 0.0, 0.0], "", 17.5)]
#[case::x_normalised_only(plane(), bilinear(), [0.375, 2.0, 0.0, 0.0], "COORD_TYPE_X(1)", 17.5)]
fn coordinates_that_are_not_normalised(
    #[case] texture: Texture,
    #[case] sampler: Sampler,
    #[case] place: [f32; 4],
    #[case] fields: &str,
    #[case] expected: f32,
) {
    let clause = format!("SAMPLE_LZ R1.xyzw, R0.xyzw {fields}");
    let sampler = with_wrap(Wrap::ClampLastTexel, sampler);
    check(&case(&clause, &texture, sampler, at(place)), &[expected]);
}

#[rstest]
#[case::line(numbered(Kind::Line, [8, 1, 1], 1), [3.0 / 8.0, 9.0, 9.0, 0.0], "", 2.5)]
#[case::nearest_slice(numbered(Kind::PlaneArray, [8, 4, 3], 1), [3.0 / 8.0, 0.5, 0.6, 0.0], "", 1017.5)]
#[case::even_slice(numbered(Kind::PlaneArray, [8, 4, 3], 1), [3.0 / 8.0, 0.5, 0.5, 0.0], "", 17.5)]
#[case::offset_of_a_slice(
    numbered(Kind::PlaneArray, [8, 4, 3], 1), [3.0 / 8.0, 0.5, 0.25, 0.0], "OFFSET_Z(1)", 1017.5
)]
#[case::last_slice(numbered(Kind::LineArray, [8, 1, 3], 1), [3.0 / 8.0, 0.0, 9.0, 0.0], "", 2002.5)]
#[case::first_slice(numbered(Kind::LineArray, [8, 1, 3], 1), [3.0 / 8.0, 0.0, -9.0, 0.0], "", 2.5)]
#[case::between_slices(numbered(Kind::Volume, [8, 4, 4], 1), [3.0 / 8.0, 0.5, 0.5, 0.0], "", 1517.5)]
#[case::face(numbered(Kind::Cube, [4, 4, 1], 1), [1.5, 1.5, 3.0, 0.0], "", 3016.5)]
#[case::edge_of_a_face(numbered(Kind::Cube, [4, 4, 1], 1), [1.0, 1.5, 5.0, 0.0], "", 5015.0)]
fn kinds(
    #[case] texture: Texture,
    #[case] place: [f32; 4],
    #[case] fields: &str,
    #[case] expected: f32,
) {
    let clause = format!("SAMPLE_LZ R1.xyzw, R0.xyzw {ALL} {fields}");
    check(&case(&clause, &texture, bilinear(), at(place)), &[expected]);
}

#[test]
fn cubes_of_an_array() {
    let texture = numbered(Kind::Cube, [4, 4, 2], 1);
    let clause = format!("SET_CUBEMAP_INDEX R7.____, R0.00w0\nSAMPLE_LZ R1.xyzw, R0.xyzw {ALL}");
    check(&case(&clause, &texture, bilinear(), at([1.5, 1.5, 3.0, 1.0])), &[9016.5]);
}

/// What ends a run as undefined, on both engines.
#[rstest]
#[case::no_gradients("SAMPLE_G R1.xyzw, R0.xyzw", plane(), sampler(), 1)]
#[case::one_gradient(
    "SET_GRADIENTS_H R7.____, R0.xyzw\nSAMPLE_G R1.xyzw, R0.xyzw",
    plane(),
    sampler(),
    1
)]
#[case::no_sampler("SAMPLE R1.xyzw, R0.xyzw SAMPLER_ID(1)", plane(), sampler(), 1)]
#[case::no_texture("SAMPLE R1.xyzw, R0.xyzw RESOURCE_ID(1)", plane(), sampler(), 1)]
#[case::four_texels("FETCH4 R1.xyzw, R0.xyzw", plane(), sampler(), 1)]
#[case::not_normalised("SAMPLE R1.xyzw, R0.xyzw", plane(), sampler(), 0)]
#[case::no_index("SAMPLE R1.xyzw, R0.xyzw", numbered(Kind::Cube, [4, 4, 2], 1), sampler(), 1)]
#[case::buffer("SAMPLE R1.xyzw, R0.xyzw", numbered(Kind::Buffer, [8, 1, 1], 1), sampler(), 1)]
#[case::fraction_compared("SAMPLE_C R1.xyzw, R0.xyzw BC_FRAC_MODE(1)", plane(), sampler(), 1)]
#[case::integers(
    "SAMPLE R1.xyzw, R0.xyzw", Texture { num_format: 1, ..Texture::default() }, bilinear(), 1
)]
#[case::integers_compared(
    "SAMPLE_C R1.xyzw, R0.xyzw", Texture { num_format: 1, ..Texture::default() }, sampler(), 1
)]
fn undefined(
    #[case] clause: &str,
    #[case] texture: Texture,
    #[case] sampler: Sampler,
    #[case] normalised: u32,
) {
    let kinds = ALL.replace("(1)", &format!("({normalised})"));
    let lines: Vec<String> = clause.lines().map(|line| format!("{line} {kinds}")).collect();
    let case = case(&lines.join("\n"), &texture, sampler, at(MIDDLE));
    for (_, end) in [run(Reference::new(), &case), run(Executor::new(), &case)] {
        assert!(matches!(end, Outcome::Undefined(_)), "{end:?}");
    }
}
