// All filters of a model at once, and one of them in detail. Everything is sent at the start: choosing, sorting, zooming
// and turning need no server.

import { penStyle } from "../../../tsa/stage/browser/shared/canvas.js";
import { follow, follower } from "../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../tsa/stage/browser/shared/mount.js";
import { player, prefersReducedMotion } from "../../../tsa/stage/browser/shared/player.js";
import { fill, listOptions, setText } from "../../../tsa/stage/browser/shared/text.js";
import { drawGrid, drawHistogram, drawsWhileScrolling, layOut, placeAt, steppedInRows } from "./grid.js";
import { drawOneFilter, drawTurning, introduceFilter } from "./one_filter.js";
import { drawScatter, lassoOn } from "./scatter.js";
import { remainder, size } from "./weights.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Follower } from "../../../tsa/stage/browser/shared/follower.js" */
/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Player } from "../../../tsa/stage/browser/shared/player.js" */
/** @import { Weight } from "./weights.js" */

/**
 * Texts and templates, in Python's words.
 * @typedef {object} FilterWords
 * @property {Record<string, string>} titles by what the filters are sorted by
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
 * What is known of a set of filters that are not orthonormal besides their weights; places are −1 for none.
 * @typedef {object} FilterSet
 * @property {number[]} numbers in the file, from 1, (J,)
 * @property {Record<string, number[]>} columns of the report, (J,) each
 * @property {number[]} partner place of the quadrature partner, (J,)
 * @property {number[]} original place of the filter that this one copies, (J,)
 * @property {boolean[]} dead (J,)
 */

/**
 * The nearest filters of another model; their numbers count from 1, 0 for none.
 * @typedef {{ name: string, numbers: number[], cosines: number[] }} Relative
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
 * @property {FilterSet | null} set if the filters are a set, rather than a model
 * @property {Relative | null} relative
 * @property {Uint8Array} [relatives] the nearest filters, (J, 2, rows, columns)
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
 * @property {OffscreenCanvas[][]} atlas real and imaginary part of each filter that was drawn
 * @property {OffscreenCanvas} [turned] the chosen filter at its phase
 * @property {string} sortedBy "weight", "purity" or a column of the set
 * @property {Set<number> | null} lasso filters inside the lasso, if there is one
 * @property {[x: number, y: number][]} points of the scatter, one for each filter
 * @property {number[]} shown filters, in order
 * @property {[x: number, y: number, width: number, height: number][]} cells of the grid
 * @property {[x: number, width: number, size: number][]} bars of the histogram
 * @property {number[][]} rows of the grid: places among `shown`
 * @property {{ top: number, bottom: number, name: string, labelled: boolean, places: number[] }[]} bands groups of rows
 * @property {[width: number, height: number, high: number]} size of the whole grid, and the height of a filter
 * @property {number} head pixels above a filter in its cell
 * @property {number} tile width of a filter in the grid, in pixels
 * @property {Player} player
 * @property {Follower} follower
 * @property {() => void} readStyle
 * @property {() => void} draw
 */

const DEGREES_PER_SECOND = 60;
const MAX_OPTIONS = 400; // that are named to a screen reader at once

/**
 * Ranges of numbers in a text such as `12, 40-60`; null if it has none.
 * @param {string} text
 */
function numbersIn(text) {
  const found = [...text.matchAll(/(\d+)(?:\s*[-–]\s*(\d+))?/g)].map(([, first, last]) => [Number(first), Number(last ?? first)]);
  return found.length ? found : null;
}

/** @param {Mount} mount */
export default function (mount) {
  return follow(mount, create).player.stop;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Filters} */ (
    /** @type {Partial<Filters>} */ ({ chosen: 0, turn: 0, shown: [], cells: [], bars: [], rows: [], bands: [], points: [], size: [0, 0, 0], head: 3, tile: 16, sortedBy: "weight", lasso: null })
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
    self.atlas = [];
    self.lasso = null;
    const largest = Math.max(...packed.weights.map(size));
    const orders = Object.keys(packed.words.titles);
    find("order").replaceChildren(...orders.map((by) => new Option(`by ${by}`, by)));
    for (const part of root.querySelectorAll(".of-set")) /** @type {HTMLElement} */ (part).hidden = !packed.set;
    find("numbers").value = "";
    find("fold").checked = find("cloud").checked = packed.set !== null;
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
    self.sortedBy = find("order").value || "weight";
    const { set } = self.packed;
    const wanted = set && numbersIn(find("numbers").value);
    const folds = set !== null && find("fold").checked;
    self.shown = weights.map((_, j) => j).filter(
      (j) =>
        size(weights[j]) >= low && size(weights[j]) <= high && 100 * purity[j] >= pure && (!self.lasso || self.lasso.has(j)) &&
        (!wanted || wanted.some(([first, last]) => set.numbers[j] >= first && set.numbers[j] <= last)) && !(folds && set.original[j] >= 0),
    );
    const column = self.sortedBy === "purity" ? purity : set?.columns[self.sortedBy];
    if (column) self.shown.sort((a, b) => column[b] - column[a]);
    setText(find("title"), words.titles[self.sortedBy]);
    setText(find("count"), fill(words.templates.count, { shown: self.shown.length, all: weights.length }));
    find("nothing").hidden = self.shown.length > 0;
    self.draw();
  };
  self.draw = () => {
    if (!self.packed || !find("scroll").clientWidth) return; // nothing to show, or leaving the page
    drawOverview();
    layOut(self, find("scroll"), Number(find("zoom").value) / 100);
    find("spacer").style.height = `${self.size[1]}px`;
    drawGrid(self, find("grid"), find("scroll"));
    drawOneFilter(self, find);
    mark();
  };
  const drawOverview = () => {
    const cloud = find("cloud").checked;
    find("histogram").hidden = cloud;
    find("scatter").hidden = !cloud;
    if (cloud) drawScatter(self, find("scatter"));
    else drawHistogram(self, find("histogram"));
  };
  // A frame around the chosen filter, above the canvas, so that choosing does not draw the grid again.
  const mark = () => {
    const [x, y, w, h] = self.cells[self.shown.indexOf(self.chosen)] ?? [0, 0, 0, 0];
    const { lines, purity, words, set } = self.packed;
    const frame = find("mark");
    frame.hidden = !w;
    const width = lines[self.chosen] ? self.tile + 8 : w - 2;
    Object.assign(frame.style, { left: `${x}px`, top: `${y + self.head - 4}px`, width: `${width}px`, height: `${h - self.head + 5}px` });
    // Of thousands, those around the chosen one are listed.
    const at = self.shown.indexOf(self.chosen);
    const start = Math.max(0, Math.min(at - MAX_OPTIONS / 2, self.shown.length - MAX_OPTIONS));
    const options = self.shown.slice(start, start + MAX_OPTIONS).map((j) =>
      fill(words.templates.option, { number: set?.numbers[j] ?? j + 1, weight: words.weights[j], percent: Math.round(100 * purity[j]) }),
    );
    listOptions(find("grid"), options, at - start);
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
    drawOverview();
    introduce();
    wanted = j;
    self.follower.send({ filter: j });
  };

  /** @type {HTMLCanvasElement} */
  const grid = find("grid");
  grid.onclick = (event) => {
    const box = grid.getBoundingClientRect();
    const at = placeAt(self, event.clientX - box.left, event.clientY - box.top + grid.offsetTop);
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
  for (const name of ["low", "high", "pure", "order", "numbers", "fold"]) find(name).oninput = arrange;
  find("cloud").oninput = drawOverview;
  find("scroll").onscroll = () => {
    if (self.packed && drawsWhileScrolling(self)) drawGrid(self, grid, find("scroll"));
  };
  const lasso = (/** @type {Set<number>} */ inside) => {
    self.lasso = inside;
    arrange();
  };
  lassoOn(self, find("scatter"), choose, lasso);
  find("zoom").oninput = self.draw;
  find("all").onclick = () => {
    [find("low").value, find("high").value, find("pure").value, find("zoom").value] = [0, find("high").max, 0, 0];
    [self.lasso, find("numbers").value] = [null, ""];
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
