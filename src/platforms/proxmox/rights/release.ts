/** The parts of a Proxmox version that behaviour depends on. */
export interface Release {
  major: number;
  minor: number;
}

/** "9.2.11", "8.4.21~1" */
export function releaseOf(version: string): Release {
  const [major = 0, minor = 0] = version.split(/[.~-]/).map(Number);
  return { major, minor };
}

export function isOlder(one: Release, other: Release): boolean {
  return one.major < other.major || (one.major === other.major && one.minor < other.minor);
}
