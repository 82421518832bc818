import { choice, type Wrong } from "./value.ts";

/** Names of Talos volumes: a partition label has 36 characters, of which Talos's prefix uses two. */
export const VOLUME_NAME = /^[A-Za-z0-9-]{1,34}$/;

export function volumeName(value: string): Wrong | undefined {
  return VOLUME_NAME.test(value)
    ? undefined
    : { says: "is not a valid volume name", hint: "use at most 34 letters, digits and hyphens, such as data" };
}

export const filesystem = choice({ about: "File system of a user volume.", of: ["xfs", "ext4"], byDefault: "xfs" }).optional();
