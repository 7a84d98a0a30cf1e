// Texts on the page. Sentences and templates come from Python or stand in the HTML; none are composed here.

/**
 * Set a text only if it differs: the same text again would make the browser lay out the page again.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * A template with its {names} replaced by values.
 * @param {string} template
 * @param {Record<string, string | number>} values
 */
export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (_, name) => `${values[name]}`);

/**
 * The same text with spaces that do not break a line between a number and its unit, or around ±.
 * @param {string} text
 */
export const withWholeNumbers = (text) => text.replace(/(\d) (?=px|%|±)/g, "$1\u00a0").replace(/([±=]) (?=\d)/g, "$1\u00a0");

/**
 * A whole number with a minus sign, which is longer than a hyphen.
 * @param {number} value
 */
export const signedText = (value) => `${value}`.replace("-", "−");

/**
 * Show the options of a canvas to assistive technology: one element inside the canvas for each text.
 * @param {HTMLCanvasElement} canvas with the role "listbox"
 * @param {string[]} texts
 * @param {number} chosen index of the selected option, or -1
 */
export function listOptions(canvas, texts, chosen) {
  const id = (/** @type {number} */ i) => `${canvas.className}-option-${i}`;
  texts.forEach((text, i) => {
    const option = canvas.children[i] ?? canvas.appendChild(document.createElement("span"));
    option.id = id(i);
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", `${i === chosen}`);
    setText(option, text);
  });
  while (canvas.children.length > texts.length) canvas.lastElementChild?.remove();
  if (chosen in texts) canvas.setAttribute("aria-activedescendant", id(chosen));
  else canvas.removeAttribute("aria-activedescendant");
}
