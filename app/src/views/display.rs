//! Whether there is a display for a window.
//!
//! Asked before GPUI starts, which without one draws nowhere and says nothing, and panics on one that does not answer.

use std::env;
use std::ffi::OsString;
use std::os::unix::net::UnixStream;
use std::path::Path;

use anyhow::{Context, anyhow};

/// Connects to the display that GPUI would choose, and lets go of it.
///
/// # Errors
/// No display is named, or it does not answer; the text says what to do.
pub fn check() -> anyhow::Result<()> {
    let named = |name| env::var_os(name).filter(|value| !value.is_empty());
    match (named("WAYLAND_DISPLAY"), named("DISPLAY")) {
        (Some(socket), _) => wayland(&socket, named("XDG_RUNTIME_DIR")),
        (None, Some(display)) => x11rb::connect(None)
            .map(drop)
            .with_context(|| format!("the display `{}` does not answer", display.display())),
        (None, None) => Err(anyhow!(
            "neither WAYLAND_DISPLAY nor DISPLAY names a display"
        )),
    }
    .context("no window can be opened; without a display, use `nebula --headless`")
}

/// An absolute path, or a name in the runtime directory (wl_display_connect).
fn wayland(socket: &OsString, runtime: Option<OsString>) -> anyhow::Result<()> {
    let path = match runtime {
        Some(directory) => Path::new(&directory).join(socket),
        None => Path::new(socket).to_owned(),
    };
    UnixStream::connect(&path)
        .map(drop)
        .with_context(|| format!("the Wayland display `{}` does not answer", path.display()))
}
