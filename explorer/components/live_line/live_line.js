// A WebSocket to Python beside Streamlit's own; `explorer/live/line.py` is its other end. Components use it by events of the
// window: an editor dispatches "tsa-ask" and gets "tsa-answer", or "tsa-lost" if there will be no answer. Messages that
// Python sends unasked are for the page that is shown, "tsa-stage". A "tsa-ask" that is not cancelled was not sent.

import { finder, instance } from "../../../tsa/stage/browser/shared/mount.js";

/** @import { Mount } from "../../../tsa/stage/browser/shared/mount.js" */

const PATCHES = [null, "x", "y", "motion"]; // by their numbers in the header of an answer
const HEADER_BYTES = 16;
const FIRST_PAUSE_MILLISECONDS = 1000; // before the first try to connect again; each next one is twice as long
const MAX_PAUSE_MILLISECONDS = 20_000;

/** @param {Mount} mount */
export default function ({ data, parentElement }) {
  const self = instance(parentElement, create);
  self.open(data);
  return self.leave;
}

/** @param {ParentNode} root */
function create(root) {
  const { dataset } = finder(root)("line");
  /** @type {WebSocket | null} */
  let socket = null;
  let [ticket, pause, retry] = ["", 0, 0];
  const dispatch = (/** @type {string} */ name, /** @type {unknown} */ detail) =>
    window.dispatchEvent(new CustomEvent(name, { detail }));
  const ask = (/** @type {any} */ event) => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify(event.detail));
    event.preventDefault(); // says that it was sent
  };
  const connect = () => {
    const opened = new WebSocket(new URL("live", window.location.href.replace(/^http/, "ws")));
    socket = opened;
    opened.binaryType = "arraybuffer";
    opened.onopen = () => {
      opened.send(ticket);
      dataset.open = "";
    };
    opened.onclose = () => {
      delete dataset.open;
      dispatch("tsa-lost", null);
      pause = Math.min(MAX_PAUSE_MILLISECONDS, 2 * pause || FIRST_PAUSE_MILLISECONDS);
      retry = setTimeout(connect, pause);
    };
    opened.onmessage = ({ data }) => {
      const [header, bytes] = [new DataView(data), new Uint8Array(data, HEADER_BYTES)];
      const [revision, sequence, number] = [0, 4, 8].map((at) => header.getUint32(at, true));
      const patch = PATCHES[number];
      pause = 0;
      if (patch) dispatch("tsa-answer", { patch, revision, sequence, bytes });
      else dispatch("tsa-stage", { revision, sequence: -1, bytes }); // older than the page of the same revision
    };
  };
  const open = (/** @type {string} */ ours) => {
    window.addEventListener("tsa-ask", ask); // added twice, called once
    if (ours === ticket) return;
    ticket = ours;
    close();
    connect();
  };
  const close = () => {
    clearTimeout(retry);
    if (!socket) return;
    socket.onclose = null; // closed on purpose: the components that wait for an answer leave the page too
    socket.close();
  };
  const leave = () => {
    window.removeEventListener("tsa-ask", ask);
    close();
  };
  return { open, leave };
}
