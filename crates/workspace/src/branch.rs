//! The git branch of a directory, read from the files of the repository.
//!
//! No `git` is started for it: a prompt with ten panes would start one every few seconds.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A `HEAD` and a `.git` file are one short line.
const FILE_MAX: u64 = 4096;
/// Letters of a commit id that are shown where no branch is checked out.
const COMMIT_SHOWN: usize = 8;
/// Directories looked at on the way up.
const DEPTH_MAX: usize = 64;

/// Finds the branch of one directory again and again, and remembers where its `HEAD` is.
#[derive(Debug, Default)]
pub(crate) struct BranchFinder {
    found: Option<(PathBuf, PathBuf)>,
}

impl BranchFinder {
    /// The name of the branch, the start of the commit id where none is checked out, `None`
    /// outside of repositories.
    pub(crate) fn branch(&mut self, directory: &Path) -> Option<String> {
        if let Some((known, head)) = &self.found
            && known == directory
            && let Some(line) = first_line(head)
        {
            return branch_name(&line);
        }
        self.found = None;
        let head = find_head(directory)?;
        let name = first_line(&head).and_then(|line| branch_name(&line));
        self.found = Some((directory.to_owned(), head));
        name
    }
}

fn find_head(directory: &Path) -> Option<PathBuf> {
    for ancestor in directory.ancestors().take(DEPTH_MAX) {
        let git = ancestor.join(".git");
        let head = git.join("HEAD");
        if head.is_file() {
            return Some(head);
        }
        // A worktree or a submodule has a file that says where its repository is.
        if let Some(line) = first_line(&git)
            && let Some(target) = line.strip_prefix("gitdir:")
        {
            return Some(ancestor.join(target.trim()).join("HEAD"));
        }
    }
    None
}

fn first_line(path: &Path) -> Option<String> {
    // Opening something else, such as a named pipe, might never return.
    if !path.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path)
        .ok()?
        .take(FILE_MAX)
        .read_to_string(&mut text)
        .ok()?;
    text.lines().next().map(str::to_owned)
}

fn branch_name(head: &str) -> Option<String> {
    let name = match head.strip_prefix("ref:") {
        Some(reference) => {
            let reference = reference.trim();
            reference
                .strip_prefix("refs/heads/")
                .unwrap_or(reference)
                .to_owned()
        }
        None => head.trim().chars().take(COMMIT_SHOWN).collect(),
    };
    let shown = !name.is_empty() && !name.chars().any(char::is_control);
    shown.then_some(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn heads_name_branches_or_commits() {
        assert_eq!(
            branch_name("ref: refs/heads/feature/x").as_deref(),
            Some("feature/x")
        );
        assert_eq!(
            branch_name("0123456789abcdef0123").as_deref(),
            Some("01234567")
        );
        assert_eq!(branch_name(""), None);
        assert_eq!(branch_name("ref: refs/heads/a\u{1b}[2J"), None);
    }

    #[test]
    fn a_repository_is_found_from_below_and_its_changes_are_seen() {
        let place = tempfile::tempdir().expect("a directory");
        let below = place.path().join("src/deep");
        fs::create_dir_all(&below).expect("created");
        let mut finder = BranchFinder::default();
        assert_eq!(finder.branch(&below), None);
        let git = place.path().join(".git");
        fs::create_dir(&git).expect("created");
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("written");
        assert_eq!(finder.branch(&below).as_deref(), Some("main"));
        fs::write(git.join("HEAD"), "ref: refs/heads/next\n").expect("written");
        assert_eq!(finder.branch(&below).as_deref(), Some("next"));
        fs::remove_dir_all(&git).expect("removed");
        assert_eq!(finder.branch(&below), None);
    }

    #[test]
    fn worktrees_are_followed() {
        let place = tempfile::tempdir().expect("a directory");
        let real = place.path().join("real");
        let tree = place.path().join("tree");
        fs::create_dir_all(&real).expect("created");
        fs::create_dir_all(&tree).expect("created");
        fs::write(real.join("HEAD"), "ref: refs/heads/side\n").expect("written");
        fs::write(tree.join(".git"), "gitdir: ../real\n").expect("written");
        assert_eq!(
            BranchFinder::default().branch(&tree).as_deref(),
            Some("side")
        );
    }
}
