//! Whether crates use only what the plan of the house lets them use.
//!
//! The plan is the table in `docs/architecture.md`: which crate of the workspace may use which. Here
//! stands only what that table does not say, namely which libraries stay inside which crates. Both are
//! compared with what cargo resolves, so that neither can rot in silence.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;

use anyhow::{Context, Result, bail};
use cargo_metadata::{DependencyKind, Metadata, PackageId};

use crate::workspace;

const PLAN: &str = "docs/architecture.md";

/// A library and the only members of the workspace that may name it in their manifest.
struct Kept {
    /// Name of the package; with a `*` at its end, the beginning of the name.
    library: &'static str,
    /// The members, by the path in the table.
    inside: &'static [&'static str],
    /// Whether tests and examples of other members may use it all the same.
    tests_may: bool,
    /// Whether other crates may not even reach it through another library.
    deep: bool,
}

const KEPT: &[Kept] = &[
    Kept {
        library: "gpui*",
        inside: &["app"],
        tests_may: false,
        deep: true,
    },
    Kept {
        library: "tokio",
        inside: &["crates/ssh"],
        tests_may: false,
        deep: true,
    },
    // The owner of the workspace needs its timer; everybody else who has it serves or calls.
    Kept {
        library: "smol",
        inside: &[
            "app",
            "crates/workspace",
            "crates/control",
            "crates/web",
            "crates/sessions",
            "crates/threads",
        ],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "axum",
        inside: &["crates/web", "crates/sessions", "crates/threads"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "hyper",
        inside: &["crates/web"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "alacritty_terminal",
        inside: &["crates/terminal"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "portable-pty",
        inside: &["crates/terminal"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "russh*",
        inside: &["crates/ssh"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "rusqlite",
        inside: &["crates/threads"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "notify",
        inside: &["crates/settings"],
        tests_may: true,
        deep: false,
    },
    Kept {
        library: "clap",
        inside: &["app", "xtask"],
        tests_may: false,
        deep: false,
    },
    // Crates have errors of their own, which say what the user can do.
    Kept {
        library: "anyhow",
        inside: &["app", "tests", "xtask"],
        tests_may: false,
        deep: false,
    },
];

/// The check.
pub fn check() -> Result<()> {
    let text = fs::read_to_string(workspace::root().join(PLAN))
        .with_context(|| format!("cannot read {PLAN}"))?;
    let plan = plan(&text)?;
    let metadata = workspace::metadata(true)?;
    let members = members(&metadata);
    let mut faults = against_plan(&plan, &members);
    faults.extend(members.iter().flat_map(direct_faults));
    faults.extend(deep_faults(&metadata, &members));
    if faults.is_empty() {
        println!("{} members keep to {PLAN}", members.len());
        return Ok(());
    }
    for fault in &faults {
        println!("{fault}");
    }
    bail!("the crates do not keep to the plan, see above");
}

/// What each member may use, by the paths of the table.
type Plan = BTreeMap<String, BTreeSet<String>>;

/// One member of the workspace as cargo sees it.
struct Member {
    id: PackageId,
    /// Path as in the table: `crates/terminal`, `app`.
    path: String,
    /// Members that it uses, by path.
    uses: BTreeSet<String>,
    /// Other packages it names, and whether for more than its tests.
    libraries: BTreeMap<String, bool>,
}

/// Reads the rows of the table whose first cell is the path of a member.
fn plan(text: &str) -> Result<Plan> {
    let mut plan = Plan::new();
    for line in text.lines() {
        let cells: Vec<_> = line
            .trim()
            .trim_matches('|')
            .split('|')
            .map(str::trim)
            .collect();
        let [path, _, uses, _] = cells.as_slice() else {
            continue;
        };
        let Some(path) = path
            .strip_prefix('`')
            .and_then(|path| path.strip_suffix('`'))
        else {
            continue;
        };
        let uses = if *uses == "all of the above" {
            plan.keys().cloned().collect()
        } else {
            // Only crates can be used, and the table names them without their directory.
            uses.split('`')
                .skip(1)
                .step_by(2)
                .map(|name| format!("crates/{name}"))
                .collect()
        };
        plan.insert(path.to_owned(), uses);
    }
    if plan.is_empty() {
        bail!("{PLAN} has no table of crates");
    }
    Ok(plan)
}

fn members(metadata: &Metadata) -> Vec<Member> {
    let packages = metadata.workspace_packages();
    let path_of = |manifest: &cargo_metadata::camino::Utf8Path| {
        let directory = manifest.parent()?;
        Some(
            directory
                .strip_prefix(&metadata.workspace_root)
                .ok()?
                .to_string(),
        )
    };
    packages
        .iter()
        .filter_map(|package| {
            let mut member = Member {
                id: package.id.clone(),
                path: path_of(&package.manifest_path)?,
                uses: BTreeSet::new(),
                libraries: BTreeMap::new(),
            };
            for dependency in &package.dependencies {
                let inside = dependency.path.as_ref().map(|path| path.join("Cargo.toml"));
                if let Some(path) = inside.as_deref().and_then(path_of) {
                    member.uses.insert(path);
                } else {
                    let shipped = dependency.kind != DependencyKind::Development;
                    *member.libraries.entry(dependency.name.clone()).or_default() |= shipped;
                }
            }
            Some(member)
        })
        .collect()
}

fn against_plan(plan: &Plan, members: &[Member]) -> Vec<String> {
    let mut faults = Vec::new();
    for Member { path, uses, .. } in members {
        let Some(allowed) = plan.get(path) else {
            faults.push(format!("{path} is not in the table of {PLAN}"));
            continue;
        };
        faults.extend(
            uses.difference(allowed)
                .map(|used| format!("{path} uses {used}, which {PLAN} does not let it")),
        );
    }
    faults
}

impl Kept {
    fn is(&self, library: &str) -> bool {
        match self.library.strip_suffix('*') {
            Some(beginning) => library.starts_with(beginning),
            None => library == self.library,
        }
    }

    fn lets(&self, member: &Member) -> bool {
        self.inside.contains(&member.path.as_str())
    }
}

fn direct_faults(member: &Member) -> Vec<String> {
    let mut faults = Vec::new();
    for (library, shipped) in &member.libraries {
        for kept in KEPT
            .iter()
            .filter(|kept| kept.is(library) && !kept.lets(member))
        {
            if *shipped || !kept.tests_may {
                let inside = kept.inside.join(", ");
                faults.push(format!(
                    "{} uses {library}, which stays in {inside}",
                    member.path
                ));
            }
        }
    }
    faults
}

/// Crates below the window must not drag in a window or another executor through a third library.
/// The window itself is above: what its libraries bring along is not its choice.
fn deep_faults(metadata: &Metadata, members: &[Member]) -> Vec<String> {
    let Some(resolve) = &metadata.resolve else {
        return Vec::new();
    };
    let names: HashMap<_, _> = metadata
        .packages
        .iter()
        .map(|package| (&package.id, package.name.as_str()))
        .collect();
    let nodes: HashMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let mut faults = Vec::new();
    for member in members
        .iter()
        .filter(|member| member.path.starts_with("crates/"))
    {
        let mut reached = HashSet::new();
        let mut open = vec![&member.id];
        while let Some(id) = open.pop() {
            if !reached.insert(id) {
                continue;
            }
            let shipped = nodes
                .get(id)
                .into_iter()
                .flat_map(|node| &node.deps)
                .filter(|edge| {
                    edge.dep_kinds
                        .iter()
                        .any(|kind| kind.kind == DependencyKind::Normal)
                });
            open.extend(shipped.map(|edge| &edge.pkg));
        }
        for kept in KEPT.iter().filter(|kept| kept.deep && !kept.lets(member)) {
            if reached
                .iter()
                .any(|id| names.get(id).is_some_and(|name| kept.is(name)))
            {
                let library = kept.library.trim_end_matches('*');
                faults.push(format!(
                    "{} reaches {library} through a library",
                    member.path
                ));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
| crate | what it is | uses | must never know |
|---|---|---|---|
| `crates/protocol` | types | – | sockets |
| `crates/runtime` | the hub | `protocol` | who executes |
| `app` | the binary | all of the above | – |
| `xtask` | tasks | – | – |

| thread | does |
|---|---|
| `owner` | all |
";

    fn member(path: &str, uses: &[&str], libraries: &[(&str, bool)]) -> Member {
        Member {
            id: PackageId {
                repr: path.to_owned(),
            },
            path: path.to_owned(),
            uses: uses.iter().map(|used| (*used).to_owned()).collect(),
            libraries: libraries
                .iter()
                .map(|(name, shipped)| ((*name).into(), *shipped))
                .collect(),
        }
    }

    #[test]
    fn the_table_is_the_plan() {
        let plan = plan(TABLE).unwrap();
        assert_eq!(
            plan.keys().collect::<Vec<_>>(),
            ["app", "crates/protocol", "crates/runtime", "xtask"]
        );
        assert_eq!(
            plan["app"].iter().collect::<Vec<_>>(),
            ["crates/protocol", "crates/runtime"]
        );
        assert!(super::plan("no table").is_err());
    }

    #[test]
    fn an_arrow_upward_and_a_crate_without_a_row_are_faults() {
        let plan = plan(TABLE).unwrap();
        let good = [
            member("crates/runtime", &["crates/protocol"], &[]),
            member("app", &["crates/runtime"], &[]),
        ];
        assert_eq!(against_plan(&plan, &good), Vec::<String>::new());
        let bad = [
            member("crates/protocol", &["crates/runtime"], &[]),
            member("crates/utils", &[], &[]),
        ];
        let faults = against_plan(&plan, &bad);
        assert_eq!(faults.len(), 2);
        assert!(faults[0].starts_with("crates/protocol uses crates/runtime"));
        assert!(faults[1].starts_with("crates/utils is not in the table"));
    }

    #[test]
    fn libraries_stay_where_they_belong() {
        let faults =
            |path, library, shipped| direct_faults(&member(path, &[], &[(library, shipped)])).len();
        assert_eq!(faults("crates/terminal", "gpui-component", false), 1);
        assert_eq!(faults("app", "gpui-component", true), 0);
        assert_eq!(faults("crates/control", "tokio", true), 1);
        assert_eq!(faults("crates/workspace", "alacritty_terminal", true), 1);
        assert_eq!(faults("xtask", "alacritty_terminal", false), 0);
        assert_eq!(faults("crates/workspace", "serde", true), 0);
    }
}
