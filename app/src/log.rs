//! What the program says on standard error.
//!
//! Warnings and errors, one line each, and only such that somebody can act on: a few that libraries print at every start
//! on some machines are left out. `NEBULA_LOG` chooses in the syntax of `RUST_LOG`, and leaves nothing out.

use std::fmt::Debug;
use std::io::IsTerminal as _;

use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::FilterExt as _;
use tracing_subscriber::layer::{Context, Filter, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// The variable that chooses what is logged.
const VARIABLE: &str = "NEBULA_LOG";

/// Source and beginning of messages that ask nothing of anybody.
const KNOWN: &[(&str, &str)] = &[
    // A display without a mouse of its own: the one pointer that X always has is used.
    (
        "gpui_linux::linux::x11::client",
        "Found no xinput mouse pointers",
    ),
    // The desktop names no font for its widgets: the next one in the list is used.
    (
        "gpui::text_system",
        "failed to load font Font { family: \".SystemUIFont\"",
    ),
    // What the Vulkan loader thinks of the drivers: GL is tried next, and no driver at all is an error of the window.
    ("wgpu_hal::vulkan::instance", ""),
];

/// Sends the log to standard error from now on.
pub fn to_stderr() {
    let layer = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let registry = tracing_subscriber::registry();
    match EnvFilter::try_from_env(VARIABLE) {
        Ok(chosen) => registry.with(layer.with_filter(chosen)).init(),
        Err(_) => {
            let filter = EnvFilter::new("warn").and(Useful);
            registry.with(layer.with_filter(filter)).init();
        }
    }
}

/// Lets pass what is not [`KNOWN`].
struct Useful;

impl<S: Subscriber> Filter<S> for Useful {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        let mut said = Said {
            source: event.metadata().target().to_owned(),
            message: String::new(),
        };
        event.record(&mut said);
        !is_known(&said.source, &said.message)
    }
}

fn is_known(source: &str, message: &str) -> bool {
    KNOWN
        .iter()
        .any(|(known, beginning)| source == *known && message.starts_with(beginning))
}

/// Who says what. What comes through the `log` crate names its source in a field.
struct Said {
    source: String,
    message: String,
}

impl Visit for Said {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "log.target" => value.clone_into(&mut self.source),
            "message" => value.clone_into(&mut self.message),
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_left_out() {
        let x11 = "gpui_linux::linux::x11::client";
        assert!(is_known(x11, "Found no xinput mouse pointers."));
        assert!(!is_known(x11, "Failed to set cursor style"));
        assert!(!is_known("nebula", "Found no xinput mouse pointers."));
        assert!(is_known("wgpu_hal::vulkan::instance", "anything"));
        assert!(!is_known("wgpu_hal::vulkan::device", "anything"));
        let font = |family| {
            format!(
                "failed to load font Font {{ family: \"{family}\", features: FontFeatures }}: no font"
            )
        };
        assert!(is_known("gpui::text_system", &font(".SystemUIFont")));
        assert!(!is_known("gpui::text_system", &font("Iosevka")));
    }
}
