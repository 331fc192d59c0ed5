//! `docs/settings.md`, made from the types so that it cannot say anything else than the code.

use crate::fields::{Allowed, Field, fields, sections};
use crate::keymap::Action;

const HEAD: &str = "\
# Settings

<!-- Made from the types of `crates/settings` by `cargo xtask docs --write`; changes here are lost. -->

Two files in the configuration directory (`~/.config/nebula` on Linux, or `$NEBULA_CONFIG_DIR`) hold
everything that can be set. Both may be missing; a key that is left out has its default. A change takes
effect when the file is saved. A value that cannot be used is reported with file, line and what is
allowed, and the last good one stays in force; an unknown key is reported and otherwise ignored. The
settings tab (`ctrl-,`) edits the same file and keeps comments and order.

## `settings.toml`
";

const KEYS: &str = "
## `keymap.toml`

Under `[keys]`, each action takes a key, a list of keys, or `[]` for none, instead of its default keys:

```toml
[keys]
new_tab = \"ctrl-t\"
copy = [\"ctrl-shift-c\", \"super-c\"]
quit = []
```

A key is written with its modifiers (`ctrl`, `alt`, `super`, `shift`) before it, joined by `-`. A symbol
is written as it is typed, without `shift`: `ctrl-+`. A key does one thing: one that the file gives to
two actions stays with the first, and one that it takes from a default is reported, unless the other
action is in the file too.

| Action | Default keys | What it does |
|---|---|---|
";

/// The whole page, in Markdown.
pub fn documentation() -> String {
    let mut page = HEAD.to_owned();
    for (section, doc) in sections() {
        page.push_str(&format!("\n### `[{section}]`\n\n{doc}\n\n"));
        page.push_str("| Key | Values | Default | What it does |\n|---|---|---|---|\n");
        for field in fields().iter().filter(|field| field.section() == section) {
            row(&mut page, field);
        }
    }
    page.push_str(KEYS);
    for action in Action::ALL {
        let keys: Vec<_> = action.default_keys().iter().map(|key| code(key)).collect();
        page.push_str(&format!(
            "| `{action}` | {} | {} |\n",
            keys.join(" "),
            action.doc()
        ));
    }
    page
}

fn row(page: &mut String, field: &Field) {
    let doc = cell(&field.doc);
    let default = code(field.default.to_string().trim());
    page.push_str(&format!(
        "| `{}` | {} | {default} | {doc} |\n",
        field.name(),
        values(field)
    ));
}

fn values(field: &Field) -> String {
    match &field.allowed {
        Allowed::Bool => "`true`, `false`".to_owned(),
        Allowed::Choice(choices) => choices
            .iter()
            .map(|choice| format!("{}: {}", code(&format!("\"{}\"", choice.value)), choice.doc))
            .map(|line| cell(&line))
            .collect::<Vec<_>>()
            .join("<br>"),
        other => cell(&other.to_string()),
    }
}

/// Code in a table cell; two backticks admit one inside.
fn code(text: &str) -> String {
    let quoted = if text.contains('`') {
        format!("`` {text} ``")
    } else {
        format!("`{text}`")
    };
    cell(&quoted)
}

/// A pipe would end the cell, in code as well.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_action_has_a_row() {
        let page = documentation();
        for field in fields() {
            assert_eq!(
                page.matches(&format!("\n| `{}` |", field.name())).count(),
                1,
                "{field:?}"
            );
        }
        for action in Action::ALL {
            assert_eq!(
                page.matches(&format!("\n| `{action}` |")).count(),
                1,
                "{action}"
            );
        }
        assert!(page.contains("a number from 6 to 72"), "{page}");
    }

    #[test]
    fn rows_have_the_cells_of_their_head() {
        for line in documentation()
            .lines()
            .filter(|line| line.starts_with("| `"))
        {
            let cells = line.replace("\\|", "").matches('|').count();
            assert!(cells == 5 || cells == 4, "{line}");
        }
    }
}
