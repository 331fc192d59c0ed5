//! One pane under observation: what was seen last, and what of it is worth looking up again.

use std::time::Instant;

use crate::branch::BranchFinder;
use crate::ids::PaneId;
use crate::processes::{self, Program};
use crate::sampler::{Front, Sample, Target, Watch};

/// Remembers the last look at a pane.
#[derive(Debug, Default)]
pub(super) struct Looker {
    group: Option<u32>,
    /// The member of `group` whose program is shown.
    speaker: Option<u32>,
    program: Option<Program>,
    /// The root process was a shell when it was first seen. A pane may be started with a shell
    /// that this program has never heard of, and that is one as well.
    root_shell: Option<String>,
    branches: BranchFinder,
    sent: Option<Sample>,
}

impl Looker {
    /// Looks at a pane. `None` when nothing changed and nobody waits for a repetition.
    pub(super) fn look(&mut self, pane: PaneId, target: &Target, slow: bool) -> Option<Sample> {
        let taken = Instant::now();
        let group = target.terminal.foreground_group();
        let at_root = group == Some(target.root);
        // The name of a process changes when it starts its own program after the fork, so a name
        // is good only for as long as nothing else is expected: for a shell at its prompt.
        if group != self.group || !at_root || slow {
            self.speaker = group.and_then(|group| processes::speaker(group, self.speaker));
            self.program = self.speaker.and_then(processes::program);
            self.group = group;
        }
        if at_root && self.root_shell.is_none() {
            self.root_shell = self.program.as_ref().map(|program| program.name.clone());
        }
        let front = self.front(at_root);
        let program = match front {
            Front::Shell | Front::Unknown => None,
            Front::NestedShell | Front::Program => self.program.as_ref().map(|p| p.name.clone()),
        };
        let asks = matches!(target.watch, Watch::Submission | Watch::LostEnd);
        let shell_is_idle = asks && front == Front::Shell && processes::sleeps_alone(target.root);
        let before = self.sent.as_ref();
        let (directory, branch) = if slow {
            let told = target.told_directory.as_deref();
            let found = if told.is_none() {
                processes::directory(target.root)
            } else {
                None
            };
            let branch = told
                .or(found.as_deref())
                .and_then(|dir| self.branches.branch(dir));
            (found, branch)
        } else {
            (
                before.and_then(|sample| sample.directory.clone()),
                before.and_then(|sample| sample.branch.clone()),
            )
        };
        let sample = Sample {
            pane,
            taken,
            front,
            program,
            shell_is_idle,
            directory,
            branch,
        };
        let news = before.is_none_or(|before| {
            Sample {
                taken,
                ..before.clone()
            } != sample
        });
        let wanted = match target.watch {
            Watch::Off => false,
            Watch::Submission => matches!(front, Front::Shell | Front::NestedShell),
            Watch::LostEnd => shell_is_idle,
            Watch::Program => front == Front::Program,
        };
        if !news && !wanted && !target.stale {
            return None;
        }
        self.sent = Some(sample.clone());
        Some(sample)
    }

    fn front(&self, at_root: bool) -> Front {
        let Some(program) = &self.program else {
            return Front::Unknown;
        };
        if at_root {
            let same = self
                .root_shell
                .as_ref()
                .is_none_or(|name| *name == program.name);
            if same || program.interactive_shell {
                Front::Shell
            } else {
                Front::Program
            }
        } else if program.interactive_shell {
            Front::NestedShell
        } else {
            Front::Program
        }
    }
}
