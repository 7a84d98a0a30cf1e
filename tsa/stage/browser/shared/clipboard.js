// Copying text.

/**
 * Copy to the clipboard, which only secure pages have; elsewhere by selecting the text in a field.
 * @param {string} text
 */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).catch(() => copyFromField(text));
  copyFromField(text);
}

/** @param {string} text */
function copyFromField(text) {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
