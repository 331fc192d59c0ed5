//! The window: everything a person sees of a workspace.
//!
//! Views read the model and tell its owner what the user did; they decide nothing about panes. Colours come from one
//! theme, texts from the message catalogues in `app/locales`, keys from the keymap of the settings.

pub mod commands;
pub mod content;
pub mod dialogs;
pub mod display;
pub mod fonts;
pub mod grid_font;
pub mod language;
pub mod owner;
pub mod palette;
pub mod pane_area;
pub mod pane_keys;
pub mod pane_view;
pub mod settings_page;
pub mod shells;
pub mod sidebar;
pub mod state_mark;
pub mod status;
pub mod terminal;
pub mod theme;
pub mod title_tabs;
mod window;
pub mod workspace_view;

pub use window::run;
