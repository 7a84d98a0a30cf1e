// Messages of a moving pointer: one in flight, the newest replaces the one that waits.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { mailbox } from "../../explorer/components/shared/mailbox.js";

globalThis.CustomEvent ??= class extends Event {
  constructor(name, { detail, ...options }) {
    super(name, options);
    this.detail = detail;
  }
};
globalThis.requestAnimationFrame = (callback) => callback(0);
let now = 0;
performance.now = () => now;

let [asked, posted, shown, value] = [[], [], [], 0];
let [lineOpen, stageOpen] = [true, true];

beforeEach(() => {
  globalThis.window = new EventTarget();
  [asked, posted, shown, value, now, lineOpen, stageOpen] = [[], [], [], 0, 0, true, true];
  window.addEventListener("tsa-ask", (event) => {
    if (!lineOpen) return;
    asked.push(event.detail.message);
    event.preventDefault();
  });
  window.addEventListener("tsa-show", (event) => {
    if (!stageOpen) return;
    shown.push(event.detail);
    event.preventDefault();
  });
});

const run = (acknowledged = 0, obey = 1, session = "s") => ({ patch: "x", session, obey, acknowledged });

function opened() {
  const element = { dataset: {} };
  const box = mailbox(element, () => ({ value: (value += 1) }));
  const receive = (...data) => box.receive(run(...data), (message) => posted.push(message));
  receive();
  return { box, element, receive };
}

const answer = (sequence, bytes = [1], patch = "x") =>
  window.dispatchEvent(new CustomEvent("tsa-answer", { detail: { patch, sequence, bytes } }));
const numbers = (messages) => messages.map(({ sequence }) => sequence);

test("one message is in flight; the next is composed when the answer is shown", () => {
  const { box, element } = opened();
  for (let i = 0; i < 5; i++) box.report(false);
  assert.deepEqual(asked, [{ session: "s", obeyed: 1, sequence: 1, done: false, value: 1 }]);
  now = 12;
  answer(1);
  assert.deepEqual(shown, [{ patch: "x", sequence: 1, bytes: [1] }]);
  assert.equal(element.dataset.answered, "12");
  assert.deepEqual(asked[1], { session: "s", obeyed: 1, sequence: 2, done: false, value: 2 }); // four were due, one is sent
  answer(2);
  assert.equal(asked.length, 2);
});

test("the last message does not wait, and goes the ordinary way", () => {
  const { box, receive } = opened();
  box.report(false);
  box.report(false);
  box.report(true);
  assert.deepEqual(posted, [{ session: "s", obeyed: 1, sequence: 2, done: true, value: 2 }]);
  answer(1); // too late
  assert.deepEqual(shown, []);
  receive(2);
  assert.equal(asked.length, 1);
});

test("without a live line, or without an answer, messages go the ordinary way", () => {
  const { box, receive } = opened();
  lineOpen = false;
  box.report(false);
  assert.deepEqual(numbers(posted), [1]);
  receive(1);
  lineOpen = true;
  box.report(false);
  answer(2, []);
  assert.deepEqual(numbers(posted), [1, 2]);
  receive(2);
  stageOpen = false;
  box.report(false);
  answer(3);
  assert.deepEqual(numbers(posted), [1, 2, 3]);
});

test("a line that closes gives the message back", () => {
  const { box } = opened();
  box.report(false);
  window.dispatchEvent(new CustomEvent("tsa-lost", { detail: null }));
  assert.deepEqual(numbers(posted), [1]);
});

test("answers to others are ignored, and those that never come are given up", () => {
  const { box } = opened();
  box.report(false);
  answer(1, [1], "y");
  assert.deepEqual(shown, []);
  now = 1600;
  box.report(false);
  assert.deepEqual(numbers(asked), [1, 2]);
});

test("an editor adopts what another writer has changed, and not its own echo", () => {
  const { box, receive } = opened();
  box.report(true);
  assert.equal(receive(1), false);
  assert.equal(receive(1, 2), true);
  assert.equal(receive(1, 2, "another session"), true);
});

test("closed, it hears nothing", () => {
  const { box } = opened();
  box.report(false);
  box.close();
  answer(1);
  window.dispatchEvent(new CustomEvent("tsa-lost", { detail: null }));
  assert.deepEqual([shown, posted], [[], []]);
});
