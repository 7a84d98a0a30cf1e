// A line to Python beside Streamlit's own; `explorer/live.py` is its other end. Components talk through it by events of
// the window: a hand sends "tsa-ask" and hears "tsa-answer", or "tsa-lost" if there will be none. What Python says unasked
// is for the stage, "tsa-stage". A question that nobody takes was not asked: it has to go another way.

export default function ({ data, parentElement }) {
  const self = instance(parentElement, create);
  self.open(data);
  return self.leave;
}

const HANDS = [null, "x", "y"]; // as Python counts them

function create(root) {
  const mark = root.querySelector(".line").dataset;
  let [line, ticket, pause, retry] = [null, "", 0, 0];
  const say = (name, detail) => window.dispatchEvent(new CustomEvent(name, { detail }));
  const ask = (event) => {
    if (line?.readyState !== WebSocket.OPEN) return;
    line.send(JSON.stringify(event.detail));
    event.preventDefault(); // taken
  };
  const connect = () => {
    line = new WebSocket(new URL("/live", window.location.href.replace(/^http/, "ws")));
    line.binaryType = "arraybuffer";
    line.onopen = () => {
      line.send(ticket);
      mark.open = "";
    };
    line.onclose = () => {
      delete mark.open;
      say("tsa-lost");
      pause = Math.min(20_000, 2 * pause || 1000); // it may come back; where there is none, we ask less and less
      retry = setTimeout(connect, pause);
    };
    line.onmessage = ({ data }) => {
      const [head, bytes] = [new DataView(data), new Uint8Array(data, 16)];
      const [number, hand] = [head.getFloat64(0, true), HANDS[head.getUint32(8, true)]];
      pause = 0;
      if (hand) say("tsa-answer", { hand, number, bytes });
      else say("tsa-stage", { moment: number, bytes });
    };
  };
  const open = (ours) => {
    window.addEventListener("tsa-ask", ask); // adding twice is once
    if (ours === ticket) return;
    ticket = ours;
    close();
    connect();
  };
  const close = () => {
    clearTimeout(retry);
    if (!line) return;
    line.onclose = null; // whoever waits for an answer leaves too
    line.close();
  };
  const leave = () => {
    window.removeEventListener("tsa-ask", ask);
    close();
  };
  return { open, leave };
}
