//! The lines between panes, which can be dragged.

use gpui::{
    AppContext as _, Bounds, Context, CursorStyle, Empty, InteractiveElement as _, IntoElement,
    Pixels, Point, Render, StatefulInteractiveElement as _, Styled as _, Window, div, px, relative,
};
use gpui_component::ActiveTheme as _;
use protocol::SplitDirection;
use workspace::{Divider, SplitId};

use super::PaneArea;

/// How wide a divider can be grabbed; only its middle is drawn.
const GRIP: f32 = 7.0;

/// A divider under way.
#[derive(Clone, Copy)]
pub struct Dragged(Divider);

impl Dragged {
    /// The split it divides.
    pub fn split(&self) -> SplitId {
        self.0.split
    }

    /// The share of the first side when the divider is at `position`; `bounds` is the area of all panes.
    pub fn ratio_at(&self, position: Point<Pixels>, bounds: Bounds<Pixels>) -> f64 {
        let area = self.0.area;
        let (at, start, extent) = match self.0.direction {
            SplitDirection::LeftRight => {
                let width = f64::from(f32::from(bounds.size.width));
                (
                    position.x - bounds.left(),
                    area.x * width,
                    area.width * width,
                )
            }
            SplitDirection::TopBottom => {
                let height = f64::from(f32::from(bounds.size.height));
                (
                    position.y - bounds.top(),
                    area.y * height,
                    area.height * height,
                )
            }
        };
        (f64::from(f32::from(at)) - start) / extent.max(1.0)
    }
}

/// What follows the pointer while a divider is dragged: nothing, the panes themselves move.
impl Render for Dragged {
    fn render(&mut self, _: &mut Window, _: &mut Context<Self>) -> impl IntoElement {
        Empty
    }
}

/// The grip of one divider.
pub fn divider(divider: &Divider, cx: &mut Context<PaneArea>) -> impl IntoElement + use<> {
    let area = divider.area;
    let share = |value: f64| relative(value as f32);
    let accent = cx.theme().drag_border.opacity(0.6);
    let grip = div()
        .id((
            "divider",
            usize::try_from(divider.split.0).unwrap_or(usize::MAX),
        ))
        .absolute()
        .hover(move |style| style.bg(accent))
        .on_drag(Dragged(*divider), |dragged, _, _, cx| cx.new(|_| *dragged));
    match divider.direction {
        SplitDirection::LeftRight => grip
            .left(share(area.x + area.width * divider.ratio))
            .ml(px(-GRIP / 2.0))
            .w(px(GRIP))
            .top(share(area.y))
            .h(share(area.height))
            .cursor(CursorStyle::ResizeLeftRight),
        SplitDirection::TopBottom => grip
            .top(share(area.y + area.height * divider.ratio))
            .mt(px(-GRIP / 2.0))
            .h(px(GRIP))
            .left(share(area.x))
            .w(share(area.width))
            .cursor(CursorStyle::ResizeUpDown),
    }
}

#[cfg(test)]
mod tests {
    use gpui::{point, size};
    use workspace::Area;

    use super::*;

    #[test]
    fn the_ratio_is_that_of_the_divided_area() {
        let dragged = Dragged(Divider {
            split: SplitId(1),
            direction: SplitDirection::LeftRight,
            area: Area {
                x: 0.5,
                y: 0.0,
                width: 0.5,
                height: 1.0,
            },
            ratio: 0.5,
        });
        let bounds = Bounds::new(point(px(100.0), px(50.0)), size(px(800.0), px(600.0)));
        let ratio = dragged.ratio_at(point(px(100.0 + 400.0 + 100.0), px(0.0)), bounds);
        assert!((ratio - 0.25).abs() < 1e-6, "{ratio}");
    }
}
