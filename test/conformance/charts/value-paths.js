/** The paths among our values that a chart's values.yaml does not have: it would not look at them. */
export function unknownPaths(ours, chart, path = "") {
  return Object.entries(ours).flatMap(([key, value]) => {
    const here = path === "" ? key : `${path}.${key}`;
    if (!Object.hasOwn(chart, key)) return [here];
    return isMap(value) && isMap(chart[key]) && !isFree(chart[key]) ? unknownPaths(value, chart[key], here) : [];
  });
}

/** An empty map is for its user to fill. */
const isFree = (map) => Object.keys(map).length === 0;
const isMap = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
