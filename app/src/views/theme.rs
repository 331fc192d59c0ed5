//! Themes: one file colours the terminal and everything around it.
//!
//! A theme is data (`assets/themes/*.json`), compiled in, so that a window looks right before any file is read.
//! Promises, kept by the tests below: every bundled theme parses, and every text in it, chrome or terminal, stands on
//! its background with a contrast of at least 4.5:1 (WCAG 2.2, level AA).

pub mod chrome;
pub mod colour;
pub mod palette;

use std::sync::{Arc, OnceLock};

use gpui::{App, Global, WindowAppearance};
use serde::Deserialize;

use self::colour::Rgb;
use self::palette::Palette;

/// The setting that follows the desktop.
pub const SYSTEM: &str = "system";

const DARK: &str = "Nebula Dark";
const LIGHT: &str = "Nebula Light";

const BUNDLED: [&str; 8] = [
    include_str!("../../../assets/themes/nebula-dark.json"),
    include_str!("../../../assets/themes/nebula-light.json"),
    include_str!("../../../assets/themes/catppuccin-mocha.json"),
    include_str!("../../../assets/themes/catppuccin-latte.json"),
    include_str!("../../../assets/themes/gruvbox-dark.json"),
    include_str!("../../../assets/themes/gruvbox-light.json"),
    include_str!("../../../assets/themes/tokyo-night.json"),
    include_str!("../../../assets/themes/nord.json"),
];

/// Whether a theme is for dark or for light surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Appearance {
    /// Light text on a dark ground.
    Dark,
    /// Dark text on a light ground.
    Light,
}

impl From<WindowAppearance> for Appearance {
    fn from(value: WindowAppearance) -> Self {
        match value {
            WindowAppearance::Dark | WindowAppearance::VibrantDark => Self::Dark,
            WindowAppearance::Light | WindowAppearance::VibrantLight => Self::Light,
        }
    }
}

/// Colours of the terminal, as the file has them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminalColours {
    /// Text without a colour of its own.
    pub foreground: Rgb,
    /// The ground of the grid.
    pub background: Rgb,
    /// The cursor.
    pub cursor: Rgb,
    /// Text under a block cursor.
    pub cursor_text: Rgb,
    /// The ground of selected text.
    pub selection: Rgb,
    /// ANSI 0 to 7.
    pub normal: [Rgb; 8],
    /// ANSI 8 to 15.
    pub bright: [Rgb; 8],
}

/// Colours of everything around the terminal.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChromeColours {
    /// The ground of pages and of the active tab.
    pub base: Rgb,
    /// The ground of title bar, sidebar and status bar.
    pub raised: Rgb,
    /// The ground under the pointer and of the selected row.
    pub hover: Rgb,
    /// Lines between areas.
    pub border: Rgb,
    /// Text.
    pub text: Rgb,
    /// Text that explains other text.
    pub muted: Rgb,
    /// What is active or focused.
    pub accent: Rgb,
    /// Text on `accent`.
    pub accent_text: Rgb,
    /// Something runs.
    pub info: Rgb,
    /// Something is done.
    pub success: Rgb,
    /// Something waits for the user.
    pub warning: Rgb,
    /// Something failed, or would destroy.
    pub danger: Rgb,
}

/// A theme file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThemeFile {
    /// What the settings and the user call it.
    pub name: String,
    /// Dark or light.
    pub appearance: Appearance,
    /// Whose palette it is, and under which licence.
    pub credit: String,
    /// The terminal.
    pub terminal: TerminalColours,
    /// The rest of the window.
    pub chrome: ChromeColours,
}

/// Every bundled theme, in the order in which the settings page offers them.
pub fn bundled() -> &'static [ThemeFile] {
    static THEMES: OnceLock<Vec<ThemeFile>> = OnceLock::new();
    THEMES.get_or_init(|| {
        BUNDLED
            .iter()
            .filter_map(|text| match serde_json::from_str(text) {
                Ok(theme) => Some(theme),
                Err(error) => {
                    tracing::error!(%error, "a bundled theme does not parse");
                    None
                }
            })
            .collect()
    })
}

/// The theme a setting means: `system`, `dark`, `light`, or the name of a theme (case is ignored).
///
/// A name nobody knows means the same as `system`; the settings page says so.
pub fn find(setting: &str, system: Appearance) -> Option<&'static ThemeFile> {
    let named = |name: &str| {
        bundled()
            .iter()
            .find(|theme| theme.name.eq_ignore_ascii_case(name))
    };
    let of = |appearance| match appearance {
        Appearance::Dark => named(DARK),
        Appearance::Light => named(LIGHT),
    };
    match setting {
        "dark" => of(Appearance::Dark),
        "light" => of(Appearance::Light),
        SYSTEM => of(system),
        name => named(name).or_else(|| of(system)),
    }
}

/// Whether `setting` names something that [`find`] knows.
pub fn is_known(setting: &str) -> bool {
    matches!(setting, SYSTEM | "dark" | "light")
        || bundled()
            .iter()
            .any(|theme| theme.name.eq_ignore_ascii_case(setting))
}

/// The theme in force, for views that draw with colours of their own.
#[derive(Clone)]
pub struct ActiveTheme {
    /// The name, to notice a change.
    pub name: &'static str,
    /// Resolved colours of the terminal.
    pub palette: Arc<Palette>,
    /// Colours of the window.
    pub chrome: &'static ChromeColours,
}

impl Global for ActiveTheme {}

/// Puts a theme into force; does nothing when it already is.
///
/// Returns whether something changed, so that the caller redraws only then.
pub fn activate(setting: &str, system: Appearance, cx: &mut App) -> bool {
    let Some(theme) = find(setting, system) else {
        return false;
    };
    if cx
        .try_global::<ActiveTheme>()
        .is_some_and(|active| active.name == theme.name)
    {
        return false;
    }
    chrome::apply(theme, cx);
    cx.set_global(ActiveTheme {
        name: &theme.name,
        palette: Arc::new(Palette::new(theme.appearance, &theme.terminal)),
        chrome: &theme.chrome,
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_theme_parses_and_is_named_once() {
        assert_eq!(bundled().len(), BUNDLED.len());
        let mut names: Vec<_> = bundled().iter().map(|theme| &theme.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), BUNDLED.len());
    }

    #[test]
    fn chrome_text_is_readable() {
        for theme in bundled() {
            let chrome = &theme.chrome;
            let grounds = [("base", chrome.base), ("raised", chrome.raised)];
            let texts = [
                ("text", chrome.text),
                ("muted", chrome.muted),
                ("info", chrome.info),
                ("success", chrome.success),
                ("warning", chrome.warning),
                ("danger", chrome.danger),
            ];
            for (ground_name, ground) in grounds {
                for (text_name, text) in texts {
                    let ratio = text.contrast(ground);
                    let name = &theme.name;
                    assert!(
                        ratio >= 4.5,
                        "{name}: {text_name} on {ground_name} is {ratio:.2}:1"
                    );
                }
            }
            let name = &theme.name;
            let on_hover = chrome.text.contrast(chrome.hover);
            assert!(on_hover >= 4.5, "{name}: text on hover is {on_hover:.2}:1");
            let on_accent = chrome.accent_text.contrast(chrome.accent);
            assert!(
                on_accent >= 4.5,
                "{name}: accent_text on accent is {on_accent:.2}:1"
            );
        }
    }

    #[test]
    fn settings_find_their_theme() {
        let name = |setting, system| find(setting, system).map(|theme| theme.name.as_str());
        assert_eq!(name("system", Appearance::Dark), Some(DARK));
        assert_eq!(name("system", Appearance::Light), Some(LIGHT));
        assert_eq!(name("light", Appearance::Dark), Some(LIGHT));
        assert_eq!(name("nord", Appearance::Light), Some("Nord"));
        assert_eq!(name("no such theme", Appearance::Light), Some(LIGHT));
        assert!(is_known("Gruvbox dark") && !is_known("no such theme"));
    }
}
