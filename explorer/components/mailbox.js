// What a moving hand says to Python: one message on its way at a time, the newest first. While Python is busy with one, the
// next waits, and a newer one takes its place; the last one, when the hand lets go, waits for nothing. `compose` makes the
// message when it is sent; `element` wears how long the last answer took.

function mailbox(element, compose) {
  const box = { post: null, hand: "" };
  let [number, flying, sent, waiting, message] = [0, 0, 0, false, null];
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
    const ask = new CustomEvent("tsa-ask", { detail: { hand: box.hand, message }, cancelable: true });
    if (done || window.dispatchEvent(ask)) box.post(message); // nobody took it
  };
  box.acknowledge = (last) => {
    if (last < number && flying > last) return;
    number = Math.max(number, last);
    if (flying) element.dataset.answered = performance.now() - sent; // milliseconds, for `tsa-explorer bench`
    flying = 0;
    if (waiting) box.tell(false);
  };
  // An answer goes straight to whoever shows it, and a frame later the next may be asked. If nobody does, as on a page
  // that has nothing to show yet, or if there will be no answer, the message takes the ordinary way after all.
  const answered = ({ detail: { hand, number, bytes } }) => {
    if (hand !== box.hand || number !== flying) return; // not for us, or too late
    const show = new CustomEvent("tsa-show", { detail: bytes, cancelable: true });
    if (!bytes.length || window.dispatchEvent(show)) box.post(message);
    else requestAnimationFrame(() => box.acknowledge(number));
  };
  const lost = () => {
    if (flying && !message.done) box.post(message);
  };
  box.open = (hand) => {
    box.hand = hand;
    window.addEventListener("tsa-answer", answered); // adding twice is once
    window.addEventListener("tsa-lost", lost);
  };
  box.close = () => {
    window.removeEventListener("tsa-answer", answered);
    window.removeEventListener("tsa-lost", lost);
  };
  return box;
}
