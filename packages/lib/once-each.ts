/** The function with a memory: what it makes of an argument is made once. */
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
