//! `parallax exec` with many threads, from the outside.

use std::fs;

use crate::common::{Finished, Room};
use insta::assert_snapshot;
use rstest::rstest;

/// The program that draws the README's picture.
const MANDELBROT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/programs/g45/mandelbrot.asm");

const ADD: &str = "add (8) r4<1>:f r2<8;8,1>:f r3<8;8,1>:f\n";

/// The summary without its time.
fn summary(text: &str) -> String {
    let (before, rest) = text.split_once(" in ").expect("a time");
    let (_, after) = rest.split_once(" a second)").expect("a rate");
    format!("{before}{after}")
}

/// The values of a CSV file, row by row, without thread and outcome.
fn values(csv: &str) -> Vec<Vec<&str>> {
    csv.lines().skip(1).map(|line| line.split(',').skip(2).collect()).collect()
}

/// Turns that a point takes to leave the circle of radius 2, and the light of its pixel.
fn turns(c: [f32; 2], most: i32) -> (i32, [u8; 3]) {
    let (mut x, mut y, mut fade, mut turns) = (0_f32, 0_f32, 1_f32, 0);
    while turns < most && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + c[0], {
            let xy = x * y;
            xy + xy + c[1]
        });
        fade *= 0.97;
        turns += 1;
    }
    let square = fade * fade;
    let light = |fade: f32| (f64::from(1.0 - fade) * 255.0).round() as u8;
    let light = [fade, square, square * square].map(light);
    (turns, if turns < most { light } else { [0; 3] })
}

/// Sizes that fill the last thread and that do not.
#[rstest]
#[case(48, 10, &[])]
#[case(41, 20, &["--engine", "executor"])]
#[case(41, 9, &["--engine", "reference"])]
fn the_mandelbrot_set_is_what_plain_rust_computes(
    #[case] width: u32,
    #[case] height: u32,
    #[case] engine: &[&str],
) {
    let room = Room::new();
    let (step, most) = (2.5 / width as f32, 40);
    let view = format!("r1:f=-2,-1.25,{step:?}");
    let grid = format!("{width}x{height}");
    let mut arguments = vec!["exec", "--device", "g45", MANDELBROT, "--set", &view];
    arguments.extend(["--set", "r1.3:d=40", "--grid", &grid, "--x", "r2:f", "--y", "r4:f"]);
    arguments.extend([
        "--dump",
        "r20..r21:d",
        "--image",
        "set.ppm",
        "--pixel",
        "r30:f,r32:f,r34:f",
    ]);
    arguments.extend(engine);
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let rows = values(&finished.stdout);
    let found: Vec<i32> =
        rows.iter().flatten().map(|turns| turns.parse().expect("turns")).collect();
    let place = |n: u32| [(n % width) as f32 * step - 2.0, (n / width) as f32 * step - 1.25];
    let expected: Vec<_> = (0..width * height).map(|n| turns(place(n), most)).collect();
    // Channels without a place of the grid do nothing.
    assert_eq!(found.len(), expected.len().next_multiple_of(16));
    let turns = expected.iter().map(|(turns, _)| *turns).chain(std::iter::repeat(0));
    assert!(turns.zip(&found).all(|(expected, found)| expected == *found), "{found:?}");
    assert!(found.contains(&most) && found.contains(&1));
    let mut picture = format!("P6\n{width} {height}\n255\n").into_bytes();
    picture.extend(expected.iter().flat_map(|(_, light)| light));
    assert_eq!(fs::read(room.path().join("set.ppm")).expect("a picture"), picture);
}

/// The colours of a PNG file.
fn pixels(file: &[u8]) -> ((u32, u32), Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a small picture")];
    let info = reader.next_frame(&mut pixels).expect("a picture");
    ((info.width, info.height), pixels)
}

#[test]
fn the_picture_of_the_readme_is_what_its_program_draws() {
    let room = Room::new();
    let mut arguments = vec!["exec", "--device", "g45", MANDELBROT, "--engine", "executor"];
    arguments.extend(["--set", "r1:f=-2,-1.25,0.00244140625", "--set", "r1.3:d=128"]);
    arguments.extend(["--grid", "1024x1024", "--x", "r2:f", "--y", "r4:f"]);
    arguments.extend(["--image", "mandelbrot.png", "--pixel", "r30:f,r32:f,r34:f"]);
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let [drawn, kept] =
        [room.path().join("mandelbrot.png"), MANDELBROT.replace(".asm", ".png").into()]
            .map(|path| pixels(&fs::read(path).expect("a picture")));
    assert_eq!(drawn.0, (1024, 1024));
    assert!(drawn == kept, "the picture is another one");
}

#[test]
fn rows_of_a_file_are_threads() {
    let room = Room::new();
    room.file("add.asm", ADD);
    room.file("rows.csv", "r2:f, r3.7:f\n\"1,2.5,-3\", 1e9\n\n0x7fc00001,nan\n\"-0.0\",-inf\n");
    let exec = "exec --device g45 add.asm --payload rows.csv --set r3:f=10 --dump r4:f,r2.1:ud,f0";
    let finished = room.run(exec);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_snapshot!(finished.stdout, @r"
    thread,outcome,r4.0:f,r4.1:f,r4.2:f,r4.3:f,r4.4:f,r4.5:f,r4.6:f,r4.7:f,r2.1:ud,f0
    0,halted,11.0,2.5,-3.0,0.0,0.0,0.0,0.0,1000000000.0,1075838976,00000000
    1,halted,0x7fc00001,0.0,0.0,0.0,0.0,0.0,0.0,0x7fc00000,0,00000000
    2,halted,10.0,0.0,0.0,0.0,0.0,0.0,0.0,-inf,0,00000000
    ");
    assert_snapshot!(summary(&finished.stderr), @r"
    3 threads, reference and executor agree on what is specified
    outcome  threads  first
    halted         3  0

    unspecified results in 1 thread, first in 1
      parallax exec --device g45 add.asm --payload rows.csv --set r3:f=10 --thread 1
    ");
    let first = room.run(&format!("{exec} --threads 1"));
    assert!(finished.stdout.starts_with(&first.stdout) && first.stdout.lines().count() == 2);
}

/// What is printed may be given again: registers with a type, and whole ones.
#[test]
fn results_are_payloads() {
    let room = Room::new();
    room.file("add.asm", ADD);
    room.file("nothing.asm", "nop\n");
    room.file("rows.csv", "r2:f,r3:f\n\"1,2,3\",0.1\n0x7fc00001,\"1e-40,-inf\"\n");
    let dump = "--dump r4:f,r3,acc0,f0.1:uw";
    let printed = room.run(&format!("exec --device g45 add.asm --payload rows.csv {dump}")).stdout;
    let again: Vec<_> =
        printed.lines().map(|line| line.splitn(3, ',').nth(2).expect("values")).collect();
    room.file("again.csv", again.join("\n"));
    let same = room.run(&format!("exec --device g45 nothing.asm --payload again.csv {dump}"));
    assert_eq!(same.code, Some(0), "{}", same.stderr);
    assert_eq!(same.stdout, printed);
}

/// Columns and rows of a grid as every device gets them, and a file beside it.
#[rstest]
#[case("bw", "add (8) r6<1>:f r2<8;8,1>:f r4<8;8,1>:f", "r2:f", "r4:f")]
#[case("cl", "add (8) r6<1>:f r2<8;8,1>:f r4<8;8,1>:f", "r2:f", "r4:f")]
#[case("ctg", "add (8) r6<1>:f r2<8;8,1>:w r4<8;8,1>:w", "r2:w", "r4:w")]
#[case("g45", "add (16) r6<1>:f r2<8;8,1>:f r4<8;8,1>:f {Compr}", "r2:f", "r4:f")]
#[case("ivb", "add (16) r6<1>:f r2<8;8,1>:f r4<8;8,1>:f", "r2:f", "r4:f")]
#[case("skl", "add (32|M0) r6.0<1>:w r2.0<16;16,1>:w r4.0<16;16,1>:w", "r2:w", "r4:w")]
#[case("dg1", "add (16|M0) r6.0<1>:f r2.0<8;8,1>:f r4.0<8;8,1>:f", "r2:f", "r4:f")]
fn places_are_where_the_program_looks(
    #[case] device: &str,
    #[case] program: &str,
    #[case] x: &str,
    #[case] y: &str,
) {
    let room = Room::new();
    room.file("add.asm", program);
    let (result, end) = if device == "skl" { ("w", "") } else { ("f", ".0") };
    let run = |more: &str| {
        let grid = format!("--grid 19x7 --x {x} --y {y}");
        let finished = room.run(&format!("exec --device {device} add.asm {grid} {more}"));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        finished
    };
    let summary = run(&format!("--dump r6..r7:{result} --output sums.csv --json")).json();
    let channels = summary["channels"].as_u64().expect("channels") as usize;
    let wide = program.split(['(', ')', '|']).nth(1).expect("a size");
    assert_eq!((channels, &summary["engine"]), (wide.parse().expect("a size"), &"both".into()));
    assert_eq!(summary["threads"], 133_usize.div_ceil(channels));
    let csv = fs::read_to_string(room.path().join("sums.csv")).expect("written");
    let sums = values(&csv).into_iter().flat_map(|row| row.into_iter().take(channels));
    let expected = (0..133).map(|n| format!("{}{end}", n % 19 + n / 19));
    let nothing = std::iter::repeat(format!("0{end}"));
    assert!(sums.zip(expected.chain(nothing)).all(|(found, expected)| found == expected), "{csv}");
    // One of them by itself.
    let one = run("--thread 1 --dump r6 --json").json();
    let hex = one["registers"]["r6"].as_str().expect("digits");
    let first = channels % 19 + channels / 19;
    let bits = if result == "f" { (first as f32).to_bits() } else { first as u32 };
    let digits = if result == "f" { 8 } else { 4 };
    assert_eq!(hex[..digits], format!("{:08x}", bits.swap_bytes())[..digits]);
}

/// On rv770 a thread has 64 pixels, the last one of a grid fewer, and none that `--mask` does not enable.
#[test]
fn wavefronts_are_threads_too() {
    let room = Room::new();
    room.file(
        "light.asm",
        "00 ALU:\n      0  x: ADD R2.x, R0.x, R1.y\n         y: MOV R2.y, 1.0\n\
         01 EXP_DONE: PIX0, R2.xyxx END_OF_PROGRAM\n",
    );
    let exec = "exec --device rv770 light.asm --grid 12x8 --x R0.x:f --y R1.y:f";
    let finished = room.run(&format!("{exec} --dump PIX0.x:f --image a.ppm --pixel PIX0.y:f"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let rows = values(&finished.stdout);
    let expected = (0..128).map(|n| if n < 96 { n % 12 + n / 12 } else { 0 });
    assert!(rows.concat().into_iter().eq(expected.map(|n| format!("{n}.0")).collect::<Vec<_>>()));
    assert_eq!(fs::read(room.path().join("a.ppm")).expect("a picture").len(), 12 + 3 * 96);
    let masked = room.run(&format!("{exec} --mask 1 --dump PIX0.x:f,MEM0"));
    assert_eq!(values(&masked.stdout)[1][..3], ["9.0", "0.0", "0.0"]);
    room.file("rows.csv", "R0.x,R1\n\"1,2\",\"0.0,0.5\"\n00000007,3f800000\n");
    let finished = room.run("exec --device rv770 light.asm --payload rows.csv --dump R2.x:f,R0.x");
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let rows = values(&finished.stdout);
    assert_eq!((rows[0][0], &rows[0][64][..16]), ("0.5", "0000000100000002"));
    assert_eq!(rows[1][64], "00000007".repeat(64));
}

/// In squares of two by two neighbours are where gradients look for them; a picture is the same either way.
#[test]
fn pixels_come_in_quads_where_that_is_asked_for() {
    let room = Room::new();
    room.file(
        "slopes.asm",
        "00 TEX:\n      GET_GRADIENTS_H R1.xyzw, R0.xyzw\n      GET_GRADIENTS_V R2.xyzw, R0.xyzw\n\
         01 NOP: END_OF_PROGRAM\n",
    );
    let run = |quads: &str| {
        let grid = "--grid 18x6 --x R0.x:f --y R0.y:f --image a.ppm --pixel R0.x:f,R0.y:f,R0.z:f";
        let dump = "--dump R0.x:f,R0.y:f,R1.x:f,R1.y:f,R2.x:f,R2.y:f";
        let finished = room.run(&format!("exec --device rv770 slopes.asm {grid} {dump} {quads}"));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let rows = values(&finished.stdout).into_iter();
        let rows: Vec<Vec<f32>> = rows
            .map(|row| row.into_iter().map(|value| value.parse().expect("a number")).collect())
            .collect();
        let of_pixel = |n: usize| {
            let value = |register: usize| rows[n / 64][64 * register + n % 64];
            [0, 1, 2, 3, 4, 5].map(value)
        };
        let picture = fs::read(room.path().join("a.ppm")).expect("a picture");
        ((0..108).map(of_pixel).collect::<Vec<_>>(), picture)
    };
    let (pixels, picture) = run("--quads");
    for (n, [x, y, slopes @ ..]) in pixels.into_iter().enumerate() {
        let (quad, corner) = (n / 4, n % 4);
        let place = [2 * (quad % 9) + corner % 2, 2 * (quad / 9) + corner / 2];
        assert_eq!([x, y], place.map(|side| side as f32));
        assert_eq!(slopes, [1.0, 0.0, 0.0, 1.0]);
    }
    let light = |n: usize| [n % 18, n / 18].map(|side| if side > 0 { 255 } else { 0 });
    let expected: Vec<u8> = (0..108).map(light).flat_map(|[red, green]| [red, green, 0]).collect();
    assert_eq!(picture, [b"P6\n18 6\n255\n".as_slice(), &expected].concat());
    let (pixels, same_picture) = run("");
    assert_eq!(pixels[19], [1.0, 1.0, 1.0, 0.0, -16.0, 1.0]);
    assert_eq!(pixels[5], [5.0, 0.0, 1.0, 0.0, 2.0, 0.0]);
    assert!(same_picture == picture);
}

/// Every thread meets memory as the setup has it.
#[rstest]
#[case(&[])]
#[case(&["--engine", "executor"])]
#[case(&["--engine", "reference"])]
fn threads_do_not_meet_in_memory(#[case] engine: &[&str]) {
    let room = Room::new();
    room.file(
        "count.asm",
        "mov (8) m1<1>:ud 0:ud\nsend (8) r10<1>:ud m1 null 0x04114200\n\
         add (8) m2<1>:ud r10<8;8,1>:ud r2<8;8,1>:ud\nsend (8) null<1>:ud m1 null 0x05200200\n",
    );
    room.file(
        "setup.json",
        r#"{"memory": [{"at": 256, "words": "00000007 00000008"}],
            "surfaces": [{"type": "buffer", "base": 256, "entries": 4}]}"#,
    );
    let rows: Vec<_> = (0..100).map(|n| format!("\"{n},1\"\n")).collect();
    room.file("rows.csv", format!("r2:ud\n{}", rows.concat()));
    let mut arguments = vec!["exec", "--device", "g45", "count.asm", "--setup", "setup.json"];
    arguments.extend(["--payload", "rows.csv", "--dump", "r10.0:ud,gmem8.0:ud,gmem8.1:ud"]);
    arguments.extend(engine);
    let finished = room.run_list(arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    for (n, row) in values(&finished.stdout).into_iter().enumerate() {
        assert_eq!(row, ["7", (n + 7).to_string().as_str(), "9"]);
    }
}

/// Threads that end in another way are named, and the others run.
#[test]
fn some_threads_may_end_otherwise() {
    let room = Room::new();
    room.file(
        "turns.asm",
        "mov (1) a0.0<1>:uw r3.0<0;1,0>:uw {NoMask}\nmov (8) r[a0.0, 0]<1>:ud r2<8;8,1>:ud {NoMask}\ndo (8)\n\
         TOP: add (8) r4<1>:d r4<8;8,1>:d 1:d\nadd (8) r2<1>:d r2<8;8,1>:d -1:d\n\
         cmp.nz.f0.0 (8) null<1>:d r2<8;8,1>:d 0:d\n(f0.0) while (8) TOP\n",
    );
    room.file("rows.csv", "r2:d,r3:uw\n1,160\n0,160\n3,4090\n4,160\n-1,160\n");
    let finished = room.run(
        "exec --device g45 turns.asm --payload rows.csv --mask 1 --step-limit 500 --dump r4.0:d,r2.0:d \
         --output turns.csv",
    );
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    assert_snapshot!(summary(&finished.stdout), @r"
    5 threads, reference and executor agree on what is specified
    outcome     threads  first
    halted            2  0
    step-limit        2  1
    undefined         1  2

    thread 1, step-limit
      parallax exec --device g45 turns.asm --payload rows.csv --mask 1 --step-limit 500 --thread 1

    thread 2, undefined: the destination is outside the registers
      parallax exec --device g45 turns.asm --payload rows.csv --mask 1 --step-limit 500 --thread 2

    unspecified results in 4 threads, first in 0
      parallax exec --device g45 turns.asm --payload rows.csv --mask 1 --step-limit 500 --thread 0
    ");
    let csv = fs::read_to_string(room.path().join("turns.csv")).expect("written");
    assert_snapshot!(csv, @r"
    thread,outcome,r4.0:d,r2.0:d
    0,halted,1,0
    1,step-limit,125,-124
    2,undefined,0,3
    3,halted,4,0
    4,step-limit,125,-125
    ");
    let command =
        finished.stdout.lines().find(|line| line.contains("--thread 2")).expect("a command");
    let alone = room.run(command.trim().strip_prefix("parallax ").expect("this program"));
    assert_eq!(alone.code, Some(0), "{}", alone.stderr);
    assert!(alone.stdout.contains("undefined after 1 step"), "{}", alone.stdout);
}

/// An engine that is wrong in a thread is found, with what shows it, and the others run.
#[test]
fn the_thread_in_which_engines_differ_is_named() {
    let room = Room::new();
    room.file("add.asm", "add (8) r4<1>:d r2<8;8,1>:d r2<8;8,1>:d\n");
    room.file("rows.csv", "r2:d\n1\n65535\n5\n65536\n65535\n");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/python/example.py");
    let run = |engine: &str| -> Finished {
        let mut arguments = vec!["exec", "--device", "g45", "add.asm", "--payload", "rows.csv"];
        arguments.extend(["--dump", "r4.0:d", "--output", "sums.csv", "--engine", engine]);
        room.run_list(arguments)
    };
    let right = run(&format!("cmd:python3 {example}"));
    assert_eq!(right.code, Some(0), "{}{}", right.stdout, right.stderr);
    assert!(right.stdout.contains("reference and python-example agree"), "{}", right.stdout);
    let wrong = run(&format!("cmd:python3 {example} --fault"));
    assert_eq!(wrong.code, Some(1), "{}{}", wrong.stdout, wrong.stderr);
    for reported in [
        "reference and python-example differ",
        "divergence        2  1",
        "thread 1, divergence: step 0: add",
        "r4.0:d                  131070 000[1]fffe",
        "--thread 1\n",
    ] {
        assert!(wrong.stdout.contains(reported), "{reported}:\n{}", wrong.stdout);
    }
    let csv = fs::read_to_string(room.path().join("sums.csv")).expect("written");
    assert_eq!(csv.lines().nth(4), Some("3,halted,131072"), "{csv}");
    assert_eq!(csv.lines().nth(5), Some("4,divergence,131070"), "{csv}");
}

#[test]
fn mistakes_in_payloads() {
    let room = Room::new();
    room.file("add.asm", ADD);
    let mut messages = String::new();
    for content in [
        "",
        "\n\n",
        "r2:f,r3:f\n",
        "r2:f,r3:f\n1,2\r\n\r\n3\n",
        "r2:f,r3:f\n1,2,3\n",
        "r2:f,q7:f\n1,2\n",
        "r2:f,r128:f\n1,2\n",
        "r2:f,r3.8:f\n1,2\n",
        "r2:f,r3:q\n1,2\n",
        "r2:f,\n1,2\n",
        "r2:f,r3:f\n1,\n",
        "r2:f,r3:f\n1,2\n3,two\n",
        "r2:f,r3\n1,2\n",
        "r2:f,r127.7:f\n1,\"2,3\"\n",
        "r2:f,m15\n1,00\n",
    ] {
        room.file("rows.csv", content);
        let finished =
            room.run("exec --device g45 add.asm --payload rows.csv --dump r4:f --output a.csv");
        if finished.code == Some(0) {
            messages += &format!("-- {content:?}\n{}\n", summary(&finished.stdout));
            fs::remove_file(room.path().join("a.csv")).expect("the results");
        } else {
            messages += &format!("-- {content:?}\n{}\n", finished.refused());
            assert!(!room.path().join("a.csv").exists(), "{content}");
        }
    }
    room.file("rows.csv", b"r2:f,r3:f\n1,2\n3,\xFF\n");
    messages += room.run("exec --device g45 add.asm --payload rows.csv").refused();
    assert_snapshot!(messages);
}

#[test]
fn mistakes_in_arguments() {
    let room = Room::new();
    room.file("add.asm", ADD);
    room.file("rows.csv", "r2:f\n1\n2\n3\n");
    let mut messages = String::new();
    for arguments in [
        "--threads 4",
        "--thread 4",
        "--output a.csv",
        "--x r2:f --grid 8x8 --threads 0",
        "--payload rows.csv --threads 4",
        "--payload rows.csv --thread 3",
        "--payload rows.csv --dump q4",
        "--payload rows.csv --output a.csv",
        "--payload rows.csv --dump r4 --json",
        "--payload absent.csv",
        "--payload . --dump r4",
        "--grid 8x8",
        "--grid 0x8 --x r2:f",
        "--grid 8193x8192 --x r2:f",
        "--grid 8192x8192 --x r2:f --channels 1",
        "--grid 8x8 --x r2",
        "--grid 8x8 --x q2:f",
        "--grid 8x8 --x r2:f --y r127.4:f",
        "--grid 300 --x r2:ub",
        "--grid 8x8 --x r2:f --channels 32",
        "--grid 8x8 --payload rows.csv",
        "--grid 8x8 --x r2:f --thread 8",
        "--grid 8x8 --x r2:f --image a.png",
        "--grid 8x8 --x r2:f --image a.gif --pixel r4:f",
        "--grid 8x8 --x r2:f --image a.png --pixel r4",
        "--grid 8x8 --x r2:f --image a.png --pixel r4:f,r5:f",
        "--grid 8x8 --x r2:f --image a.png --pixel r127.1:f",
        "--grid 8x8 --x r2:f --image a.png --pixel r4:f --threads 7",
        "--grid 8x7 --x r2:f --quads",
        "--grid 8x8 --x r2:f --quads --channels 6",
        "--x r2:f",
        "--payload rows.csv --image a.png --pixel r4:f",
    ] {
        let finished = room.run(&format!("exec --device g45 add.asm {arguments}"));
        messages += &format!("-- {arguments}\n{}\n", finished.refused());
    }
    room.file("p.asm", "00 NOP: END_OF_PROGRAM\n");
    for arguments in ["--x R1:f", "--x R1.x:uw", "--x R1.x:f --dump R1:q", "--x R1.x:f --dump PIX9"]
    {
        let finished = room.run(&format!("exec --device rv770 p.asm --grid 8x8 {arguments}"));
        messages += &format!("-- {arguments}\n{}\n", finished.refused());
    }
    assert!(!room.path().join("a.png").exists() && !room.path().join("a.csv").exists());
    assert_snapshot!(messages);
}
