// The text of a lesson beside a live page: predict, do, reveal, and a question that Python checks. What was predicted and
// what was solved is kept in the storage of the browser, and nowhere else.

import { follow, follower } from "../../../../tsa/stage/browser/shared/follower.js";
import { finder } from "../../../../tsa/stage/browser/shared/mount.js";
import { lecturing } from "./lecture.js";
import { progress } from "./progress.js";

/** @import { Follower } from "../../../../tsa/stage/browser/shared/follower.js" */
/** @import { Find, Mount } from "../../../../tsa/stage/browser/shared/mount.js" */
/** @import { Lecture } from "./lecture.js" */

/** @typedef {{ name: string, title: string, idea: string, minutes: number, steps: number }} Listed texts are HTML */
/** @typedef {{ label: string, html: string, terms: { name: string, meaning: string }[] }} Step */
/**
 * What `pack_lesson` and `pack_course` of lesson/__init__.py send; texts are HTML that was escaped there.
 * @typedef {object} Packed
 * @property {"lesson" | "course"} kind
 * @property {Listed[]} lessons
 * @property {string} name
 * @property {string} title
 * @property {number} number
 * @property {Step[]} steps
 * @property {{ html: string, reply: string, right: boolean }[]} choices
 * @property {string} right
 * @property {string} hint
 * @property {string} next
 * @property {string} nextName
 * @property {string} noted said when a prediction is made
 * @property {string} predicted stands before the prediction, at the reveal
 */
/**
 * @typedef {object} LessonView
 * @property {Find} find
 * @property {Packed | null} packed
 * @property {number} step
 * @property {number} asked sequence number of the message that asked for a check, or 0
 * @property {boolean} answered whether the verdict about that message is here
 * @property {Follower} follower
 * @property {Lecture} lecture
 * @property {() => void} readStyle
 * @property {() => void} draw
 */

const LETTERS = "abcdefgh";

/** @param {Mount} mount */
export default function (mount) {
  const self = follow(mount, create);
  self.lecture.listen();
  return self.lecture.forget;
}

/** @param {ParentNode} root */
function create(root) {
  const find = finder(root);
  const self = /** @type {LessonView} */ (
    /** @type {Partial<LessonView>} */ ({ find, packed: null, step: 1, asked: 0, answered: false, readStyle: () => {} })
  );
  self.follower = follower({
    adopt: ({ step }) => {
      [self.step, self.asked, self.answered] = [step, 0, false];
    },
    show: (/** @type {Packed} */ packed) => {
      self.packed = packed;
    },
  });
  const go = (/** @type {string} */ lesson, /** @type {number} */ step) => {
    [self.step, self.asked, self.answered] = [step, 0, false];
    self.follower.send({ lesson, step });
    if (lesson === self.packed?.name) self.draw(); // another one is drawn when its text is here
    if (self.packed?.kind === "lesson") find("lesson").scrollIntoView({ block: "nearest" });
  };
  const walk = (/** @type {number} */ by) => {
    const { packed, step } = self;
    if (packed?.kind !== "lesson") return;
    const to = step + by;
    if (to >= 1 && to <= packed.steps.length) return go(packed.name, to);
    if (by > 0) return packed.nextName ? go(packed.nextName, 1) : go("", 1);
    const before = packed.lessons[packed.number - 2];
    if (before) go(before.name, before.steps);
  };
  self.lecture = lecturing(find("lecture"), walk);
  find("next").onclick = () => walk(1);
  find("back").onclick = () => walk(-1);
  find("all").onclick = () => go("", 1);
  find("check").onclick = () => {
    self.follower.send({});
    [self.asked, self.answered] = [/** @type {any} */ (window).tsaSequence, false];
    self.draw();
  };
  find("steps").onclick = (/** @type {MouseEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (button && self.packed) go(self.packed.name, Number(button.dataset.step));
  };
  find("choices").onclick = (/** @type {MouseEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!button || !self.packed) return;
    progress.note(self.packed.name, { picked: Number(button.dataset.choice) });
    self.draw();
  };
  const open = (/** @type {MouseEvent} */ event) => {
    const link = /** @type {HTMLElement} */ (event.target).closest("[data-lesson]");
    if (!(link instanceof HTMLElement) || event.ctrlKey || event.metaKey || event.shiftKey) return; // opens another tab
    event.preventDefault();
    go(link.dataset.lesson ?? "", Number(link.dataset.at));
  };
  find("cards").onclick = find("go-on").onclick = open;
  self.draw = () => {
    const { packed } = self;
    if (!packed) return;
    find("course").hidden = packed.kind !== "course";
    find("lesson").hidden = packed.kind !== "lesson";
    if (packed.kind === "lesson") return drawLesson(self, packed);
    self.lecture.end();
    drawCourse(find, packed.lessons);
  };
  return self;
}

/**
 * @param {Find} find
 * @param {Listed[]} lessons
 */
function drawCourse(find, lessons) {
  const done = lessons.map(({ name }) => progress.of(name));
  find("cards").innerHTML = lessons
    .map(({ name, title, idea, minutes, steps }, i) => {
      const share = done[i].solved ? 100 : (100 * Math.max(0, done[i].step - 1)) / steps;
      const state = done[i].solved ? "✓ solved" : done[i].step ? `step ${done[i].step} of ${steps}` : `${minutes} minutes`;
      return `<li><a href="lesson?lesson=${name}" data-lesson="${name}" data-at="1"><b><span>${i + 1}</span>${title}</b><p>${idea}</p>
        <small>${state}<i style="--done: ${share}%"></i></small></a></li>`;
    })
    .join("");
  const first = Math.max(0, done.findIndex(({ solved }) => !solved));
  const button = find("go-on");
  button.dataset.lesson = lessons[first]?.name;
  button.dataset.at = done[first]?.step || 1;
  button.textContent = done.some(({ step }) => step) ? `Go on with lesson ${first + 1}` : "Start with lesson 1";
}

/**
 * @param {LessonView} self
 * @param {Packed} packed
 */
function drawLesson(self, packed) {
  const { find, step } = self;
  const { header } = self.follower;
  const now = packed.steps[step - 1];
  const been = progress.note(packed.name, { step: Math.max(step, progress.of(packed.name).step) });
  const card = find("lesson");
  find("number").textContent = `${packed.number} of ${packed.lessons.length}`;
  html(find("title"), packed.title);
  html(
    find("steps"),
    packed.steps
      .map(({ label }, i) => {
        const kind = i + 1 === step ? 'aria-current="step"' : i < been.step ? 'class="been"' : "";
        return `<li><button type="button" data-step="${i + 1}" ${kind}>${label}</button></li>`;
      })
      .join(""),
  );
  html(find("text"), now.html);
  html(find("terms"), now.terms.map(({ name, meaning }) => `<div><dt>${name}:</dt> <dd>${meaning}</dd></div>`).join(""));
  drawChoices(find, packed, step, been.picked);
  drawVerdict(self, packed, header);
  const last = step === packed.steps.length;
  find("next").textContent = !last ? `${packed.steps[step].label} →` : packed.nextName ? "Next lesson →" : "All lessons";
  html(find("leads"), last && progress.of(packed.name).solved ? packed.next : "");
  find("back").disabled = step === 1 && packed.number === 1;
  Object.assign(card.dataset, { lesson: packed.name, step });
}

/**
 * @param {Find} find
 * @param {Packed} packed
 * @param {number} step
 * @param {number | undefined} picked
 */
function drawChoices(find, { choices, noted, predicted }, step, picked) {
  const choice = picked === undefined ? undefined : choices[picked];
  const asks = step === 1;
  const recalled = step === 3 ? choice : undefined;
  find("choices").hidden = !asks;
  html(
    find("choices"),
    choices
      .map(({ html }, i) => `<button class="choice" type="button" data-choice="${i}" data-letter="${LETTERS[i]}" aria-pressed="${i === picked}">${html}</button>`)
      .join(""),
  );
  const reply = find("reply");
  reply.className = recalled ? `reply ${recalled.right ? "yes" : "no"}` : "reply";
  html(reply, asks && choice ? noted : recalled ? `${predicted} <em>${recalled.html}</em>. ${recalled.reply}` : "");
}

/**
 * The verdict of Python about the view on screen, once it has heard the question.
 * @param {LessonView} self
 * @param {Packed} packed
 * @param {{ heard?: number, verdict?: boolean | null }} header
 */
function drawVerdict(self, packed, { heard = 0, verdict }) {
  const { find, step } = self;
  find("asked").hidden = step !== packed.steps.length;
  if (self.asked && heard >= self.asked) self.answered = true;
  const text = find("verdict");
  text.className = "verdict";
  if (!self.answered) return html(text, "");
  text.classList.add(verdict ? "yes" : "no");
  if (verdict) progress.note(packed.name, { solved: true });
  html(text, verdict ? packed.right : packed.hint);
}

/**
 * Set HTML only if it differs, so that the focus and what a screen reader reads stay.
 * @param {Element & { shown?: string }} element
 * @param {string} text
 */
function html(element, text) {
  if (element.shown === text) return;
  const focused = /** @type {ShadowRoot} */ (element.getRootNode()).activeElement;
  const { step, choice } = focused instanceof HTMLElement && element.contains(focused) ? focused.dataset : {};
  element.innerHTML = element.shown = text;
  const key = step ? `[data-step="${step}"]` : choice ? `[data-choice="${choice}"]` : "";
  if (key) /** @type {HTMLElement | null} */ (element.querySelector(key))?.focus();
}
