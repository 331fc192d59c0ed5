//! A `nebula` whose window is shown on a private display.

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use image::RgbImage;

use crate::client::Client;
use crate::ctl::Ctl;
use crate::display::{self, Display};
use crate::home::Home;
use crate::instance::Instance;
use crate::picture::{self, Mask};
use crate::poll::{self, PATIENCE};

/// Size of the window in every test, so that pictures can be compared.
pub const SIZE: (u32, u32) = (1000, 640);

/// What differs between runs: the sidebar says how long ago a state began.
pub const AGES: [Mask; 1] = [Mask {
    x: 160,
    y: 60,
    width: 55,
    height: 180,
}];

/// A running window and the server inside it.
#[derive(Debug)]
pub struct Window {
    // Dropped before the display, which it draws on.
    instance: Instance,
    display: Display,
    id: String,
}

impl Window {
    /// Shows a window with the usual settings.
    #[must_use]
    pub fn open() -> Self {
        Self::open_in(&Arc::new(Home::new()))
    }

    /// Shows a window with the given `settings.toml`.
    #[must_use]
    pub fn open_with(settings: &str) -> Self {
        Self::open_in(&Arc::new(Home::with_settings(settings)))
    }

    /// Shows a window in directories that exist; its first shell starts in `/`, so that nothing of
    /// a temporary path is drawn.
    #[must_use]
    pub fn open_in(home: &Arc<Home>) -> Self {
        Self::open_scaled(home, 1.0)
    }

    /// As [`Window::open_in`] on a desktop that makes everything larger by this factor.
    #[must_use]
    pub fn open_scaled(home: &Arc<Home>, scale: f64) -> Self {
        let display = Display::start();
        let mut command = command(home, &display);
        command.arg("/").current_dir("/");
        command.env("GPUI_X11_SCALE_FACTOR", scale.to_string());
        let instance = Instance::start_command(home, command);
        let id = poll::until_ok("a window on the screen", PATIENCE, || {
            let found = visible(&display, instance.pid());
            found.ok_or_else(|| format!("stderr: {}", instance.stderr()))
        });
        let window = Self {
            instance,
            display,
            id,
        };
        window.focus();
        window.resize(SIZE.0, SIZE.1);
        window
    }

    /// The server inside.
    #[must_use]
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// A connection and the first pane, once its shell is at its prompt.
    #[must_use]
    pub fn ready(&self) -> (Client, u64) {
        self.instance.ready()
    }

    /// The server inside, to wait for its end.
    pub fn instance_mut(&mut self) -> &mut Instance {
        &mut self.instance
    }

    /// The screen it is on.
    #[must_use]
    pub fn display(&self) -> &Display {
        &self.display
    }

    /// A second start of the program on the same display and directories.
    #[must_use]
    pub fn second_start(&self) -> Command {
        command(self.instance.home(), &self.display)
    }

    /// Whether a window of this program can be seen.
    #[must_use]
    pub fn is_visible(&self) -> bool {
        visible(&self.display, self.instance.pid()).is_some()
    }

    /// Makes it the active window.
    pub fn focus(&self) {
        self.display
            .xdotool(&["windowactivate", "--sync", &self.id]);
    }

    /// Types text as a keyboard would; a newline is the Return key.
    pub fn type_text(&self, text: &str) {
        // xdotool would press a key named Linefeed, which no keyboard has.
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.key("Return");
            }
            if !line.is_empty() {
                self.display
                    .xdotool(&["type", "--clearmodifiers", "--delay", "15", "--", line]);
            }
        }
    }

    /// Presses keys in xdotool's notation, for example `ctrl+shift+t`.
    pub fn key(&self, key: &str) {
        self.display.xdotool(&["key", "--clearmodifiers", key]);
    }

    /// Moves the pointer to a place in the window and clicks a button; 4 and 5 are the wheel.
    pub fn click(&self, x: u32, y: u32, button: u32, times: u32) {
        let (x, y) = (x.to_string(), y.to_string());
        let (button, times) = (button.to_string(), times.to_string());
        // One run keeps the order. `--sync` would wait a quarter of a minute for a pointer that is there already.
        let to = ["mousemove", "--window", &self.id, &x, &y];
        let click = ["click", "--repeat", &times, "--delay", "20", &button];
        self.display.xdotool(&[&to[..], &click[..]].concat());
    }

    /// Does something with the mouse while a modifier is held, in xdotool's notation, for example `shift`.
    pub fn holding(&self, modifier: &str, act: impl FnOnce()) {
        self.display.xdotool(&["keydown", modifier]);
        act();
        self.display.xdotool(&["keyup", modifier]);
    }

    /// Presses a button and keeps it down.
    pub fn press(&self, button: u32) {
        self.display.xdotool(&["mousedown", &button.to_string()]);
    }

    /// Lets go of a button.
    pub fn release(&self, button: u32) {
        self.display.xdotool(&["mouseup", &button.to_string()]);
    }

    /// Presses the left button at one place, moves in steps, and lets go at another.
    pub fn drag(&self, from: (u32, u32), to: (u32, u32)) {
        self.point(from);
        self.press(1);
        let between = |step: u32| {
            let part = |from: u32, to: u32| (from * (4 - step) + to * step) / 4;
            (part(from.0, to.0), part(from.1, to.1))
        };
        (1..=4).for_each(|step| self.point(between(step)));
        self.release(1);
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, (x, y): (u32, u32)) {
        let (x, y) = (x.to_string(), y.to_string());
        self.display
            .xdotool(&["mousemove", "--window", &self.id, &x, &y]);
    }

    /// What was last selected on its display.
    #[must_use]
    pub fn primary(&self) -> String {
        let mut command = self.instance.home().command("xclip".as_ref());
        command
            .env("DISPLAY", self.display.name())
            .args(["-out", "-selection", "primary"]);
        Ctl::run(command).stdout
    }

    /// Clicks a place so many times in a row that this is selected. On a slow machine two clicks may come too far apart,
    /// so it tries again, but only when the first try was long enough ago: its clicks would count on.
    pub fn select(&self, (x, y): (u32, u32), clicks: u32, wanted: &str) {
        poll::until_ok(&format!("{wanted:?} to be selected"), PATIENCE, || {
            self.click(x, y, 1, clicks);
            let deadline = Instant::now() + Duration::from_secs(2);
            loop {
                let selected = self.primary();
                if selected == wanted {
                    return Ok(());
                }
                if Instant::now() >= deadline {
                    return Err(selected);
                }
            }
        });
    }

    /// Asks it to close, as the button of its frame does.
    pub fn close(&self) {
        self.focus();
        self.key(display::CLOSE_KEY);
    }

    /// Puts it away.
    pub fn minimise(&self) {
        self.display.xdotool(&["windowminimize", &self.id]);
    }

    /// Asks for a size; a window manager may grant another one.
    pub fn resize(&self, width: u32, height: u32) {
        self.display.xdotool(&[
            "windowsize",
            &self.id,
            &width.to_string(),
            &height.to_string(),
        ]);
    }

    /// The size it has.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        let text = self
            .display
            .xdotool(&["getwindowgeometry", "--shell", &self.id]);
        let field = |name: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
                .unwrap_or_else(|| panic!("no {name} in {text:?}"))
        };
        (field("WIDTH"), field("HEIGHT"))
    }

    /// What it shows, without what changes by itself.
    #[must_use]
    pub fn look(&self) -> RgbImage {
        picture::masked(self.picture(), &AGES)
    }

    /// Waits until it shows something else than before.
    pub fn await_change(&self, what: &str, before: &RgbImage) {
        poll::until(what, || {
            picture::compare(before, &self.look())
                .is_err()
                .then_some(())
        });
    }

    /// Waits until it shows the same as before.
    pub fn await_same(&self, what: &str, before: &RgbImage) {
        poll::until_ok(what, PATIENCE, || picture::compare(before, &self.look()));
    }

    /// A picture of the window once it has stopped changing: four in a row are the same.
    #[must_use]
    pub fn picture(&self) -> RgbImage {
        // The pointer would draw hover marks on whatever is below it.
        let (width, height) = self.size();
        let corner = (
            width.saturating_sub(2).to_string(),
            height.saturating_sub(2).to_string(),
        );
        self.display
            .xdotool(&["mousemove", "--window", &self.id, &corner.0, &corner.1]);
        let mut last = self.display.picture(&self.id);
        let mut same = 1;
        poll::until("the picture to stand still", || {
            std::thread::sleep(Duration::from_millis(250));
            let now = self.display.picture(&self.id);
            same = if now == last { same + 1 } else { 1 };
            last = now.clone();
            (same >= 4).then_some(now)
        })
    }
}

/// The program in the environment of a display without a graphics card.
fn command(home: &Home, display: &Display) -> Command {
    let mut command = home.nebula();
    command
        .env("DISPLAY", display.name())
        // The software Vulkan driver of Debian 12 presents black frames to X; without a driver the
        // program falls back to GL, which Mesa draws in software.
        .env("VK_DRIVER_FILES", "/dev/null")
        .env("LIBGL_ALWAYS_SOFTWARE", "1");
    command
}

/// The id of a visible window of a process.
fn visible(display: &Display, pid: u32) -> Option<String> {
    let pid = pid.to_string();
    let found = display.try_xdotool(&["search", "--onlyvisible", "--pid", &pid]);
    found.stdout.lines().next_back().map(str::to_owned)
}
