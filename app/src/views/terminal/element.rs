//! The element that draws one terminal.
//!
//! Layout gives it an area; the grid is the whole cells that fit. Each paint takes one picture from the terminal, so
//! the terminal's lock is held once a frame and for a copy only. Nothing is painted for a pane that is not in the
//! element tree.

use gpui::{
    App, Bounds, CursorStyle, Element, ElementId, ElementInputHandler, Entity, GlobalElementId,
    Hitbox, HitboxBehavior, Hsla, InspectorElementId, IntoElement, LayoutId, Pixels, Style, Window,
    fill, px, relative, size,
};
use terminal::{CursorShape, GridSize};

use super::cursor::{Caret, paint_preedit};
use super::painter::{Grid, Painter, paint_ground};
use crate::views::fonts::CellMetrics;
use crate::views::grid_font::GridFont;
use crate::views::pane_view::{PaneLayout, PaneView};
use crate::views::theme::ActiveTheme;
use crate::views::theme::palette::Colours;

/// Room between the border of the pane and its cells, in logical pixels.
const PADDING: f32 = 6.0;

/// See the module.
pub struct TerminalElement {
    view: Entity<PaneView>,
}

impl TerminalElement {
    /// Draws the terminal of `view`.
    pub fn new(view: Entity<PaneView>) -> Self {
        Self { view }
    }
}

/// Where the pointer is over something of the pane.
pub struct Hitboxes {
    pane: Hitbox,
    /// Above the pane, while there is something to scroll.
    scrollbar: Option<Hitbox>,
}

/// The grid that fits into `bounds`; at least one cell.
fn layout(bounds: Bounds<Pixels>, metrics: CellMetrics) -> PaneLayout {
    let device = |value: Pixels| (f32::from(value) * metrics.scale).round() as i32;
    let padding = device(px(PADDING));
    let (width, height) = (device(bounds.size.width), device(bounds.size.height));
    let fit = |room: i32, cell: i32| {
        u16::try_from((room - 2 * padding) / cell)
            .unwrap_or(0)
            .max(1)
    };
    let pixels = |value: i32| u16::try_from(value).unwrap_or(u16::MAX);
    let size = GridSize {
        columns: fit(width, metrics.width),
        lines: fit(height, metrics.height),
        cell_width: pixels(metrics.width),
        cell_height: pixels(metrics.height),
    };
    let origin = (
        device(bounds.left()) + padding,
        device(bounds.top()) + padding,
    );
    PaneLayout {
        bounds,
        grid: Grid { origin, metrics },
        size,
    }
}

impl IntoElement for TerminalElement {
    type Element = Self;

    fn into_element(self) -> Self {
        self
    }
}

impl Element for TerminalElement {
    type RequestLayoutState = ();
    type PrepaintState = (Hitboxes, PaneLayout);

    fn id(&self) -> Option<ElementId> {
        None
    }

    fn source_location(&self) -> Option<&'static core::panic::Location<'static>> {
        None
    }

    fn request_layout(
        &mut self,
        _: Option<&GlobalElementId>,
        _: Option<&InspectorElementId>,
        window: &mut Window,
        cx: &mut App,
    ) -> (LayoutId, ()) {
        let mut style = Style::default();
        style.size.width = relative(1.0).into();
        style.size.height = relative(1.0).into();
        (window.request_layout(style, [], cx), ())
    }

    fn prepaint(
        &mut self,
        _: Option<&GlobalElementId>,
        _: Option<&InspectorElementId>,
        bounds: Bounds<Pixels>,
        (): &mut (),
        window: &mut Window,
        cx: &mut App,
    ) -> Self::PrepaintState {
        let glyphs = GridFont::glyphs(window, cx);
        let layout = layout(bounds, glyphs.borrow().metrics());
        let pane = window.insert_hitbox(bounds, HitboxBehavior::Normal);
        let track = self.view.read(cx).extent().track(bounds);
        let scrollbar = track.map(|track| window.insert_hitbox(track, HitboxBehavior::Normal));
        (Hitboxes { pane, scrollbar }, layout)
    }

    fn paint(
        &mut self,
        _: Option<&GlobalElementId>,
        _: Option<&InspectorElementId>,
        bounds: Bounds<Pixels>,
        (): &mut (),
        (hitboxes, layout): &mut Self::PrepaintState,
        window: &mut Window,
        cx: &mut App,
    ) {
        let layout = *layout;
        let focus = self.view.update(cx, |view, cx| {
            view.refresh(layout, window, cx);
            gpui::Focusable::focus_handle(view, cx)
        });
        window.handle_input(
            &focus,
            ElementInputHandler::new(bounds, self.view.clone()),
            cx,
        );
        PaneView::listen_to_mouse(&self.view, &hitboxes.pane, window);
        window.set_cursor_style(self.view.read(cx).pointer_style(), &hitboxes.pane);
        if let Some(scrollbar) = &hitboxes.scrollbar {
            window.set_cursor_style(CursorStyle::Arrow, scrollbar);
        }

        let mask = gpui::ContentMask { bounds };
        tracing::trace!(pane = self.view.read(cx).pane().0, "a grid is painted");
        window.with_content_mask(Some(mask), |window| self.paint_grid(layout, window, cx));
    }
}

impl TerminalElement {
    fn paint_grid(&self, layout: PaneLayout, window: &mut Window, cx: &mut App) {
        let glyphs = GridFont::glyphs(window, cx);
        let palette = cx.global::<ActiveTheme>().palette.clone();
        let view = self.view.read(cx);
        let frame = &view.frame;
        let colours = Colours {
            theme: &palette,
            changed: &frame.palette,
        };
        // The mask cuts off what makes up for the rounding to device pixels.
        let mut ground = layout.bounds;
        ground.size = ground.size + size(px(1.0), px(1.0));
        paint_ground(ground, colours.background(), window);

        let active = view.is_active(window);
        let caret = frame
            .cursor
            .filter(|_| view.cursor_is_on())
            .map(|cursor| Caret {
                row: cursor.line,
                column: cursor.column,
                cells: 1 + usize::from(cursor.wide),
                shape: cursor.shape,
                focused: active,
            });
        let caret = caret.filter(|caret| caret.shape != CursorShape::Hidden);

        let mut painter = Painter {
            grid: layout.grid,
            frame,
            colours,
            glyphs: &mut glyphs.borrow_mut(),
            covered: caret.and_then(|caret| caret.covers()),
        };
        painter.paint_grounds(window);
        if let Some(caret) = caret {
            caret.paint_under(&layout.grid, &colours, window);
        }
        painter.paint_text(window);
        if let Some(caret) = caret {
            caret.paint_over(&layout.grid, &colours, window);
        }

        let extent = view.extent();
        if let Some(track) = extent.track(layout.bounds) {
            let strength = if extent.offset > 0 { 0.55 } else { 0.25 };
            let colour = Hsla::from(colours.foreground()).opacity(strength);
            window.paint_quad(fill(extent.thumb(track), colour).corner_radii(px(2.0)));
        }

        let preedit = view.preedit();
        let place = frame
            .cursor
            .map(|cursor| (cursor.line, cursor.column, frame.columns));
        if let Some(place) = place.filter(|_| !preedit.is_empty()) {
            let changed = frame.palette.clone();
            let colours = Colours {
                theme: &palette,
                changed: &changed,
            };
            let glyphs = glyphs.borrow();
            paint_preedit(&preedit, place, &layout.grid, &colours, &glyphs, window, cx);
        }
    }
}
