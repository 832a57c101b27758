//! Prints the kernel times: `cargo run --release -p parallax-lockstep --example kernels [FILTER]`.

fn main() {
    let filter = std::env::args().nth(1);
    match parallax_lockstep::bench::run(filter.as_deref(), &[]) {
        Ok(results) => {
            for result in results {
                println!(
                    "{:26} {:6} instr  reference {:>11.0} ns  executor {:>8.0} ns  native {:>8.0} ns  {:>7.0}x reference  {:>5.1}x native  {:.1} ns/instr",
                    result.name,
                    result.instructions,
                    result.reference_ns,
                    result.executor_ns,
                    result.native_ns,
                    result.executor_vs_reference(),
                    result.executor_vs_native(),
                    result.executor_ns / result.instructions as f64,
                );
            }
        }
        Err(error) => eprintln!("{error}"),
    }
}
