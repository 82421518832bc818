/**
 * A source with many mutants in it, each behind a question: `$mutant(7)` says whether mutant 7 is the active one. So a file is compiled once, not once per
 * mutant.
 */
export function withMutants(source, mutants) {
  return rendered(source, 0, source.length, groups(mutants));
}

/** Mutants of the same place, outer places before the inner ones. */
function groups(mutants) {
  const places = new Map();
  for (const mutant of mutants) {
    const key = `${mutant.start} ${mutant.end} ${mutant.kind}`;
    if (!places.has(key)) places.set(key, { start: mutant.start, end: mutant.end, kind: mutant.kind, mutants: [] });
    places.get(key).mutants.push(mutant);
  }
  return [...places.values()].sort(
    (a, b) => a.start - b.start || b.end - a.end || Number(a.kind === "expression") - Number(b.kind === "expression"),
  );
}

function rendered(source, from, to, places) {
  let text = "";
  let at = from;
  for (let next = 0; next < places.length; ) {
    const place = places[next];
    const after = places.findIndex((one, index) => index > next && one.start >= place.end);
    const inner = places.slice(next + 1, after === -1 ? places.length : after);
    text += source.slice(at, place.start) + switched(place, rendered(source, place.start, place.end, inner));
    at = place.end;
    next += 1 + inner.length;
  }
  return text + source.slice(at, to);
}

/** Only one mutant is active at a time, so the mutated side holds no other. */
function switched({ kind, mutants }, original) {
  return mutants.reduce(
    (rest, { id, replacement }) =>
      kind === "statement"
        ? `{ if ($mutant(${id})) { ${replacement} } else { ${rest} } }`
        : `($mutant(${id}) ? (${replacement}) : (${rest}))`,
    original,
  );
}
