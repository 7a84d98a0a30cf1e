// The socket of a class, one for each tab, which outlives the components of a page. A student's page shows what it hears: it
// goes to the teacher's address as Back would, and passes angles on to the dial as events of the window. It sends nothing
// but its first message. The teacher's page sends the angle of its dial; page and view its own runs tell the server.

const FIRST_PAUSE_MILLISECONDS = 1000; // before the first try to connect again; each next one is twice as long
const MAX_PAUSE_MILLISECONDS = 15_000;
const REPEAT_MILLISECONDS = 250; // in which the angle is said again, to dials that were drawn later
const NO_DIAL_REPEATS = 8; // without a dial that takes the angle, until the page is opened again with it
const TRY_LATER = 1013; // WebSocket close code: too many pages follow
const FOLLOWS = "tsa-follows"; // in the storage of the tab: it outlives a reload
const KEY = "tsa-teacher"; // put there by `shell.js`

/** @typedef {"" | "follow" | "teach"} Role */
/** @typedef {"" | "connecting" | "lost" | "full" | "refused" | "replaced"} Trouble */
/** @typedef {ReturnType<typeof createLine>} ClassLine */

/** @returns {ClassLine} */
export function classLine() {
  const tab = /** @type {any} */ (window);
  return (tab.tsaClass ??= createLine());
}

function createLine() {
  /** @type {WebSocket | null} */
  let socket = null;
  let [ticket, pause, retry, repeating] = ["", 0, 0, 0];
  let [untaken, gone, goneAngle] = [0, "", -1]; // `gone` is the address that was opened last, without its angle
  let began = false; // whether the history has an entry of what is followed
  /** @type {number | undefined} */
  let angle;
  let [sending, turning] = [0, 0]; // frames that were asked for
  const root = /** @type {any} */ (window).__streamlit.BACKEND_BASE_URL;

  const open = () => {
    clearTimeout(retry);
    const opened = new WebSocket(new URL("class", root.replace(/^http/, "ws")));
    socket = opened;
    opened.onopen = () => opened.send(JSON.stringify({ key: line.role === "teach" ? stored(KEY) : "", ticket }));
    opened.onmessage = ({ data }) => {
      pause = 0;
      hear(JSON.parse(data));
      line.changed();
    };
    opened.onclose = ({ code }) => {
      if (socket !== opened || line.trouble === "refused" || line.trouble === "replaced") return;
      line.trouble = code === TRY_LATER ? "full" : "lost";
      pause = Math.min(MAX_PAUSE_MILLISECONDS, 2 * pause || FIRST_PAUSE_MILLISECONDS);
      retry = setTimeout(open, pause * (0.75 + 0.5 * Math.random())); // not all pages at once
      line.changed();
    };
  };
  const close = () => {
    clearTimeout(retry);
    if (socket) socket.onclose = socket.onmessage = null;
    socket?.close();
    socket = null;
  };
  /** @param {{ teaches?: boolean, address?: string, angle?: number, followers?: number, replaced?: boolean, refused?: boolean }} news */
  const hear = (news) => {
    line.trouble = "";
    if (news.refused) {
      store(KEY, "");
      line.stop();
      line.trouble = "refused";
    } else if (line.role === "teach") {
      line.followers = news.followers ?? 0;
      if (news.replaced) line.trouble = "replaced";
    } else {
      line.teaches = news.teaches ?? false;
      angle = news.angle ?? angle;
      if (news.address !== undefined) go(news.address);
      // Once a frame, with the newest angle: angles may come faster than the dial is drawn.
      else turning ||= requestAnimationFrame(() => {
        turning = 0;
        turn();
      });
    }
  };

  const go = (/** @type {string} */ address) => {
    const to = new URL(address, root);
    goneAngle = Number(to.searchParams.get("angle"));
    to.searchParams.delete("angle");
    if (to.href === gone) return turn(); // heard again, after the line was lost
    gone = to.href;
    show(goneAngle);
  };
  const show = (/** @type {number} */ degrees) => {
    const to = new URL(gone);
    to.searchParams.set("angle", `${degrees}`);
    if (to.origin !== window.location.origin) return;
    [goneAngle, untaken] = [degrees, 0];
    history[began ? "replaceState" : "pushState"](history.state, "", to);
    began = true;
    window.dispatchEvent(new PopStateEvent("popstate", { state: history.state })); // for Streamlit, which runs the page
  };
  const turn = () => {
    if (angle === undefined || line.role !== "follow") return;
    untaken = window.dispatchEvent(new CustomEvent("tsa-turn", { detail: angle, cancelable: true })) ? untaken + 1 : 0;
    if (untaken > NO_DIAL_REPEATS && angle !== goneAngle) show(angle);
  };

  // Touching anything leaves the teacher's view: pressing, keys, and a wheel that does more than scroll. What is touched to
  // scroll or to reach the sign by keyboard does not.
  const leave = (/** @type {Event} */ event) => {
    const path = event.composedPath();
    if (!event.isTrusted || path.some((one) => one instanceof Element && one.matches(".sign, .window, .join"))) return;
    line.stop();
  };
  const press = (/** @type {PointerEvent} */ event) => {
    const scrolls = !event.composedPath().some((one) => one instanceof Element && getComputedStyle(one).touchAction === "none");
    if (event.pointerType !== "touch" || !scrolls) leave(event);
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(Tab|Shift|Control|Alt|Meta|F\d+)$/.test(event.key)) return;
    leave(event);
  };
  const wheel = (/** @type {WheelEvent} */ event) => {
    if (event.defaultPrevented) leave(event);
  };
  const listen = (/** @type {"addEventListener" | "removeEventListener"} */ method) => {
    window[method]("pointerdown", /** @type {any} */ (press), true);
    window[method]("click", leave, true); // of a touch that did not scroll
    window[method]("keydown", /** @type {any} */ (key), true);
    window[method]("wheel", /** @type {any} */ (wheel));
  };

  // The last angle of a frame is sent, and each angle once.
  const turned = (/** @type {any} */ { detail }) => {
    angle = detail;
    sending ||= requestAnimationFrame(() => {
      sending = 0;
      if (socket?.readyState === WebSocket.OPEN && !line.trouble) socket.send(JSON.stringify({ angle }));
    });
  };

  const line = {
    /** @type {Role} */
    role: "",
    /** @type {Trouble} why there is nothing to hear */
    trouble: "",
    /** Whether the teacher is here, and on the teacher's page: how many follow. */
    teaches: false,
    followers: 0,
    changed: () => {},
    /** Called with every mount of the sign: the ticket is that of the page's session. */
    attend(/** @type {string} */ ours) {
      const isNew = ours !== ticket;
      ticket = ours;
      if (!line.role && stored(KEY)) line.teach();
      else if (!line.role && stored(FOLLOWS)) line.follow();
      else if (line.role === "teach" && isNew && line.trouble !== "replaced") line.teach(); // a new session of Streamlit
    },
    teach() {
      line.stop();
      [line.role, line.trouble] = ["teach", "connecting"];
      window.addEventListener("tsa-turned", turned);
      open();
      line.changed();
    },
    follow() {
      line.stop();
      store(FOLLOWS, "1");
      [line.role, line.trouble, line.teaches] = ["follow", "connecting", false];
      [gone, goneAngle, angle, began] = ["", -1, undefined, false];
      listen("addEventListener");
      repeating = setInterval(turn, REPEAT_MILLISECONDS);
      open();
      line.changed();
    },
    stop() {
      store(FOLLOWS, "");
      [line.role, line.trouble, pause] = ["", "", 0];
      listen("removeEventListener");
      window.removeEventListener("tsa-turned", turned);
      clearInterval(repeating);
      close();
      line.changed();
    },
  };
  return line;
}

/** @param {string} name */
function stored(name) {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
function store(name, value) {
  try {
    if (value) sessionStorage.setItem(name, value);
    else sessionStorage.removeItem(name);
  } catch {}
}
