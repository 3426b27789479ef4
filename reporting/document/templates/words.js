// Which words of two texts differ. What they begin and end with alike is left aside; what is between is compared word by
// word while that costs little, and differs as a whole where the texts are too long for it.
const MOST_CELLS = 4000000;

function differingWords(before, after) {
  const [old, young] = [before, after].map((text) => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) || []);
  let start = 0;
  while (start < old.length && start < young.length && old[start] === young[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, young.length) - start && old[old.length - 1 - end] === young[young.length - 1 - end]) end += 1;
  const middles = [old, young].map((words) => words.slice(start, words.length - end));
  const kept = commonWords(...middles);
  return [old, young].map((words, side) => {
    const changed = (at) => at >= start && at < words.length - end && !kept[side].has(at - start);
    return runs(words, changed);
  });
}

// The places of the longest common run of words in both texts, none where finding it would take too long.
function commonWords(old, young) {
  const places = [new Set(), new Set()];
  if (old.length * young.length > MOST_CELLS) return places;
  const width = young.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let at = young.length - 1; at >= 0; at -= 1) {
      const cell = row * width + at;
      lengths[cell] = old[row] === young[at] ? lengths[cell + width + 1] + 1 : Math.max(lengths[cell + width], lengths[cell + 1]);
    }
  }
  let [row, at] = [0, 0];
  while (row < old.length && at < young.length) {
    if (old[row] === young[at]) {
      places[0].add(row);
      places[1].add(at);
      row += 1;
      at += 1;
    } else if (lengths[(row + 1) * width + at] >= lengths[row * width + at + 1]) row += 1;
    else at += 1;
  }
  return places;
}

// [text, does it differ] of words side by side that are alike in that; blanks between words that differ differ as well.
function runs(words, changed) {
  const found = [];
  words.forEach((word, at) => {
    const isChanged = changed(at) || (/^\s+$/.test(word) && at > 0 && changed(at - 1) && at + 1 < words.length && changed(at + 1));
    if (found.length && found[found.length - 1][1] === isChanged) found[found.length - 1][0] += word;
    else found.push([word, isChanged]);
  });
  return found;
}
