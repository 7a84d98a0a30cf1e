// The sign of a class at the top of every page, with the card that says how to join; on Home the card is part of the page.

import { finder, instance } from "../../../../tsa/stage/browser/shared/mount.js";
import { fill, setText } from "../../../../tsa/stage/browser/shared/text.js";
import { classLine } from "./line.js";

/** @import { Mount } from "../../../../tsa/stage/browser/shared/mount.js" */
/** @import { ClassLine } from "./line.js" */
/** @typedef {{ address: string, code: string }} Join an address, and an SVG of its QR code */
/** @typedef {{ joins: Join[], words: Record<string, string>, ticket: string }} Data */

const PROTOCOL = "http://";

/** @param {Mount} mount */
export default function ({ data, parentElement }) {
  const self = instance(parentElement, data.ticket ? createSign : createCard);
  self.receive(data);
}

/** @param {ParentNode} root */
function createSign(root) {
  const [find, line, card] = [finder(root), classLine(), createCard(root, true)];
  /** @type {[HTMLElement, HTMLButtonElement, HTMLDialogElement]} */
  const [sign, follow, box] = [find("sign"), find("follow"), find("window")];
  /** @type {Record<string, string>} */
  let words = {};
  const draw = () => {
    sign.dataset.role = line.role;
    setText(find("state"), fill(words[stateOf(line)] ?? "", { followers: line.followers }));
    follow.hidden = line.role === "teach" && line.trouble !== "replaced";
    const { follow: begin, stop, teach } = follow.dataset;
    setText(follow, (line.role === "follow" ? stop : line.role === "teach" ? teach : begin) ?? "");
  };
  follow.onclick = () => (line.role === "follow" ? line.stop() : line.role === "teach" ? line.teach() : line.follow());
  find("join-button").onclick = () => box.showModal();
  find("close").onclick = () => box.close();
  return {
    receive(/** @type {Data} */ data) {
      if (window !== window.parent) return; // in a frame, such as the preview of a link, which has the storage of this tab
      ({ words } = data);
      card.receive(data);
      line.changed = draw;
      line.attend(data.ticket);
      sign.hidden = false;
      draw();
    },
  };
}

/**
 * @param {ParentNode} root
 * @param {boolean} [inWindow] whether the card opens above the page
 */
function createCard(root, inWindow = false) {
  const find = finder(root);
  const card = find("join");
  if (!inWindow) {
    find("sign").remove();
    find("window").replaceWith(card);
    card.classList.add("inline");
  }
  /** @type {Join[]} */
  let joins = [];
  /** @type {Record<string, string>} */
  let words = {};
  const select = card.querySelector("select");
  const show = (/** @type {Join} */ { address, code }) => {
    const host = address.replace(PROTOCOL, "");
    setText(card.querySelector("b"), host);
    card.style.setProperty("--characters", `${host.length}`);
    find("code").replaceChildren(new DOMParser().parseFromString(code, "text/html").body.firstElementChild);
    find("code").setAttribute("aria-label", fill(words.code, { address }));
  };
  select.onchange = () => show(joins[select.selectedIndex]);
  const full = find("full");
  full.onclick = async () => {
    try {
      if (document.fullscreenElement) await document.exitFullscreen();
      else await card.requestFullscreen();
    } catch {} // some browsers have no full screen
  };
  card.onfullscreenchange = () => {
    const isFull = card.matches(":fullscreen");
    full.setAttribute("aria-pressed", `${isFull}`);
    setText(full, words[isFull ? "window" : "full screen"]);
  };
  return {
    receive(/** @type {Data} */ data) {
      if (JSON.stringify(data.joins) === JSON.stringify(joins)) return;
      ({ joins, words } = data);
      select.replaceChildren(...joins.map(({ address }) => new Option(address)));
      select.parentElement.hidden = joins.length < 2;
      show(joins[0]);
    },
  };
}

/**
 * Which of the words says how things stand.
 * @param {ClassLine} line
 */
const stateOf = ({ role, trouble, teaches }) => trouble || (role === "follow" && !teaches ? "alone" : role);
