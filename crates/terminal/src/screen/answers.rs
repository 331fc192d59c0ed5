//! Answers to the queries that the library does not know. They are made of computed values only.

use alacritty_terminal::vte::ansi::CursorShape;

use super::Screen;
use crate::queries::{Query, Setting};
use crate::sgr::Style;

impl Screen {
    pub(crate) fn answer(&self, query: Query) {
        let answer = match query {
            Query::Version => format!(">|nebula {}", env!("CARGO_PKG_VERSION")),
            Query::Setting(setting) => match self.setting(setting) {
                Some(value) => format!("1$r{value}"),
                None => "0$r".to_owned(),
            },
        };
        self.reply(format!("\x1bP{answer}\x1b\\"));
    }

    /// A setting as the sequence that would set it, without `CSI`.
    fn setting(&self, setting: Setting) -> Option<String> {
        match setting {
            Setting::Look => {
                let mut look = String::new();
                let next = Style::of(&self.term.grid().cursor.template);
                Style::default().change_to(next, &mut look);
                let look = look.strip_prefix("\x1b[").unwrap_or("0m");
                Some(look.to_owned())
            }
            Setting::Cursor => {
                let style = self.term.cursor_style();
                let steady = match style.shape {
                    CursorShape::Underline => 4,
                    CursorShape::Beam => 6,
                    CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => 2,
                };
                let number = if style.blinking { steady - 1 } else { steady };
                Some(format!("{number} q"))
            }
            Setting::Margins => {
                let region = &self.region;
                Some(format!(
                    "{};{}r",
                    region.start.saturating_add(1),
                    region.end
                ))
            }
            Setting::Unknown => None,
        }
    }
}
