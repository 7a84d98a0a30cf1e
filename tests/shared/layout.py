"""What is wrong with the layout of a page: text that is cut, off the screen, or printed over other text.

The check runs in the page. It looks into shadow roots, and at what was written onto canvases, which `LISTEN` notes.
"""

SIZES = {
    "phone": (390, 844),
    "tablet": (820, 1180),
    "1024": (1024, 768),
    "1280": (1280, 720),
    "1366": (1366, 768),
    "1440": (1440, 900),
    "1920": (1920, 1080),
    "zoomed to 200 %": (640, 360),  # half of 1280×720 in CSS pixels
}

# An init script: notes where each text was written onto a canvas since it was last cleared, in CSS pixels.
LISTEN = """
(() => {
  const pens = CanvasRenderingContext2D.prototype;
  const [write, reset] = [pens.fillText, pens.reset];
  pens.reset = function () {
    this.canvas.written = [];
    return reset.call(this);
  };
  pens.fillText = function (text, x, y, most) {
    const size = this.measureText(text);
    const narrowed = Math.min(1, (most ?? Infinity) / Math.max(size.width, 1e-9));
    const at = (u, v) => this.getTransform().transformPoint(new DOMPoint(u, v));
    const one = at(x - narrowed * size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent);
    const other = at(x + narrowed * size.actualBoundingBoxRight, y + size.actualBoundingBoxDescent);
    (this.canvas.written ??= []).push([`${text}`, one.x, one.y, other.x, other.y]);
    return write.apply(this, arguments);
  };
})();
"""

_TROUBLES = """
() => {
  const slack = 1.5; // pixels that neither overflow nor overlap
  const found = [];
  const quoted = (text) => `“${text.trim().slice(0, 50)}”`;
  const say = (trouble, ...texts) => found.push(`${trouble}: ${texts.map(quoted).join(" and ")}`);
  const visible = (el) => el.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const hides = (style) => /hidden|clip/.test(style.overflowX);
  const parentOf = (el) => el.assignedSlot ?? el.parentElement ?? el.getRootNode().host ?? null;
  const boxes = []; // { text, owner, left, top, right, bottom } of every line of text that can be seen

  // A box as far as the frames around it show it; null if they show nothing of it. Text cut by a frame that does not
  // scroll is a trouble, except what is only there for screen readers.
  const seen = (box, el) => {
    let { left, top, right, bottom } = box;
    for (let up = el; up; up = parentOf(up)) {
      const style = getComputedStyle(up);
      if (style.clipPath.startsWith("inset(50%") || style.clip === "rect(0px, 0px, 0px, 0px)") return null;
      if (style.position === "fixed") return { ...box, left, top, right, bottom, fixed: true };
      const frame = up.getBoundingClientRect();
      const scrolls = /auto|scroll/.test(style.overflowX);
      if (style.display === "inline" || style.display === "contents") continue;
      if (hides(style) && frame.width > 1 && (left < frame.left - slack || right > frame.right + slack)) {
        if (right > frame.left && left < frame.right) say("cut", box.text);
      }
      if (scrolls || hides(style)) [left, right] = [Math.max(left, frame.left), Math.min(right, frame.right)];
      if (/auto|scroll|hidden|clip/.test(style.overflowY)) {
        [top, bottom] = [Math.max(top, frame.top), Math.min(bottom, frame.bottom)];
      }
      if (right - left < 1 || bottom - top < 1) return null;
    }
    return { ...box, left, top, right, bottom };
  };
  const add = (box, el) => {
    const shown = seen(box, el);
    if (!shown) return;
    if (shown.left < -slack || shown.right > innerWidth + slack) say("off the screen", box.text);
    boxes.push(shown);
  };
  const walk = (root) => {
    for (const el of root.querySelectorAll("*")) {
      if (el.shadowRoot) walk(el.shadowRoot);
      if (/^(STYLE|SCRIPT|NOSCRIPT|TITLE|OPTION)$/i.test(el.tagName) || !visible(el)) continue;
      const scrolls = el.closest("[data-testid=stDataFrame]"); // the text inside, by itself
      if (el instanceof HTMLCanvasElement && !scrolls) readCanvas(el);
      if (el.closest("canvas")) continue;
      for (const node of el.childNodes) {
        if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const { left, top, right, bottom } of range.getClientRects()) {
          if (right - left > 0.5) add({ text: node.data, owner: el, left, top, right, bottom }, el);
        }
      }
    }
  };
  const readCanvas = (canvas) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const ratio = width / canvas.width;
    for (const [text, x0, y0, x1, y1] of canvas.written ?? []) {
      if (!text.trim()) continue;
      const [a, b, c, d] = [x0, y0, x1, y1].map((value) => value * ratio);
      if (a < -slack || b < -slack || c > width + slack || d > height + slack) say("cut by its canvas", text);
      add({ text, owner: {}, left: left + a, top: top + b, right: left + c, bottom: top + d }, canvas);
    }
  };
  walk(document);

  const main = document.querySelector(".stMain") ?? document.documentElement;
  for (const el of [document.documentElement, main]) {
    const [page, screen] = [el.scrollWidth, el.clientWidth];
    if (page > screen + 1) found.push(`the page is ${page} pixels wide, the screen ${screen}`);
  }
  for (const group of document.querySelectorAll('[role=radiogroup]:has(> [data-variant=segmented_control])')) {
    const tops = new Set([...group.children].map((el) => Math.round(el.getBoundingClientRect().top)));
    if (tops.size > 1) say("broken over two rows", group.innerText);
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, i) => {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
      const b = boxes[j];
      if (a.fixed !== b.fixed) continue; // what is fixed to the screen covers what scrolls below it
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Line boxes of one paragraph may touch; letters fill about two thirds of their height.
      const touching = 0.3 * Math.min(a.bottom - a.top, b.bottom - b.top);
      if (a.owner !== b.owner && across > slack && down > Math.max(slack, touching)) say("overlap", a.text, b.text);
    }
  });
  return [...new Set(found)];
}
"""


def layout_troubles(page):
    """Sentences about all that is cut, off the screen or overlapping on the page as it is now."""
    return page.evaluate(_TROUBLES)
