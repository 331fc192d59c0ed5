//! Quoting for a POSIX shell.

/// One word of a command line, in single quotes unless it is harmless.
pub(crate) fn quote(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "/._-:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(harmless) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn a_shell_reads_it_as_one_word(text in "[^\u{0}]{0,20}") {
            let script = format!("printf %s {}", quote(&text));
            let out = std::process::Command::new("sh").arg("-c").arg(script).output().unwrap();
            prop_assert_eq!(out.stdout, text.into_bytes());
        }
    }
}
