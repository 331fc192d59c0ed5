//! The bytes that terminals are flooded with: the same in every run and on every machine.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Words of plain text, as compilers and logs print them.
    Ascii,
    /// Colours and attributes with many changes, and Chinese text of double width.
    Styled,
}

impl Stream {
    /// Both, in the order of the tables.
    pub const ALL: [Self; 2] = [Self::Ascii, Self::Styled];

    /// As the tables call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ASCII",
            Self::Styled => "SGR+CJK",
        }
    }

    /// Makes the file of this stream with at least `bytes` bytes, up to the end of a line.
    pub fn generate(self, directory: &Path, bytes: usize) -> Result<PathBuf> {
        let path = directory.join(format!("{}-{bytes}.txt", self.name().to_lowercase()));
        if path.is_file() {
            return Ok(path);
        }
        // A run that was stopped must not leave a short file under the name.
        let part = path.with_extension("part");
        let file =
            File::create(&part).with_context(|| format!("cannot create {}", part.display()))?;
        let mut writer = BufWriter::with_capacity(1 << 20, file);
        let mut random = Random(0x4e65_6275_6c61);
        let mut written = 0;
        let mut line = Vec::new();
        while written < bytes {
            line.clear();
            match self {
                Self::Ascii => ascii_line(&mut random, &mut line),
                Self::Styled => styled_line(&mut random, &mut line),
            }
            writer.write_all(&line)?;
            written += line.len();
        }
        writer.into_inner().context("cannot write the stream")?;
        fs::rename(&part, &path)?;
        Ok(path)
    }
}

/// xorshift64: good enough to be unlike a pattern, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn letter(&mut self) -> u8 {
        b'a' + self.below(26) as u8
    }
}

/// Words of 1 to 10 letters, lines of up to 110 columns, some of them short.
fn ascii_line(random: &mut Random, line: &mut Vec<u8>) {
    let length = 10 + random.below(100) as usize;
    while line.len() < length {
        for _ in 0..=random.below(10) {
            line.push(random.letter());
        }
        line.push(b' ');
    }
    line.extend_from_slice(b"\r\n");
}

/// Pieces of one style each: palette and direct colours, bold, underline; Latin and Chinese words.
fn styled_line(random: &mut Random, line: &mut Vec<u8>) {
    for _ in 0..4 + random.below(8) {
        let style = match random.below(6) {
            0 => format!("\x1b[{}m", 31 + random.below(6)),
            1 => format!("\x1b[38;5;{}m", random.below(256)),
            2 => {
                let (red, green, blue) = (random.below(256), random.below(256), random.below(256));
                format!("\x1b[38;2;{red};{green};{blue}m")
            }
            3 => format!("\x1b[1;4;{}m", 91 + random.below(6)),
            4 => format!("\x1b[48;5;{}m", random.below(256)),
            _ => "\x1b[0m".to_owned(),
        };
        line.extend_from_slice(style.as_bytes());
        for _ in 0..=random.below(5) {
            if random.below(2) == 0 {
                line.push(random.letter());
            } else {
                let code = 0x4e00 + random.below(0x5000) as u32;
                let mut bytes = [0; 4];
                let character = char::from_u32(code).unwrap_or('界');
                line.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
            }
        }
    }
    line.extend_from_slice(b"\x1b[0m\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_text_of_the_wanted_size_and_always_the_same() {
        for stream in Stream::ALL {
            let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let first = fs::read_to_string(stream.generate(one.path(), 100_000).unwrap()).unwrap();
            let second = fs::read_to_string(stream.generate(two.path(), 100_000).unwrap()).unwrap();
            assert_eq!(first, second);
            assert!((100_000..101_000).contains(&first.len()));
            assert!(first.ends_with("\r\n"));
            assert_eq!(first.is_ascii(), stream == Stream::Ascii);
        }
    }
}
