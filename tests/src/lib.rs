//! The harness of the black-box tests: it starts the real `nebula` and looks at it only from
//! outside, through files, sockets, processes and pictures.
//!
//! It speaks the control API with code of its own. Sharing the product's client would let one
//! mistake cancel the other; here the JSON on the wire is what is asserted, and every request and
//! response that passes is also held against `docs/runtime-api-v1.schema.json`.
//!
//! * [`Home`] is a private set of directories, [`Instance`] a `nebula --headless` that lives in it.
//! * [`Client`] is one connection, [`Ctl`] one finished run of `nebula ctl`.
//! * [`Display`] is a private X server with a window manager, [`Window`] a `nebula` shown on it.
//!
//! Nothing here waits for a fixed time. [`poll`] looks again until a condition holds or a bound
//! passes that is far above what a slow shared machine needs; bounds find hangs, never slowness.

pub mod binary;
pub mod client;
pub mod ctl;
pub mod display;
pub mod home;
pub mod instance;
pub mod pane;
pub mod picture;
pub mod poll;
pub mod process;
pub mod schema;
pub mod snapshot;
pub mod start;
pub mod window;

pub use client::{Client, Endpoint, Received};
pub use ctl::Ctl;
pub use display::Display;
pub use home::Home;
pub use instance::Instance;
pub use start::Starting;
pub use window::Window;
