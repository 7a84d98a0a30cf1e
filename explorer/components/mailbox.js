// What a moving hand says to Python: one message on its way at a time, the newest first. While Python is busy with one, the
// next waits, and a newer one takes its place. `compose` makes the message when it is sent; `element` wears how long the
// last answer took.

function mailbox(element, compose) {
  const box = { post: null, hand: null, ticket: null };
  let [number, flying, sent, waiting, line, message] = [0, 0, 0, null, null, null];
  box.number = () => number;
  box.tell = (done) => {
    if (flying && performance.now() - sent < 1500) {
      waiting = done;
      return;
    }
    flying = number += 1;
    sent = performance.now();
    message = { number, done, ...compose() };
    if (done || line?.readyState !== WebSocket.OPEN) box.post(message);
    else line.send(JSON.stringify({ ticket: box.ticket, hand: box.hand, message }));
  };
  box.acknowledge = (last) => {
    if (last < number && flying > last) return;
    number = Math.max(number, last);
    if (flying) element.dataset.answered = performance.now() - sent; // milliseconds, for `tsa-explorer bench`
    flying = 0;
    if (waiting === null) return;
    const done = waiting;
    waiting = null;
    box.tell(done);
  };
  // The line of `explorer/live.py`: its answers go straight to whoever shows them, and a frame later the next may be asked.
  // If nobody does, as on a page that has nothing to show yet, the message takes the ordinary way after all.
  box.open = (hand, ticket) => {
    [box.hand, box.ticket] = [hand, ticket];
    if (line) return;
    line = new WebSocket(new URL("/live", window.location.href.replace(/^http/, "ws")));
    line.binaryType = "arraybuffer";
    line.onopen = () => (element.dataset.line = "open");
    line.onclose = () => {
      delete element.dataset.line;
      if (flying && !message.done) box.post(message); // an answer that will not come
    };
    line.onmessage = ({ data }) => {
      const answer = new CustomEvent("tsa-answer", { detail: new Uint8Array(data), cancelable: true });
      if (!data.byteLength || window.dispatchEvent(answer)) box.post(message);
      else requestAnimationFrame(() => box.acknowledge(flying));
    };
  };
  box.close = () => {
    if (!line) return;
    line.onclose = null; // nobody waits for an answer any more
    line.close();
  };
  return box;
}
