// Play and pause, with frames that the test asks for.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { player } from "../../tsa/stage/browser/shared/player.js";

/** @type {Map<number, (now: number) => void>} */
const waiting = new Map();
let [lastId, now] = [0, 0];
globalThis.requestAnimationFrame = (callback) => waiting.set((lastId += 1), callback) && lastId;
globalThis.cancelAnimationFrame = (id) => void waiting.delete(id);
performance.now = () => now;

/** @param {number} milliseconds */
function frame(milliseconds) {
  now += milliseconds;
  const callbacks = [...waiting.values()];
  waiting.clear();
  callbacks.forEach((callback) => callback(now));
  return callbacks.length;
}

/** @returns {any} */
const button = () => {
  /** @type {Record<string, string>} */
  const attributes = {};
  return { textContent: "", dataset: { play: "Go", pause: "Wait" }, attributes, setAttribute: (name, value) => (attributes[name] = value) };
};

beforeEach(() => waiting.clear());

test("advances by the seconds between frames, until stopped", () => {
  const steps = [];
  const playing = player(button(), (seconds) => void steps.push(seconds));
  assert.equal(frame(16), 0);
  playing.play();
  [20, 50].forEach(frame);
  assert.deepEqual(steps, [0.02, 0.05]);
  playing.stop();
  assert.equal(frame(16), 0);
  assert.deepEqual(steps, [0.02, 0.05]);
});

test("a tab that was hidden does not leap, and time does not run backwards", () => {
  const steps = [];
  const playing = player(button(), (seconds) => void steps.push(seconds));
  playing.play();
  frame(60_000);
  frame(-5);
  assert.deepEqual(steps, [0.1, 0]);
});

test("the button shows what a press will do", () => {
  const shown = button();
  const playing = player(shown, () => {});
  playing.play();
  assert.deepEqual([shown.textContent, shown.attributes["aria-label"], playing.playing], ["❚❚", "Wait", true]);
  playing.stop();
  assert.deepEqual([shown.textContent, shown.attributes["aria-label"], playing.playing], ["▶", "Go", false]);
});

test("playing twice does not double the speed", () => {
  let calls = 0;
  const playing = player(button(), () => void (calls += 1));
  playing.play();
  playing.play();
  assert.equal(frame(16), 1);
  assert.equal(calls, 1);
});

test("the end is reached by stopping inside a step", () => {
  let at = 0;
  const playing = player(button(), (seconds) => {
    at = Math.min(0.05, at + seconds);
    if (at === 0.05) playing.stop();
  });
  playing.play();
  [30, 30].forEach(frame);
  assert.equal(at, 0.05);
  assert.equal(playing.playing, false);
  assert.equal(frame(16), 0);
});
