// What a moving hand says to Python: one message on its way at a time, the newest first. While Python is busy with one, the
// next waits, and a newer one takes its place; the last one, when the hand lets go, waits for nothing. `compose` makes the
// message when it is sent; `element` wears how long the last answer took.

function mailbox(element, compose) {
  const box = { post: null };
  let [number, flying, sent, waiting, message, line, refused, hand, ticket] = [0, 0, 0, false, null, null, false, "", ""];
  box.number = () => number;
  box.tell = (done) => {
    if (flying && !done && performance.now() - sent < 1500) {
      waiting = true;
      return;
    }
    waiting = false;
    flying = number += 1;
    sent = performance.now();
    message = { number, done, ...compose() };
    if (done || line?.readyState !== WebSocket.OPEN) box.post(message);
    else line.send(JSON.stringify({ ticket, hand, message }));
  };
  box.acknowledge = (last) => {
    if (last < number && flying > last) return;
    number = Math.max(number, last);
    if (flying) element.dataset.answered = performance.now() - sent; // milliseconds, for `tsa-explorer bench`
    flying = 0;
    if (waiting) box.tell(false);
  };
  // The line of `explorer/live.py`: its answers go straight to whoever shows them, and a frame later the next may be asked.
  // If nobody does, as on a page that has nothing to show yet, the message takes the ordinary way after all.
  box.open = (ourHand, ourTicket) => {
    [hand, ticket] = [ourHand, ourTicket];
    if (refused || (line && line.readyState <= WebSocket.OPEN)) return;
    line = new WebSocket(new URL("/live", window.location.href.replace(/^http/, "ws")));
    line.binaryType = "arraybuffer";
    line.onopen = () => (element.dataset.line = "open");
    line.onclose = () => {
      refused ||= element.dataset.line !== "open"; // there is none here
      delete element.dataset.line;
      if (flying && !message.done) box.post(message); // an answer that will not come
    };
    line.onmessage = ({ data }) => {
      const answered = new DataView(data).getFloat64(0, true);
      if (answered !== flying) return; // too late
      const answer = new CustomEvent("tsa-answer", { detail: new Uint8Array(data, 8), cancelable: true });
      if (data.byteLength === 8 || window.dispatchEvent(answer)) box.post(message);
      else requestAnimationFrame(() => box.acknowledge(answered));
    };
  };
  box.close = () => {
    if (!line) return;
    line.onclose = null; // nobody waits for an answer any more
    line.close();
  };
  return box;
}
