// Runs before Streamlit's own scripts, on every page of the app: `index.py` puts it into the HTML.

(() => {
  // Where the server is: the place that relative addresses of this page start from. Streamlit would look for it below the
  // page first (/filters/_stcore/health), which does not exist.
  Object.assign(window, { __streamlit: { BACKEND_BASE_URL: new URL(".", location.href).href } });

  // Streamlit adds an entry to the history whenever the link of the view changes. Turning, pointing and arrow keys change
  // it many times: Back must lead to the last choice, not through every step.
  const steps = new Set(["angle", "circle", "filter", "shift", "window", "at", "tryshift", "frame"]); // parameters that such steps change
  const stepKeys = /^(Arrow|Page|Home|End)/;
  let lastKey = ""; // empty after the pointer was pressed
  addEventListener("keydown", ({ key }) => (lastKey = key), true);
  addEventListener("pointerdown", () => (lastKey = ""), true);
  const push = history.pushState;
  history.pushState = (state, unused, address) => {
    const to = new URL(address ?? "", location.href);
    const [before, after] = [new URLSearchParams(location.search), to.searchParams];
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
    const isStep = to.pathname === location.pathname && (stepKeys.test(lastKey) || changed.every((name) => steps.has(name)));
    (isStep ? history.replaceState : push).call(history, state, unused, address);
  };

  // The address with which a teacher begins a class ends in a key. The tab keeps it, and it leaves the address bar at once:
  // the screen may be on the wall, and addresses are copied.
  const takeKey = () => {
    const key = /^#teacher=([\w-]+)$/.exec(location.hash)?.[1];
    if (!key) return false;
    try {
      sessionStorage.setItem("tsa-teacher", key);
    } catch {} // storage may be forbidden
    history.replaceState(history.state, "", location.pathname + location.search);
    return true;
  };
  takeKey();
  addEventListener("hashchange", () => takeKey() && location.reload());

  // The lab is at the bare address; who types its name means that one.
  const named = /\/lab$/.test(location.pathname);
  if (named) history.replaceState(history.state, "", `./${location.search}${location.hash}`);

  // The first visit, without a link, begins at Home. Who comes by a link sees what it names.
  try {
    const bare = location.pathname.endsWith("/") && !location.search && !location.hash;
    if (bare && !named && !localStorage.getItem("tsa-been")) push.call(history, history.state, "", "home");
    if (bare) localStorage.setItem("tsa-been", "1");
  } catch {} // storage may be forbidden

  // When the server is gone, Streamlit asks whether there is an internet. This app needs none: say what is true instead.
  const words = new Map([
    ["Connection error", "The explorer does not answer"],
    [
      "Streamlit server is not responding. Are you connected to the internet?",
      "It has been stopped, or the network is interrupted. This page goes on by itself when it is back: the address bar keeps what you see, and what is on screen still turns.",
    ],
  ]);
  let [lost, looking] = [false, 0];
  const say = () => {
    const texts = document.createTreeWalker(document.querySelector("[role=dialog]") ?? new Text(), NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) text.nodeValue = words.get(text.nodeValue ?? "") ?? text.nodeValue;
  };
  new MutationObserver(([{ target }]) => {
    clearInterval(looking);
    const state = target instanceof Element && target.getAttribute("data-test-connection-state");
    if (state === "CONNECTED" && lost) dispatchEvent(new Event("tsa-reconnected")); // heard by `ticket.js`
    lost = state === "PINGING_SERVER" || (lost && state !== "CONNECTED");
    if (lost) looking = setInterval(say, 200);
  }).observe(document, { subtree: true, attributeFilter: ["data-test-connection-state"] });

  // On a narrow screen the menu covers the page. Streamlit keeps in the browser that it was open: start without it, and
  // close it when a page has been chosen.
  const narrow = matchMedia("(max-width: 768px)");
  try {
    const open = Object.keys(localStorage).filter((name) => name.startsWith("stSidebarCollapsed"));
    if (narrow.matches) for (const name of open) localStorage.removeItem(name);
  } catch {} // storage may be forbidden
  const close = () => {
    /** @type {HTMLElement | null} */
    const button = document.querySelector("[data-testid=stSidebarCollapseButton] button");
    button?.click();
  };
  addEventListener("click", ({ target }) => {
    const link = target instanceof Element && target.closest("[data-testid=stSidebarNavLink]");
    if (link && narrow.matches) setTimeout(close);
  });
})();
