//! Drawing a terminal's grid.

mod cursor;
mod decorations;
pub mod element;
pub mod glyphs;
pub mod painter;
pub mod scrollbar;
pub mod symbols;
