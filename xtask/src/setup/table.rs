//! The table of what the system must have.

/// One thing that must be there.
pub struct Requirement {
    /// When it is needed.
    pub group: Group,
    /// What it is for, as told to the user.
    pub purpose: &'static str,
    /// How to see it.
    pub detect: Detect,
    /// The Debian package that brings it.
    pub package: &'static str,
}

/// When a requirement is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// To compile.
    Build,
    /// To open a window.
    Window,
    /// To run the tests.
    Tests,
    /// To run the tests against real SSH servers, which only root can.
    Servers,
    /// To compare with other programs in benches.
    Benches,
}

/// How to see whether something is there.
pub enum Detect {
    /// A program on `PATH`.
    Program(&'static str),
    /// A library with its headers, by the name that pkg-config knows.
    PkgConfig(&'static str),
    /// One of these shared libraries, as loaded at run time.
    Library(&'static [&'static str]),
    /// A font that matches a fontconfig pattern.
    Font(&'static str),
}

use Detect::{Font, Library, PkgConfig, Program};
use Group::{Benches, Build, Servers, Tests, Window};

const fn need(
    group: Group,
    package: &'static str,
    detect: Detect,
    purpose: &'static str,
) -> Requirement {
    Requirement {
        group,
        purpose,
        detect,
        package,
    }
}

/// Everything, in the order in which it is shown.
#[rustfmt::skip]
pub const REQUIREMENTS: &[Requirement] = &[
    need(Build, "gcc", Program("cc"), "links programs and compiles the C parts of libraries"),
    need(Build, "libc6-dev", Library(&["libc.so"]), "C library to link with"),
    need(Build, "pkg-config", Program("pkg-config"), "finds the libraries below"),
    need(Build, "libfontconfig-dev", PkgConfig("fontconfig"), "finds fonts"),
    need(Build, "libfreetype-dev", PkgConfig("freetype2"), "reads fonts"),
    need(Build, "libxcb1-dev", PkgConfig("xcb"), "windows under X11"),
    need(Build, "libxkbcommon-dev", PkgConfig("xkbcommon"), "keyboard layouts"),
    need(Build, "libxkbcommon-x11-dev", PkgConfig("xkbcommon-x11"), "keyboard layouts under X11"),

    need(Window, "libegl1", Library(&["libEGL.so.1"]), "OpenGL for the window"),
    need(Window, "libgl1-mesa-dri", Library(&["dri/swrast_dri.so", "libEGL_nvidia.so.0"]), "OpenGL driver"),
    need(Window, "libwayland-egl1", Library(&["libwayland-egl.so.1"]), "OpenGL under Wayland"),
    need(Window, "fontconfig", Program("fc-list"), "names the installed fonts"),
    need(Window, "fonts-dejavu-core", Font(":spacing=mono"), "a monospace font"),
    need(Window, "fonts-noto-cjk", Font(":lang=zh-cn"), "Chinese, Japanese and Korean characters"),

    need(Tests, "xvfb", Program("Xvfb"), "a display for tests of the window"),
    need(Tests, "openbox", Program("openbox"), "a window manager for tests of the window"),
    need(Tests, "xdotool", Program("xdotool"), "types and clicks in tests of the window"),
    need(Tests, "xclip", Program("xclip"), "reads what is selected in tests of the window"),
    need(Tests, "imagemagick", Program("import"), "takes pictures in tests of the window"),
    need(Tests, "zsh", Program("zsh"), "tests of shell integration"),
    need(Tests, "fish", Program("fish"), "tests of shell integration"),
    need(Tests, "procps", Program("kill"), "tests that end processes"),
    need(Tests, "vim", Program("vim"), "tests of programs that draw the whole screen"),
    need(Tests, "less", Program("less"), "tests of programs that draw the whole screen"),
    need(Tests, "htop", Program("htop"), "tests of programs that draw the whole screen"),
    need(Tests, "tmux", Program("tmux"), "the same, and a program to compare with in benches"),

    need(Servers, "openssh-server", Program("/usr/sbin/sshd"), "a server for tests of SSH"),
    need(Servers, "openssh-client", Program("ssh-keygen"), "keys for tests of SSH"),
    need(Servers, "dropbear-bin", Program("dropbearkey"), "another server for tests of SSH"),
    need(Servers, "libpam-google-authenticator", Library(&["security/pam_google_authenticator.so"]), "one-time codes in tests of SSH"),
    need(Servers, "ncat", Program("ncat"), "proxies in tests of SSH"),
    need(Servers, "openssl", Program("openssl"), "passwords in tests of SSH"),
    need(Servers, "iproute2", Program("ip"), "networks that are cut in tests of SSH"),

    need(Benches, "alacritty", Program("alacritty"), "a terminal to compare with"),
    need(Benches, "kitty", Program("kitty"), "a terminal to compare with"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_come_once_and_say_what_they_are_for() {
        let mut packages: Vec<_> = REQUIREMENTS.iter().map(|row| row.package).collect();
        assert!(REQUIREMENTS.iter().all(|row| !row.purpose.is_empty()));
        let rows = packages.len();
        packages.sort_unstable();
        packages.dedup();
        assert_eq!(packages.len(), rows);
    }
}
