//! How fast the software scoreboard of Gen12 is checked: a thousand programs, most of them long.

use std::{fs::File, hint::black_box, io::Read, path::Path};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parallax_isa::{
    Device,
    eu::{Program, scoreboard::check::hazards},
    hex,
};

/// The compiled programs of the corpus.
fn compiled() -> Vec<Program> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/compiled/dg1.jsonl.gz");
    let mut lines = String::new();
    let file = File::open(path).expect("the corpus");
    flate2::read::GzDecoder::new(file).read_to_string(&mut lines).expect("text");
    let program = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let words = value["code"].as_array().expect("a list").iter();
        let code: Vec<u8> =
            words.flat_map(|word| hex::parse(word.as_str().expect("text")).expect("hex")).collect();
        Program::decode(Device::Dg1, &code).expect("it decodes")
    };
    lines.lines().map(program).collect()
}

fn check(criterion: &mut Criterion) {
    let programs = compiled();
    let mut group = criterion.benchmark_group("scoreboard");
    group.sample_size(10).throughput(Throughput::Elements(1000));
    group.bench_function("1,000 programs", |bencher| {
        bencher.iter(|| {
            let thousand = programs.iter().cycle().take(1000);
            thousand.map(|program| hazards(black_box(program)).len()).sum::<usize>()
        });
    });
    group.finish();
}

criterion_group!(benches, check);
criterion_main!(benches);
