/** Returns a function that calls `make` once for each argument and then returns the known value. */
export function onceEach<K, V extends NonNullable<unknown>>(make: (of: K) => V): (of: K) => V {
  const made = new Map<K, V>();
  return (of) => {
    const known = made.get(of);
    if (known !== undefined) return known;
    const value = make(of);
    made.set(of, value);
    return value;
  };
}
