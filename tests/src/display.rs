//! A private X server with a window manager.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use image::RgbImage;

use crate::ctl::{Ctl, Killed};
use crate::home::Home;
use crate::poll;

/// The key by which the window manager asks a window to close.
pub const CLOSE_KEY: &str = "super+F4";

/// The window manager takes no other key and no button: those of the tests belong to the window. Without a list of its own
/// it would move windows that are dragged with Alt.
const OPENBOX: &str = "\
<?xml version=\"1.0\"?>
<openbox_config xmlns=\"http://openbox.org/3.4/rc\">
  <desktops><number>1</number></desktops>
  <keyboard>
    <keybind key=\"W-F4\"><action name=\"Close\"/></keybind>
  </keyboard>
  <mouse>
    <context name=\"Client\">
      <mousebind button=\"Left\" action=\"Press\"><action name=\"Focus\"/></mousebind>
    </context>
  </mouse>
</openbox_config>
";

/// Xvfb and openbox on a display number that the X server chose itself.
#[derive(Debug)]
pub struct Display {
    name: String,
    home: Home,
    // Dropped in this order: clients before the server.
    _manager: Killed,
    _server: Killed,
}

impl Display {
    /// Starts both and waits until windows can be managed.
    ///
    /// # Panics
    /// When Xvfb, openbox or xdotool is missing; `cargo xtask setup` installs them.
    #[must_use]
    pub fn start() -> Self {
        let home = Home::new();
        let mut server = home.command(Path::new("Xvfb"));
        server
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1280x800x24",
                "-nolisten",
                "tcp",
            ])
            .args(["-noreset", "-dpi", "96"])
            .stdout(Stdio::piped());
        let mut server = Killed(spawn(server));
        let output = server.0.stdout.take().expect("stdout is piped");
        let mut number = String::new();
        BufReader::new(output)
            .read_line(&mut number)
            .expect("Xvfb prints its display number");
        assert!(!number.trim().is_empty(), "Xvfb ended at its start");
        let name = format!(":{}", number.trim());

        home.write("user/openbox.xml", OPENBOX);
        let mut manager = home.command(Path::new("openbox"));
        manager
            .args(["--config-file", "openbox.xml"])
            .env("DISPLAY", &name)
            .stdout(Stdio::null());
        let display = Self {
            name,
            _manager: Killed(spawn(manager)),
            _server: server,
            home,
        };
        poll::until("openbox to manage the screen", || {
            (display.try_xdotool(&["get_desktop"]).status == 0).then_some(())
        });
        display
    }

    /// The value of `DISPLAY`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Runs xdotool, which must succeed.
    pub fn xdotool(&self, arguments: &[&str]) -> String {
        let run = self.try_xdotool(arguments);
        assert_eq!(run.status, 0, "xdotool {arguments:?}: {run:?}");
        run.stdout
    }

    /// Runs xdotool.
    pub fn try_xdotool(&self, arguments: &[&str]) -> Ctl {
        let mut command = self.home.command(Path::new("xdotool"));
        command.env("DISPLAY", &self.name).args(arguments);
        Ctl::run(command)
    }

    /// A picture of a window, or of everything when `window` is `root`.
    #[must_use]
    pub fn picture(&self, window: &str) -> RgbImage {
        let path = self.home.user().join("picture.png");
        let mut command = self.home.command(Path::new("import"));
        command
            .env("DISPLAY", &self.name)
            .args(["-silent", "-window", window])
            .arg(&path);
        let run = Ctl::run(command);
        assert_eq!(run.status, 0, "import: {run:?}");
        image::open(&path)
            .expect("import writes a picture")
            .into_rgb8()
    }
}

fn spawn(mut command: Command) -> Child {
    command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_displays_stand_side_by_side() {
        let (one, other) = (Display::start(), Display::start());
        assert_ne!(one.name(), other.name());
        for display in [&one, &other] {
            assert_eq!(display.picture("root").dimensions(), (1280, 800));
        }
    }
}
