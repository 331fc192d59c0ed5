//! The window: everything a person sees of a workspace.

pub mod fonts;
pub mod grid_font;
pub mod pane_keys;
pub mod pane_view;
pub mod terminal;
pub mod theme;
