//! The one table of what a key can do: actions, what they are called, and their default keys.

use std::fmt;
use std::str::FromStr;

/// A name that no action has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no action \"{0}\"")]
pub struct UnknownAction(pub String);

macro_rules! actions {
    ($( #[doc = $doc:literal] $variant:ident = $name:literal [ $($key:literal),* ] )*) => {
        /// Something the user can do with a key. `Display` gives the name used in `keymap.toml`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $( #[doc = $doc] $variant, )*
        }

        impl Action {
            /// All actions, in the order of the documentation.
            pub const ALL: &'static [Self] = &[ $( Self::$variant, )* ];

            /// The name in `keymap.toml`; message catalogues use it too.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )* }
            }

            /// What it does, one English sentence in Markdown, for the documentation.
            pub fn doc(self) -> &'static str {
                match self { $( Self::$variant => $doc.trim_ascii(), )* }
            }

            /// The keys it has when `keymap.toml` says nothing about it.
            pub const fn default_keys(self) -> &'static [&'static str] {
                match self { $( Self::$variant => &[ $($key),* ], )* }
            }
        }
    };
}

// Keys without ctrl-shift, ctrl-alt or alt-digit belong to the programs in the terminal, so they are
// used only where terminals of this field use them (ctrl-tab, shift-pageup, zoom of the font).
actions! {
    /// Open a tab in the directory of the focused pane.
    NewTab = "new_tab" ["ctrl-shift-t"]
    /// Close the focused pane; the last pane of a tab closes the tab.
    ClosePane = "close_pane" ["ctrl-shift-w"]
    /// Close the tab with all its panes.
    CloseTab = "close_tab" ["ctrl-alt-shift-w"]
    /// Rename the tab.
    RenameTab = "rename_tab" ["ctrl-shift-r"]
    /// Show the next tab.
    NextTab = "next_tab" ["ctrl-tab", "ctrl-pagedown"]
    /// Show the previous tab.
    PrevTab = "prev_tab" ["ctrl-shift-tab", "ctrl-pageup"]
    /// Move the tab one place to the left.
    MoveTabLeft = "move_tab_left" ["ctrl-shift-pageup"]
    /// Move the tab one place to the right.
    MoveTabRight = "move_tab_right" ["ctrl-shift-pagedown"]
    /// Show tab 1.
    Tab1 = "tab_1" ["alt-1"]
    /// Show tab 2.
    Tab2 = "tab_2" ["alt-2"]
    /// Show tab 3.
    Tab3 = "tab_3" ["alt-3"]
    /// Show tab 4.
    Tab4 = "tab_4" ["alt-4"]
    /// Show tab 5.
    Tab5 = "tab_5" ["alt-5"]
    /// Show tab 6.
    Tab6 = "tab_6" ["alt-6"]
    /// Show tab 7.
    Tab7 = "tab_7" ["alt-7"]
    /// Show tab 8.
    Tab8 = "tab_8" ["alt-8"]
    /// Show tab 9.
    Tab9 = "tab_9" ["alt-9"]
    /// Split the focused pane; the new one is on the right.
    SplitRight = "split_right" ["ctrl-shift-d"]
    /// Split the focused pane; the new one is below.
    SplitDown = "split_down" ["ctrl-shift-s"]
    /// Focus the pane on the left.
    FocusLeft = "focus_left" ["ctrl-alt-left"]
    /// Focus the pane on the right.
    FocusRight = "focus_right" ["ctrl-alt-right"]
    /// Focus the pane above.
    FocusUp = "focus_up" ["ctrl-alt-up"]
    /// Focus the pane below.
    FocusDown = "focus_down" ["ctrl-alt-down"]
    /// Move the divider beside the focused pane to the left.
    ResizePaneLeft = "resize_pane_left" ["ctrl-shift-left"]
    /// Move the divider beside the focused pane to the right.
    ResizePaneRight = "resize_pane_right" ["ctrl-shift-right"]
    /// Move the divider above or below the focused pane up.
    ResizePaneUp = "resize_pane_up" ["ctrl-shift-up"]
    /// Move the divider above or below the focused pane down.
    ResizePaneDown = "resize_pane_down" ["ctrl-shift-down"]
    /// Move the focused pane to the left of its neighbour.
    MovePaneLeft = "move_pane_left" ["ctrl-alt-shift-left"]
    /// Move the focused pane to the right of its neighbour.
    MovePaneRight = "move_pane_right" ["ctrl-alt-shift-right"]
    /// Move the focused pane above its neighbour.
    MovePaneUp = "move_pane_up" ["ctrl-alt-shift-up"]
    /// Move the focused pane below its neighbour.
    MovePaneDown = "move_pane_down" ["ctrl-alt-shift-down"]
    /// Show the focused pane alone, or all panes again.
    ZoomPane = "zoom_pane" ["ctrl-shift-enter"]
    /// Copy the selection.
    Copy = "copy" ["ctrl-shift-c", "ctrl-insert"]
    /// Paste the clipboard.
    Paste = "paste" ["ctrl-shift-v", "shift-insert"]
    /// Scroll up by a page.
    ScrollPageUp = "scroll_page_up" ["shift-pageup"]
    /// Scroll down by a page.
    ScrollPageDown = "scroll_page_down" ["shift-pagedown"]
    /// Scroll to the oldest line.
    ScrollTop = "scroll_top" ["shift-home"]
    /// Scroll to the newest line.
    ScrollBottom = "scroll_bottom" ["shift-end"]
    /// Make the terminal font larger.
    FontLarger = "font_larger" ["ctrl-+", "ctrl-=", "ctrl-add"]
    /// Make the terminal font smaller.
    FontSmaller = "font_smaller" ["ctrl--", "ctrl-subtract"]
    /// Give the terminal font the size of the settings again.
    FontReset = "font_reset" ["ctrl-0"]
    /// Show or hide the sidebar.
    ToggleSidebar = "toggle_sidebar" ["ctrl-shift-b"]
    /// Show every action with its key.
    CommandPalette = "command_palette" ["ctrl-shift-p"]
    /// Open the settings.
    OpenSettings = "open_settings" ["ctrl-,"]
    /// Close the window and end the program.
    Quit = "quit" ["ctrl-shift-q"]
}

impl Action {
    /// The action that shows a tab by its place, counted from 1; there are nine.
    pub fn show_tab(place: usize) -> Option<Self> {
        const PLACES: [Action; 9] = [
            Action::Tab1,
            Action::Tab2,
            Action::Tab3,
            Action::Tab4,
            Action::Tab5,
            Action::Tab6,
            Action::Tab7,
            Action::Tab8,
            Action::Tab9,
        ];
        PLACES.get(place.checked_sub(1)?).copied()
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(name: &str) -> Result<Self, UnknownAction> {
        let found = Self::ALL.iter().find(|action| action.name() == name);
        found.copied().ok_or_else(|| UnknownAction(name.to_owned()))
    }
}
