// Return the texts of a page whose contrast with what is behind them is below 4.5, as WCAG computes it.
const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
const context = canvas.getContext("2d", { willReadFrequently: true });
const known = new Map();
const rgb = (colour) => {
  if (!known.has(colour)) {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    known.set(colour, [...context.getImageData(0, 0, 1, 1).data]);
  }
  return known.get(colour);
};
const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = rgb(getComputedStyle(at).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255];
};
const LEFT_OUT = "script, noscript, figure svg, [hidden], .visually-hidden, .skip, button:disabled";
const low = [];
for (const element of document.querySelectorAll("body *")) {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!hasText || element.closest(LEFT_OUT) || !element.getClientRects().length) continue;
  const style = getComputedStyle(element);
  const colour = element.closest("svg") ? style.fill : style.color;
  const [high, less] = [luminance(rgb(colour)), luminance(behind(element))].sort((a, b) => b - a);
  const contrast = (high + 0.05) / (less + 0.05);
  if (contrast < 4.5) low.push(`${element.tagName} ${element.textContent.trim().slice(0, 30)}: ${contrast.toFixed(2)}`);
}
return low;
