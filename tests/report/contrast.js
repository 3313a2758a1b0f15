// What is hard to read: text below AA (4.5 to 1; 3 to 1 if large), curves below 3 to 1.
(() => {
  const channel = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const colour = parse(getComputedStyle(element).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    throw new Error('no background');
  };
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    const words = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!words || !element.checkVisibility() || element.closest('.unseen, .skip, .tip')) continue;
    const style = getComputedStyle(element);
    const large = parseFloat(style.fontSize) >= 24;
    const value = ratio(parse(style.color), behind(element));
    if (value < (large ? 3 : 4.5)) found.push([element.outerHTML.slice(0, 80), value]);
  }
  const hex = (name) => {
    const text = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  };
  for (const [name, least] of [['--muted', 4.5], ...[0, 1, 2, 3, 4, 5, 6].map((n) => [`--c${n}`, 3])])
    if (ratio(hex(name), hex('--card')) < least) found.push([name, ratio(hex(name), hex('--card'))]);
  return found;
})()
