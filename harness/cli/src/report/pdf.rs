//! The page as PDF, printed by a browser.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{failure::Failure, files};

/// Programs that print a page without a window, the first that there is on PATH.
const BROWSERS: [&str; 5] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];

/// Longest time to wait for the browser.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Largest PDF that is read, in bytes.
const LIMIT: u64 = 256 << 20;

/// A page as PDF.
///
/// # Errors
/// If there is no browser, or it does not print: what to install, or what it said.
pub(crate) fn pdf(page: &str) -> Result<Vec<u8>, Failure> {
    let browser = find().ok_or_else(|| {
        Failure::input(format!(
            "PDF takes a headless Chromium, and PATH has none of {}: install one (on Debian: apt-get \
             install chromium), or print the page of --format html in a browser",
            BROWSERS.join(", ")
        ))
    })?;
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::file("write into", &env::temp_dir(), error))?;
    let source = folder.path().join("report.html");
    files::write(&source, page.as_bytes())?;
    let printed = folder.path().join("report.pdf");
    // The sandbox of Chromium refuses to work for root, and in many containers.
    let mut said = String::new();
    for sandbox in [&[][..], &["--no-sandbox"]] {
        said = print(&browser, sandbox, folder.path(), &source, &printed)?;
        if printed.is_file() {
            return files::read(&printed, LIMIT, "a PDF");
        }
    }
    let said = said.lines().next_back().unwrap_or("nothing").to_owned();
    Err(Failure::input(format!("{} printed no PDF; it said: {said}", browser.display())))
}

/// Runs the browser, and gives what it said.
fn print(
    browser: &Path,
    sandbox: &[&str],
    folder: &Path,
    source: &Path,
    printed: &Path,
) -> Result<String, Failure> {
    let failure = |error| Failure::file("run", browser, error);
    let log = folder.join("log");
    let file = fs::File::create(&log).map_err(failure)?;
    let option = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let mut child = Command::new(browser)
        .args(["--headless=new", "--disable-gpu", "--disable-extensions", "--no-pdf-header-footer"])
        .args(sandbox)
        .arg(option("user-data-dir", &folder.join("profile")))
        .arg(option("print-to-pdf", printed))
        .arg(format!("file://{}", source.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .map_err(failure)?;
    let begun = Instant::now();
    while child.try_wait().map_err(failure)?.is_none() {
        if begun.elapsed() > TIMEOUT {
            // It may have ended by itself in the meantime.
            let _ = child.kill();
            let _ = child.wait();
            return Err(Failure::input(format!(
                "{} did not print within {} s",
                browser.display(),
                TIMEOUT.as_secs()
            )));
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(String::from_utf8_lossy(&fs::read(&log).map_err(failure)?).into_owned())
}

/// The first of [`BROWSERS`] in a folder of PATH.
fn find() -> Option<PathBuf> {
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
    let places =
        BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.into_iter().find(|place| place.is_file())
}
