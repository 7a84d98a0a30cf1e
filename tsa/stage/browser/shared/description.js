// The text that a screen reader gets of a component, shown beside its pictures for everybody. It is read from the same
// elements and attributes that the screen reader reads, so that it cannot say anything else.

import { setText } from "./text.js";

/** @import { Find } from "./mount.js" */

const TEXTS = "p, h2, figcaption, strong, .because, [role=img], [role=slider], [role=listbox]";
const LEFT_OUT = "[aria-hidden=true], [popover]:not(.stage), .description, [role=status]"; // and controls

/**
 * What is said of the elements inside `root` that can be seen, in their order.
 * @param {HTMLElement} root
 * @returns {string[]}
 */
export function spokenTexts(root) {
  const found = [];
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(TEXTS))) {
    if (element.closest(LEFT_OUT) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const text = spoken(element).replace(/\s+/g, " ").trim();
    if (text) found.push(text);
  }
  return found;
}

/** @param {HTMLElement} element */
function spoken(element) {
  const label = element.getAttribute("aria-label") ?? "";
  switch (element.getAttribute("role")) {
    case "img":
      return label;
    case "slider":
      return `${label}: ${element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow")}`;
    case "listbox":
      return [label, ...Array.from(element.children, (option) => option.textContent)].join(" ");
    default:
      return element.textContent ?? "";
  }
}

/**
 * The panel of a component with the elements `describe` (a button), `description` and `described` (a list).
 * @param {Find} find
 * @param {HTMLElement} root
 */
export function description(find, root) {
  const self = {
    shown: false,
    show(/** @type {boolean} */ on) {
      self.shown = on;
      find("description").hidden = !on;
      find("describe").setAttribute("aria-pressed", `${on}`);
    },
    toggle() {
      self.show(!self.shown);
      self.refresh();
      if (self.shown) find("description").scrollIntoView({ block: "nearest" });
    },
    /** Show what the screen reader gets now. */
    refresh() {
      if (!self.shown) return;
      const list = find("described");
      const texts = spokenTexts(root);
      while (list.children.length > texts.length) list.lastElementChild.remove();
      texts.forEach((text, i) => setText(list.children[i] ?? list.appendChild(document.createElement("li")), text));
    },
  };
  return self;
}
