// Pairs to learn from, or snapshots of the filters as they are learned, with the evidence curve. Every snapshot is sent
// once and stays here, so that going back and forth needs no server.

import { context, greyscale, penStyle, signal } from "../../../tsa/stage/browser/shared/canvas.js";
import { nextSequence } from "../../../tsa/stage/browser/shared/follower.js";
import { finder, instance } from "../../../tsa/stage/browser/shared/mount.js";
import { player, prefersReducedMotion } from "../../../tsa/stage/browser/shared/player.js";
import { setText } from "../../../tsa/stage/browser/shared/text.js";
import { unpack } from "../../../tsa/stage/browser/shared/unpack.js";
import { drawRelations } from "./relations.js";

/** @import { PenStyle } from "../../../tsa/stage/browser/shared/canvas.js" */
/** @import { Find, Mount } from "../../../tsa/stage/browser/shared/mount.js" */
/** @import { Player } from "../../../tsa/stage/browser/shared/player.js" */

/** @typedef {{ pairs: number, count: number, filters: Uint8Array }} Snapshot count: of filter pairs */

/**
 * Texts, in Python's words.
 * @typedef {object} TrainingWords
 * @property {string[]} seen how many pairs each snapshot has seen
 * @property {string[]} labels alternative text of each snapshot
 * @property {string} pastTitle title of all snapshots but the last
 * @property {string} evidence alternative text of the curve
 * @property {string} relations heading of the relations
 * @property {string} relationsLabel alternative text of the relations
 * @property {string[]} weights of the filters of the last snapshot
 */

/**
 * @typedef {object} Packed what `pack_training` of training/__init__.py sends
 * @property {string} name of the training
 * @property {string} title
 * @property {string} caption
 * @property {number[]} pairs seen, for each snapshot
 * @property {number[]} counts of filter pairs, for each snapshot
 * @property {number} known how many snapshots were sent before
 * @property {[number, number]} shape rows and columns of a filter; a signal has one row
 * @property {number} total pairs that the training will see; 0 if this is no training
 * @property {number[] | null} order in which filters with weights are shown
 * @property {boolean} refined whether the last snapshot has filters that differ from those of the others
 * @property {(number[] | null)[]} coherence of the planes of each snapshot, in a search for a group
 * @property {number[]} found how many relations had been found at each snapshot
 * @property {number[][] | null} relations between the phases of the planes, in a search for a group
 * @property {boolean} resting whether no more snapshots will come for now
 * @property {string} ticket
 * @property {string} before
 * @property {TrainingWords} words
 * @property {Uint8Array} filters of the new snapshots
 * @property {Float32Array} curve pairs seen and evidence, in turn
 */

/**
 * @typedef {object} Training
 * @property {Find} find
 * @property {PenStyle} style
 * @property {Packed} [packed]
 * @property {Snapshot[]} snapshots
 * @property {number} at place among the snapshots, a fraction while playing
 * @property {boolean} follows whether new snapshots are shown as they come
 * @property {boolean} due whether to play once the component is in view
 * @property {boolean} inView
 * @property {string} [visitor] ticket in the storage of this tab
 * @property {string} [reported]
 * @property {Player} player
 * @property {(packed: Packed) => boolean} take
 * @property {() => void} draw
 */

const PLAY_SECONDS = 3; // from the first snapshot to the last
const VISITOR = "tsa-visitor"; // key in the storage of this tab

/** @param {Mount} mount */
export default function ({ data, parentElement, setStateValue }) {
  const self = instance(parentElement, create);
  self.style = penStyle(self.find("film")); // again, because this function also runs when the theme changes
  if (data) {
    const packed = unpack(data);
    recall(self, packed, (before) => setStateValue("before", before));
    if (!self.take(packed)) setStateValue("lost", nextSequence());
  }
  self.draw();
  return self.player.stop;
}

/**
 * The storage of this tab outlives a reload, Python's ticket for its visitor does not: report the ticket from before.
 * @param {Training} self
 * @param {Packed} packed
 * @param {(before: string) => void} report
 */
function recall(self, { ticket, before }, report) {
  try {
    const old = self.visitor ?? sessionStorage.getItem(VISITOR) ?? "";
    if (/^[0-9a-f]{32}$/.test(old) && old !== ticket && old !== before) {
      if (self.reported !== old + ticket) report(old);
      self.reported = old + ticket;
      return;
    }
    self.visitor = ticket;
    sessionStorage.setItem(VISITOR, ticket);
  } catch {} // storage may be forbidden
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {Training} */ (
    /** @type {Partial<Training>} */ ({ find, snapshots: [], at: 0, follows: true, due: false, inView: false })
  );

  // Add the new snapshots; false if ones that Python took for known are missing.
  self.take = (packed) => {
    const same = packed.name === self.packed?.name;
    const snapshots = same ? self.snapshots.slice(0, packed.known) : [];
    if (snapshots.length < packed.known || snapshots.some(({ pairs }, i) => pairs !== packed.pairs[i])) return false;
    let start = 0;
    for (let i = packed.known; i < packed.pairs.length; i++) {
      const end = start + 2 * packed.counts[i] * packed.shape[0] * packed.shape[1];
      snapshots.push({ pairs: packed.pairs[i], count: packed.counts[i], filters: packed.filters.subarray(start, end) });
      start = end;
    }
    const ended = packed.resting && self.packed !== undefined && !(same && self.packed.resting);
    if (!same) self.player.stop();
    self.at = Math.min(self.at, snapshots.length - 1);
    self.follows ||= !same || ended;
    Object.assign(self, { packed, snapshots });
    if (!same || !packed.resting) self.due = false;
    if (ended && snapshots.length > 1 && !prefersReducedMotion()) self.due = true;
    if (self.follows && !self.player.playing) self.at = snapshots.length - 1;
    playIfDue();
    return true;
  };
  const playIfDue = () => {
    if (self.due && self.inView) playFrom(0);
  };

  self.player = player(find("play"), (seconds) => {
    const end = self.snapshots.length - 1;
    self.at = Math.min(end, self.at + (seconds / PLAY_SECONDS) * end);
    if (self.at === end) self.player.stop();
    self.draw();
  });
  const playFrom = (/** @type {number} */ at) => {
    [self.at, self.due] = [at, false];
    self.player.play();
  };
  const goTo = (/** @type {number} */ at) => {
    self.player.stop();
    [self.at, self.due] = [at, false];
    self.follows = at === self.snapshots.length - 1;
    self.draw();
  };
  find("play").onclick = () => {
    if (self.player.playing) goTo(Math.round(self.at));
    else playFrom(self.at < self.snapshots.length - 1 ? self.at : 0);
  };
  find("seek").oninput = () => goTo(Number(find("seek").value));

  self.draw = () => {
    if (!self.packed || !find("film").clientWidth) return; // nothing to show, or leaving the page
    const { title, caption, total, relations, found, words } = self.packed;
    const last = self.snapshots.length - 1;
    const near = Math.round(self.at);
    setText(find("film").querySelector("h2"), near < last ? words.pastTitle : title);
    setText(find("learned"), caption);
    find("player").hidden = last < 1;
    const seen = words.seen[near] ?? "";
    [find("seek").max, find("seek").value] = [Math.max(0, last), near];
    find("seek").setAttribute("aria-valuetext", seen);
    setText(find("seen"), seen);
    drawFilters(self, self.packed, find("frame"));
    find("frame").setAttribute("aria-label", words.labels[near] ?? caption);
    find("curve").hidden = !total;
    if (total) drawChart(self, self.packed, find("chart"));
    find("relations").hidden = !relations?.length;
    if (relations?.length) {
      setText(/** @type {HTMLElement} */ (find("relations").querySelector("h3")), words.relations);
      drawRelations(/** @type {HTMLCanvasElement} */ (find("lattice")), relations, found[near], self.style);
      find("lattice").setAttribute("aria-label", words.relationsLabel);
    }
    Object.assign(find("film").dataset, { snapshots: last + 1, at: near, playing: self.player.playing });
  };
  const inView = new IntersectionObserver(
    ([entry]) => {
      self.inView = entry.isIntersecting; // on a phone it may be further down the page
      playIfDue();
    },
    { threshold: 0.5 },
  );
  inView.observe(find("frame"));
  new ResizeObserver(() => self.draw()).observe(find("film"));
  return self;
}

/**
 * The filters at this place; between two snapshots, a blend of both.
 * @param {Training} self
 */
function blended({ snapshots, at }) {
  const [one, other] = [snapshots[Math.floor(at)], snapshots[Math.ceil(at)]];
  const part = at % 1;
  if (!part || one.count !== other.count) return snapshots[Math.round(at)];
  return { ...one, filters: one.filters.map((value, i) => value + part * (other.filters[i] - value)) };
}

/**
 * @param {Training} self
 * @param {Packed} packed
 * @param {HTMLCanvasElement} canvas
 */
function drawFilters(self, { shape, total, refined, order, coherence, relations, words }, canvas) {
  const [pen, width, height] = context(canvas);
  if (!self.snapshots.length) return;
  const { count, filters } = blended(self);
  const light = coherence[Math.round(self.at)];
  const captions = total > 0 || relations !== null;
  const known = order && (!refined || Math.round(self.at) === self.snapshots.length - 1);
  const [rows, columns] = shape;
  const tall = Math.min(1, Math.max(rows / columns, 0.4));
  // The largest tiles with which all pairs fit, each with room for its weight below.
  let tile = 8;
  const across = (/** @type {number} */ t) => Math.max(1, Math.floor(width / (2 * t + 10)));
  const below = (/** @type {number} */ t) => (captions && t > 17 ? 19 : 8);
  const fits = (/** @type {number} */ t) => Math.ceil(count / across(t)) * (t * tall + below(t)) <= height;
  while (tile < 96 && fits(tile + 1)) tile += 1;
  const per = across(tile);
  pen.imageSmoothingEnabled = false;
  pen.font = `400 11.5px ${self.style.fontFamily}`;
  pen.textAlign = "center";
  pen.fillStyle = self.style.color;
  const picture = new OffscreenCanvas(columns, rows);
  for (let place = 0; place < count; place++) {
    const j = known ? order[place] : place;
    const [x, y] = [(place % per) * (2 * tile + 10), Math.floor(place / per) * (tile * tall + below(tile))];
    // A plane that is not coherent yet is dim.
    pen.globalAlpha = light ? 0.12 + 0.88 * Math.max(0, Math.min(1, light[j])) ** 2 : 1;
    for (const part of [0, 1]) {
      const values = filters.subarray((2 * j + part) * rows * columns, (2 * j + part + 1) * rows * columns);
      const left = x + part * (tile + 2);
      if (rows > 1) {
        greyscale(picture, values);
        pen.drawImage(picture, left, y, tile, tile * tall);
      } else signal(pen, values, left, y, tile, tile * tall, self.style);
    }
    pen.globalAlpha = 1;
    if (known && below(tile) > 8) pen.fillText(words.weights[j], x + tile + 1, y + tile * tall + 12);
  }
}

/**
 * The evidence against the pairs seen, with a line at the snapshot on show.
 * @param {Training} self
 * @param {Packed} packed
 * @param {HTMLCanvasElement} canvas
 */
function drawChart(self, { curve, total, words }, canvas) {
  const [pen, width, height] = context(canvas);
  const n = curve.length / 2;
  const values = Array.from({ length: n }, (_, i) => curve[2 * i + 1]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [left, base] = [56, height - 20];
  /** @type {(i: number) => [number, number]} */
  const at = (i) => [left + ((width - left - 8) * curve[2 * i]) / total, base - ((base - 10) * (values[i] - low)) / Math.max(high - low, 1e-9)];
  pen.font = `400 11.5px ${self.style.fontFamily}`;
  pen.fillStyle = pen.strokeStyle = self.style.color;
  pen.textAlign = "right";
  if (n) {
    pen.fillText(high.toFixed(1).replace("-", "−"), left - 6, 14);
    pen.fillText(low.toFixed(1).replace("-", "−"), left - 6, base);
  }
  pen.textAlign = "center";
  for (let i = 0; i <= 4; i++) {
    const x = left + ((width - left - 8) * i) / 4;
    pen.textAlign = i === 4 ? "right" : "center";
    pen.fillText(Math.round((total * i) / 4).toLocaleString("en"), i === 4 ? width - 4 : x, height - 4);
  }
  pen.globalAlpha = 0.25;
  pen.strokeRect(left, 6, width - left - 8, base - 6);
  pen.globalAlpha = 1;
  pen.lineWidth = 1.6;
  pen.beginPath();
  for (let i = 0; i < n; i++) pen.lineTo(...at(i));
  pen.stroke();
  const now = self.snapshots[Math.round(self.at)];
  if (now) {
    const x = left + ((width - left - 8) * now.pairs) / total;
    pen.lineWidth = 1;
    pen.setLineDash([3, 4]);
    pen.beginPath();
    pen.moveTo(x, 6);
    pen.lineTo(x, base);
    pen.stroke();
  }
  canvas.setAttribute("aria-label", words.evidence);
}
