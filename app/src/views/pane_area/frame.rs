//! What stands around a pane: the header among several, the border that shows the focus, and the banner of a pane
//! whose process ended.

use gpui::{
    AnyElement, Context, InteractiveElement as _, IntoElement, ParentElement as _,
    StatefulInteractiveElement as _, Styled as _, WeakEntity, Window, div,
    prelude::FluentBuilder as _, px,
};
use gpui_component::button::{Button, ButtonVariants as _};
use gpui_component::{ActiveTheme as _, Icon, IconName, Sizable as _, h_flex, v_flex};
use protocol::SplitDirection;
use rust_i18n::t;
use workspace::PaneId;

use super::PaneArea;
use crate::views::content::PaneFrame;
use crate::views::state_mark;
use crate::views::workspace_view::WorkspaceView;

/// How much unfocused panes are dimmed.
const DIM: f32 = 0.22;

/// How a pane stands among the others.
#[derive(Clone, Copy)]
pub struct Look {
    /// There are others in this tab.
    pub several: bool,
    /// It hides them for the moment.
    pub zoomed: bool,
    /// It has the keys.
    pub focused: bool,
}

/// A pane with everything around it; `view` is absent when its process could not be started.
pub fn frame(
    frame: &PaneFrame,
    look: Look,
    view: Option<AnyElement>,
    root: &WeakEntity<WorkspaceView>,
    cx: &mut Context<PaneArea>,
) -> AnyElement {
    let theme = cx.theme();
    let border = if look.focused {
        theme.ring
    } else {
        theme.border
    };
    let veil = theme.background.opacity(DIM);
    let dim = look.several && !look.focused;
    let content = div()
        .relative()
        .flex_1()
        .min_h_0()
        .w_full()
        .children(view)
        .when(dim, |it| it.child(div().absolute().inset_0().bg(veil)));
    v_flex()
        .size_full()
        .overflow_hidden()
        .when(look.several, |it| it.border_1().border_color(border))
        .when(look.several, |it| it.child(header(frame, look, root, cx)))
        .child(content)
        .when_some(frame.ended.clone(), |it, ended| {
            it.child(banner(frame.pane, &ended, root, cx))
        })
        .into_any_element()
}

fn header(
    frame: &PaneFrame,
    look: Look,
    root: &WeakEntity<WorkspaceView>,
    cx: &mut Context<PaneArea>,
) -> AnyElement {
    let pane = frame.pane;
    let theme = cx.theme();
    let text = if look.focused {
        theme.foreground
    } else {
        theme.muted_foreground
    };
    let ground = theme.tab_bar;
    let group = format!("pane-header-{pane}");
    let zoom_text = if look.zoomed {
        t!("pane.unzoom")
    } else {
        t!("pane.zoom")
    };
    let zoom_icon = if look.zoomed {
        IconName::Minimize
    } else {
        IconName::Maximize
    };
    let split = |direction| {
        move |view: &mut WorkspaceView, window: &mut Window, cx: &mut Context<WorkspaceView>| {
            view.split(pane, direction, window, cx);
        }
    };
    let zoom = !look.zoomed;
    let buttons = h_flex()
        .flex_none()
        .invisible()
        .group_hover(group.clone(), |style| style.visible())
        .child(button(
            "right",
            IconName::PanelRight,
            t!("pane.split_right"),
            root,
            split(SplitDirection::LeftRight),
        ))
        .child(button(
            "down",
            IconName::PanelBottom,
            t!("pane.split_down"),
            root,
            split(SplitDirection::TopBottom),
        ))
        .child(button(
            "zoom",
            zoom_icon,
            zoom_text,
            root,
            move |view, _, cx| {
                view.act(cx, |workspace| workspace.zoom(pane, zoom));
            },
        ))
        .child(button(
            "close",
            IconName::Close,
            t!("pane.close"),
            root,
            move |view, window, cx| {
                view.close_pane(pane, window, cx);
            },
        ));
    let zoomed = look.zoomed.then(|| {
        div()
            .flex_none()
            .text_color(theme.muted_foreground)
            .child(t!("pane.zoomed").into_owned())
    });
    let root = root.clone();
    h_flex()
        .id(("pane-header", usize::try_from(pane.0).unwrap_or(usize::MAX)))
        .group(group)
        .flex_none()
        .h(px(24.0))
        .w_full()
        .px_2()
        .gap_2()
        .text_xs()
        .text_color(text)
        .bg(ground)
        .child(state_mark::icon(frame.state, cx))
        .child(
            div()
                .flex_1()
                .min_w_0()
                .truncate()
                .child(frame.title.clone()),
        )
        .children(zoomed)
        .child(buttons)
        .on_click(move |_, window, cx| {
            if let Some(root) = root.upgrade() {
                root.update(cx, |root, cx| root.focus_pane(pane, window, cx));
            }
        })
        .into_any_element()
}

fn button(
    id: &'static str,
    icon: IconName,
    tooltip: std::borrow::Cow<'static, str>,
    root: &WeakEntity<WorkspaceView>,
    act: impl Fn(&mut WorkspaceView, &mut Window, &mut Context<WorkspaceView>) + 'static,
) -> Button {
    let root = root.clone();
    Button::new(id)
        .icon(icon)
        .ghost()
        .xsmall()
        .tooltip(tooltip.into_owned())
        .on_click(move |_, window, cx| {
            cx.stop_propagation();
            if let Some(root) = root.upgrade() {
                root.update(cx, |root, cx| act(root, window, cx));
            }
        })
}

fn banner(
    pane: PaneId,
    text: &str,
    root: &WeakEntity<WorkspaceView>,
    cx: &mut Context<PaneArea>,
) -> AnyElement {
    let theme = cx.theme();
    let act = |id: &'static str, label: std::borrow::Cow<'static, str>| {
        Button::new(id).label(label.into_owned()).small()
    };
    let (again, close) = (root.clone(), root.clone());
    h_flex()
        .id(("ended", usize::try_from(pane.0).unwrap_or(usize::MAX)))
        .role(gpui::Role::Alert)
        .flex_none()
        .w_full()
        .gap_2()
        .px_3()
        .py_2()
        .border_t_1()
        .border_color(theme.border)
        .bg(theme.tab_bar)
        .text_sm()
        .child(
            Icon::new(IconName::CircleX)
                .small()
                .text_color(theme.danger),
        )
        .child(div().flex_1().min_w_0().child(text.to_owned()))
        .child(
            act("restart", t!("pane.restart"))
                .primary()
                .on_click(move |_, _, cx| {
                    if let Some(root) = again.upgrade() {
                        root.update(cx, |root, cx| {
                            root.act(cx, |workspace| workspace.restart(pane));
                        });
                    }
                }),
        )
        .child(
            act("dismiss", t!("confirm.close")).on_click(move |_, window, cx| {
                if let Some(root) = close.upgrade() {
                    root.update(cx, |root, cx| root.close_pane(pane, window, cx));
                }
            }),
        )
        .into_any_element()
}
