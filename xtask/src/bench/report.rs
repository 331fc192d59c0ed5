//! A Markdown table with the machine it was measured on, printed and kept in a page.

use std::path::Path;
use std::{fmt, fs, io};

use anyhow::{Context, Result};

/// The result of one bench.
pub struct Report {
    /// Name of the bench, `terminal`; marks its place in the page.
    pub name: &'static str,
    /// Heading of the section.
    pub title: &'static str,
    /// What was done, and what one must know to read the figures.
    pub notes: Vec<String>,
    /// Head of the table.
    pub columns: Vec<&'static str>,
    /// Its rows.
    pub rows: Vec<Vec<String>>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "## {}\n", self.title)?;
        for note in &self.notes {
            writeln!(f, "{note}")?;
        }
        writeln!(f, "Measured on {}.\n", machine())?;
        writeln!(f, "| {} |", self.columns.join(" | "))?;
        let rule: Vec<_> = (0..self.columns.len())
            .map(|column| if column == 0 { "---" } else { "---:" })
            .collect();
        writeln!(f, "|{}|", rule.join("|"))?;
        for row in &self.rows {
            writeln!(f, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

impl Report {
    /// Puts the section into a page: in the place of the one with the same name, else at the end.
    pub fn write(&self, file: &Path) -> Result<()> {
        let page = match fs::read_to_string(file) {
            Ok(page) => page,
            Err(error) if error.kind() == io::ErrorKind::NotFound => "# Benchmarks\n".to_owned(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", file.display()));
            }
        };
        fs::write(file, self.placed(&page))
            .with_context(|| format!("cannot write {}", file.display()))
    }

    fn placed(&self, page: &str) -> String {
        let (start, end) = (
            format!("<!-- bench {} -->\n", self.name),
            format!("<!-- end of bench {} -->\n", self.name),
        );
        let section = format!("{start}{self}{end}");
        let old = page.split_once(&start).and_then(|(before, rest)| {
            rest.split_once(&end)
                .map(|(_, after)| format!("{before}{section}{after}"))
        });
        old.unwrap_or_else(|| format!("{}\n\n{section}", page.trim_end()))
    }
}

/// Processor, number of cores and operating system, without names of the machine or its user.
fn machine() -> String {
    let value = |file: &str, key: &str, separator: char| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let value = text.lines().find_map(|line| {
            let (name, value) = line.split_once(separator)?;
            (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
        });
        value.unwrap_or_else(|| "unknown".to_owned())
    };
    let processor = value("/proc/cpuinfo", "model name", ':');
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let system = value("/etc/os-release", "PRETTY_NAME", '=');
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!(
        "{processor}, {cores} cores, {system}, Linux {}",
        kernel.trim()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(figure: &str) -> Report {
        Report {
            name: "x",
            title: "X",
            notes: vec!["How.".into()],
            columns: vec!["what", "time"],
            rows: vec![vec!["a".into(), figure.into()]],
        }
    }

    #[test]
    fn a_section_is_replaced_in_its_place() {
        let first = report("1 ms").placed("# Benchmarks\n");
        assert!(
            first.starts_with("# Benchmarks\n\n<!-- bench x -->\n## X\n\nHow.\n"),
            "{first}"
        );
        assert!(
            first.contains("| what | time |\n|---|---:|\n| a | 1 ms |\n<!-- end"),
            "{first}"
        );
        let page = format!("{first}\nBelow.\n");
        let second = report("2 ms").placed(&page);
        assert_eq!(second, page.replace("1 ms", "2 ms"));
    }
}
