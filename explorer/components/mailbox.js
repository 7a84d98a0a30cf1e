// One message on its way at a time, the newest first: while the server is busy with one, the next waits, and a newer one
// takes its place. `compose` makes the message when it is sent; `element` wears how long the last answer took.

function mailbox(element, compose) {
  const box = { post: null };
  let [number, flying, sent, waiting] = [0, 0, 0, null];
  box.number = () => number;
  box.tell = (done) => {
    if (flying && performance.now() - sent < 1500) {
      waiting = done;
      return;
    }
    flying = number += 1;
    sent = performance.now();
    box.post({ number, done, ...compose() });
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
  return box;
}
