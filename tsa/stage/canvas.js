// Small things that every canvas of ours needs.

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

// How to draw on a card. Canvas does not resolve color-mix(); what wears such a colour does.
function penStyle(card) {
  const { color, fontFamily, backgroundColor: paper, borderTopColor: line } = getComputedStyle(card);
  return { color, fontFamily, paper, line };
}

// Bytes as a grey picture, at the canvas's own size.
function greyscale(canvas, values) {
  const image = new ImageData(canvas.width, canvas.height);
  const words = new Uint32Array(image.data.buffer);
  for (let i = 0; i < words.length; i++) words[i] = 0xff000000 | (values[i] * 0x10101);
  canvas.getContext("2d").putImageData(image, 0, 0);
}

function paint(canvas, values, side) {
  if (canvas.width !== side || canvas.height !== side) canvas.width = canvas.height = side;
  greyscale(canvas, values);
}

// Bytes as a curve in a box.
function signal(pen, values, x, y, width, height, style) {
  pen.strokeStyle = style.line;
  pen.lineWidth = 1;
  pen.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1);
  pen.strokeStyle = style.color;
  pen.lineWidth = 1.4;
  pen.beginPath();
  values.forEach((value, i) => pen.lineTo(x + ((i + 0.5) * width) / values.length, y + height * (0.95 - 0.9 * (value / 255))));
  pen.stroke();
}

// A clean canvas of the size it is shown at, and a pen that remembers nothing of the last picture.
function context(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext("2d");
  pen.reset();
  pen.scale(ratio, ratio);
  pen.lineCap = "round";
  return [pen, width, height];
}

// What a canvas shows as a list to choose from, for those who do not see it: one option for each text, inside it.
function listOptions(canvas, texts, chosen) {
  const name = (i) => `${canvas.className}-option-${i}`;
  const options = texts.map((text, i) => {
    const option = canvas.children[i] ?? canvas.appendChild(document.createElement("span"));
    option.id = name(i);
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", i === chosen);
    setText(option, text);
    return option;
  });
  while (canvas.children.length > options.length) canvas.lastChild.remove();
  if (chosen in options) canvas.setAttribute("aria-activedescendant", name(chosen));
  else canvas.removeAttribute("aria-activedescendant");
}

// Where a key leads from one of `count` things in rows of `columns`; undefined if it leads nowhere.
function stepped(key, from, columns, count) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -count, End: count };
  return key in steps ? Math.min(count - 1, Math.max(0, from + steps[key])) : undefined;
}
