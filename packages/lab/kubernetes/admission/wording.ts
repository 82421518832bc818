/** Formatting of names in the plugin's messages. */

export function quoted(names: readonly (string | undefined)[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}

export function plural(items: readonly unknown[], word: string): string {
  return items.length === 1 ? word : `${word}s`;
}

/** `container "a"`, `containers "a", "b"` */
export function named(containers: readonly { name: string }[]): string {
  return `${plural(containers, "container")} ${quoted(containers.map(({ name }) => name))}`;
}

/** The pod itself, some of its containers, or both, set a value. */
export function withPod(pod: boolean, containers: readonly { name: string }[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [named(containers)] : [])].join(" and ");
}

/** The pod or these containers should have set a value. */
export function withoutPod(containers: readonly { name: string }[]): string {
  return `pod or ${named(containers)}`;
}
