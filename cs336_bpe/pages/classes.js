
// --- Classes of characters ---------------------------------------------------------------------

// A function that gives the class of a character. `runs` has the class of every code point: a
// class, and how many in a row have it.
function classFinder(runs) {
  const ends = [], classes = [];
  for (let n = 0, end = 0; n < runs.length; n += 2) {
    end += runs[n + 1];
    classes.push(runs[n]);
    ends.push(end);
  }
  return (character) => {
    const point = character.codePointAt(0);
    let low = 0, high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle] > point) high = middle;
      else low = middle + 1;
    }
    return classes[low];
  };
}
