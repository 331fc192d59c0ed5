//! Whether there is a display for a window.
//!
//! Asked before GPUI starts, which without one draws nowhere and says nothing, and panics on one that does not answer.

use anyhow::{Context, anyhow};

/// Connects to the display that GPUI would choose, and lets go of it.
///
/// # Errors
/// No display is named, or it does not answer; the text says what to do.
pub fn check() -> anyhow::Result<()> {
    match gpui::guess_compositor() {
        "Wayland" => wayland_client::Connection::connect_to_env()
            .map(drop)
            .context("the display that WAYLAND_DISPLAY names does not answer"),
        "X11" => x11rb::connect(None)
            .map(drop)
            .context("the display that DISPLAY names does not answer"),
        _ => Err(anyhow!(
            "neither WAYLAND_DISPLAY nor DISPLAY names a display"
        )),
    }
    .context("no window can be opened; without a display, use `nebula --headless`")
}
