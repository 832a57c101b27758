//! Engines that run already and listen at a Unix socket: `--engine unix:/path`.
#![cfg(unix)]

use std::{
    io::Write as _,
    os::unix::net::{UnixListener, UnixStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::common::{Finished, HARNESS, Room, is_there};
use rstest::rstest;

/// A process that is ended with the test.
struct Running(Child);

impl Running {
    /// Starts a command and waits until it listens.
    fn start(command: &mut Command, socket: &Path) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("it starts");
        let running = Self(child);
        let start = Instant::now();
        while UnixStream::connect(socket).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "it does not listen");
            thread::sleep(Duration::from_millis(20));
        }
        running
    }

    fn is_alive(&mut self) -> bool {
        self.0.try_wait().is_ok_and(|status| status.is_none())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn run(room: &Room, more: &str) -> Finished {
    let seed = "run --device g45 --seed 5 --jobs 2 --engine unix:socket";
    room.run(&format!("{seed} {more}"))
}

/// The Python example, listening, with arguments.
fn python(_: &Room) -> Command {
    let mut python = Command::new("python3");
    python.arg(format!("{HARNESS}/engines/python/example.py"));
    python
}

/// The C example, built in a room.
fn c(room: &Room) -> Command {
    Command::new(room.compiled("engines/c/example.c"))
}

#[rstest]
#[case::python("python3", python, "python-example")]
#[case::c("cc", c, "c-example")]
fn an_engine_serves_several_connections_and_campaigns(
    #[case] needs: &str,
    #[case] example: fn(&Room) -> Command,
    #[case] name: &str,
) {
    if !is_there(needs) {
        return;
    }
    let room = Room::new();
    let socket = room.path().join("socket");
    let start = |fault: &[&str]| {
        let mut command = example(&room);
        Running::start(command.arg("--socket").arg(&socket).args(fault), &socket)
    };
    let mut right = start(&[]);
    for _ in 0..2 {
        let clean = run(&room, "--cases 120");
        assert_eq!(clean.code, Some(0), "{}{}", clean.stdout, clean.stderr);
        assert!(clean.stdout.contains(&format!("{name} (unix:socket)")), "{}", clean.stdout);
    }
    assert!(right.is_alive());
    drop(right);

    // The socket that is left over is taken over.
    let mut wrong = start(&["--fault"]);
    let found = run(&room, "--cases 120 --out found");
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("--engine unix:socket"), "what to go on with: {}", found.stdout);
    let traces: Vec<_> =
        room.path().join("found/findings").read_dir().expect("findings").flatten().collect();
    assert_eq!(traces.len(), 1, "one fault is one finding: {traces:?}");
    let trace = traces[0].path();
    let trace = trace.to_str().expect("plain letters");
    let replayed = room.run_list(["replay", trace, "--engine", "unix:socket"]);
    assert_eq!(replayed.code, Some(1), "{}{}", replayed.stdout, replayed.stderr);
    assert!(wrong.is_alive());
}

/// A path that nothing can listen at is said, with exit code 1.
#[test]
fn the_c_kit_says_where_it_cannot_listen() {
    if !is_there("cc") {
        return;
    }
    let room = Room::new();
    let example = room.compiled("engines/c/example.c");
    let long = "long".repeat(50);
    for (path, why) in [("absent/socket", "No such file"), (&long, "too long")] {
        let output = Command::new(&example).args(["--socket", path]).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1));
        assert!(said.contains(path) && said.contains(why), "{said}");
    }
}

#[test]
fn the_executor_behind_a_socket_agrees() {
    let room = Room::new();
    let mut serve = room.command(["engine", "serve", "--socket", "socket"]);
    let mut served = Running::start(&mut serve, &room.path().join("socket"));
    let clean = run(&room, "--suite eu --suite eu-flow --cases 150");
    assert_eq!(clean.code, Some(0), "{}{}", clean.stdout, clean.stderr);
    let checked = room.run("engine check unix:socket");
    assert!(checked.stdout.contains("parallax run --engine \"unix:socket\""), "{}", checked.stdout);
    assert!(served.is_alive());
    // Nobody takes a place where something else is.
    room.file("file", "of somebody");
    let refused = room.run("engine serve --socket file");
    assert!(refused.refused().contains("file: it is there and no socket"), "{}", refused.stderr);
    let refused = room.run("engine serve --socket socket");
    assert!(
        refused.refused().contains("socket: another engine listens there"),
        "{}",
        refused.stderr
    );
}

#[test]
fn what_is_no_engine_is_said() {
    let room = Room::new();
    let refused =
        |name: &str| room.run_list(["run", "--cases", "1", "--engine", name]).refused().to_owned();
    let absent = refused("unix:absent");
    assert!(absent.contains("there is no socket absent: is the engine running?"), "{absent}");
    assert!(refused("unix:").contains("the path after `unix:` is empty"));
    room.file("file", "");
    assert!(refused("unix:file").contains("file is no socket"));
    assert!(refused("unix:.").contains(". is no socket"));
    let path = room.path().join("left");
    drop(UnixListener::bind(&path).expect("a socket"));
    let left = refused("unix:left");
    assert!(left.contains("nobody listens at left: the engine that made it has ended"), "{left}");
    // One that closes whatever comes.
    let listener = UnixListener::bind(room.path().join("closes")).expect("a socket");
    thread::spawn(move || listener.incoming().for_each(drop));
    let closes = refused("unix:closes");
    assert!(closes.contains("the connection is closed, before its first words"), "{closes}");
}

/// An engine that closes its connections in the middle is a finding, not the campaign's end.
#[test]
fn an_engine_that_closes_its_connection_is_a_finding() {
    let room = Room::new();
    let listener = UnixListener::bind(room.path().join("socket")).expect("a socket");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let hello = br#"{"protocol": 1, "machine": "eu", "name": "brief", "devices": ["g45"], "banks": ["r", "ip"], "steps": true}"#;
            let mut frame = vec![0xA5, 0x81, 0, 0];
            frame.extend((hello.len() as u32).to_le_bytes());
            frame.extend(hello);
            let _ = stream.write_all(&frame);
            // Until the first question.
            let _ = std::io::Read::read(&mut stream, &mut [0; 8]);
        }
    });
    let found = run(&room, "--suite eu --cases 3 --stop-after 1 --out found");
    assert_eq!(found.code, Some(1), "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("the connection is closed"), "{}", found.stdout);
}
