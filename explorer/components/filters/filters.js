// All filters of a model at once, and one of them in detail. Everything is sent at the start: choosing, sorting, zooming
// and turning need no server.

import { penStyle } from "../../../tsa/stage/browser/shared/canvas.js";
import { follow, follower } from "../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../tsa/stage/browser/shared/mount.js";
import { player, prefersReducedMotion } from "../../../tsa/stage/browser/shared/player.js";
import { fill, listOptions, setText } from "../../../tsa/stage/browser/shared/text.js";
import { drawGrid, drawHistogram, placeAt, steppedInRows, tiles } from "./grid.js";
import { drawOneFilter, drawTurning, introduceFilter } from "./one_filter.js";
import { remainder, size } from "./weights.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Follower } from "../../../tsa/stage/browser/shared/follower.js" */
/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Player } from "../../../tsa/stage/browser/shared/player.js" */
/** @import { Weight } from "./weights.js" */

/**
 * Texts and templates, in Python's words.
 * @typedef {object} FilterWords
 * @property {{ weight: string, purity: string }} titles by the order of the filters
 * @property {string} histogram alternative text
 * @property {string[]} weights of the filters, (J,)
 * @property {string[]} runners the next weight in the spectrum of each filter, (J,)
 * @property {string[]} verdicts
 * @property {string[]} motions
 * @property {string[]} movements
 * @property {string} response
 * @property {Record<string, string>} templates
 */

/**
 * What `pack_filters` of filters/__init__.py sends: J filters, n frequencies.
 * @typedef {object} Packed
 * @property {string} digest
 * @property {number} chosen
 * @property {[rows: number, columns: number]} shape of a filter; a signal has one row
 * @property {Weight[]} weights (J,)
 * @property {boolean[]} lines single filters, (J,)
 * @property {Weight[]} frequencies (n,)
 * @property {number[]} purity share of a filter that has its own weight, (J,)
 * @property {number[]} top largest share in the spectrum, (J,)
 * @property {[number, number][]} own places of a filter's weight in its spectrum, (J,)
 * @property {number[]} runnerHeight share of the next weight in the spectrum, (J,)
 * @property {FilterWords} words
 * @property {number} noise σ
 * @property {boolean} rotation whether the group turns pictures
 * @property {number} angle of the lab, in degrees
 * @property {Uint8Array} filters (J, 2, rows, columns), 128 is zero
 * @property {Uint8Array} spectrum square roots of the shares of `top`, 255 at the top, (J, n)
 * @property {Uint16Array} verdict place in `words.verdicts`, (J,)
 * @property {Uint16Array} motion place in `words.motions`, (J,)
 * @property {Uint16Array} movement place in `words.movements`, (J,)
 * @property {Float32Array} movementRate s per degree of the phase, and its period, (J, 2)
 * @property {Float32Array} response z of the patch in the lab, (J,) complex; empty if there is none
 */

/**
 * @typedef {object} Filters
 * @property {Packed} packed
 * @property {PenStyle} style
 * @property {string} accent colour of the chosen filter
 * @property {string} edge colour around a filter
 * @property {number} chosen
 * @property {number} turn phase of the chosen plane in degrees
 * @property {OffscreenCanvas[][]} atlas real and imaginary part of each filter
 * @property {OffscreenCanvas} [turned] the chosen filter at its phase
 * @property {boolean} byPurity
 * @property {number[]} shown filters, in order
 * @property {[x: number, y: number, width: number, height: number][]} cells of the grid
 * @property {[x: number, width: number, size: number][]} bars of the histogram
 * @property {number[][]} rows of the grid: places among `shown`
 * @property {number} head pixels above a filter in its cell
 * @property {number} tile width of a filter in the grid, in pixels
 * @property {Player} player
 * @property {Follower} follower
 * @property {() => void} readStyle
 * @property {() => void} draw
 */

const DEGREES_PER_SECOND = 60;

/** @param {Mount} mount */
export default function (mount) {
  return follow(mount, create).player.stop;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Filters} */ (
    /** @type {Partial<Filters>} */ ({ chosen: 0, turn: 0, shown: [], cells: [], bars: [], rows: [], head: 3, tile: 16 })
  );

  self.readStyle = () => {
    self.style = penStyle(find("card"));
    self.accent = getComputedStyle(find("sheet")).getPropertyValue("--st-primary-color") || self.style.color;
    self.edge = getComputedStyle(find("turning")).outlineColor;
  };
  /** @type {number | null} */
  let wanted = null; // the filter of the view; null is the one with the largest response
  let adopted = false; // whether another writer has changed it since filters were shown
  const adopt = (/** @type {any} */ { filter }) => {
    [wanted, adopted] = [filter, true];
  };
  const show = (/** @type {Packed} */ packed) => {
    if (packed !== self.packed || adopted) open(packed);
    adopted = false;
  };
  self.follower = follower({ adopt, show });
  const open = (/** @type {Packed} */ packed) => {
    self.packed = packed;
    self.chosen = Math.min(wanted ?? packed.chosen, packed.weights.length - 1);
    self.atlas = tiles(packed);
    const largest = Math.max(...packed.weights.map(size));
    for (const name of ["low", "high"]) find(name).max = largest;
    [find("low").value, find("high").value, find("pure").value] = [0, largest, 0];
    arrange();
    introduce();
    if (!prefersReducedMotion()) self.player.play();
  };

  // Choose and sort the filters that are shown.
  const arrange = () => {
    const { weights, purity, words } = self.packed;
    const ends = [Number(find("low").value), Number(find("high").value || find("high").max)];
    const [low, high] = [Math.min(...ends), Math.max(...ends)]; // from 9 to 4 is from 4 to 9
    const pure = Number(find("pure").value);
    setText(find("pure-text"), `${pure} %`);
    self.byPurity = find("order").value === "purity";
    self.shown = weights.map((_, j) => j).filter((j) => size(weights[j]) >= low && size(weights[j]) <= high && 100 * purity[j] >= pure);
    if (self.byPurity) self.shown.sort((a, b) => purity[b] - purity[a]);
    setText(find("title"), self.byPurity ? words.titles.purity : words.titles.weight);
    setText(find("count"), fill(words.templates.count, { shown: self.shown.length, all: weights.length }));
    find("nothing").hidden = self.shown.length > 0;
    self.draw();
  };
  self.draw = () => {
    if (!self.packed || !find("scroll").clientWidth) return; // nothing to show, or leaving the page
    drawHistogram(self, find("histogram"));
    drawGrid(self, find("grid"), find("scroll"), Number(find("zoom").value) / 100);
    drawOneFilter(self, find);
    mark();
  };
  // A frame around the chosen filter, above the canvas, so that choosing does not draw the grid again.
  const mark = () => {
    const [x, y, w, h] = self.cells[self.shown.indexOf(self.chosen)] ?? [0, 0, 0, 0];
    const { lines, purity, words } = self.packed;
    const frame = find("mark");
    frame.hidden = !w;
    const width = lines[self.chosen] ? self.tile + 8 : w - 2;
    Object.assign(frame.style, { left: `${x}px`, top: `${y + self.head - 4}px`, width: `${width}px`, height: `${h - self.head + 5}px` });
    const options = self.shown.map((j) =>
      fill(words.templates.option, { number: j + 1, weight: words.weights[j], percent: Math.round(100 * purity[j]) }),
    );
    listOptions(find("grid"), options, self.shown.indexOf(self.chosen));
  };
  const introduce = () => {
    const { weights, rotation, angle } = self.packed;
    self.turn = rotation ? remainder(Number(weights[self.chosen]) * angle, 360) : 0; // the phase in the lab
    introduceFilter(self, find);
    drawOneFilter(self, find);
    mark();
    find("sheet").dataset.chosen = self.chosen;
  };
  const choose = (/** @type {number} */ j) => {
    if (j === self.chosen) return;
    self.chosen = j;
    drawHistogram(self, find("histogram"));
    introduce();
    wanted = j;
    self.follower.send({ filter: j });
  };

  /** @type {HTMLCanvasElement} */
  const grid = find("grid");
  grid.onclick = (event) => {
    const box = grid.getBoundingClientRect();
    const at = placeAt(self, event.clientX - box.left, event.clientY - box.top);
    if (at !== undefined) choose(self.shown[at]);
  };
  grid.onkeydown = (event) => {
    const next = steppedInRows(self, event.key, self.shown.indexOf(self.chosen));
    if (next === undefined) return;
    event.preventDefault();
    choose(self.shown[next]);
    const [, y, , h] = self.cells[next] ?? [0, 0, 0, 0];
    const frame = find("scroll");
    if (y < frame.scrollTop) frame.scrollTop = y;
    if (y + h > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + h - frame.clientHeight;
  };
  find("histogram").onclick = (/** @type {MouseEvent} */ event) => {
    const box = find("histogram").getBoundingClientRect();
    const bar = self.bars.find(([x, w]) => event.clientX - box.left >= x && event.clientX - box.left < x + w);
    if (!bar) return;
    find("low").value = find("high").value = bar[2];
    arrange();
  };
  for (const name of ["low", "high", "pure", "order"]) find(name).oninput = arrange;
  find("zoom").oninput = self.draw;
  find("all").onclick = () => {
    [find("low").value, find("high").value, find("pure").value, find("zoom").value] = [0, find("high").max, 0, 0];
    arrange();
  };

  self.player = player(find("play"), (seconds) => {
    self.turn = (self.turn + seconds * DEGREES_PER_SECOND) % 360;
    drawTurning(self, find);
  });
  find("play").onclick = () => (self.player.playing ? self.player.stop() : self.player.play());
  find("turn").oninput = () => {
    self.player.stop();
    self.turn = Number(find("turn").value);
    drawTurning(self, find);
  };
  new ResizeObserver(() => self.draw()).observe(find("scroll"));
  return self;
}
