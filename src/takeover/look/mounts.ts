import { linesOf, type Sections } from "./sections.ts";

export interface Mount {
  readonly at: string;
  readonly filesystem: string;
  /** "/dev/sda1", "tmpfs", "10.0.0.1:/nfs" */
  readonly source: string;
  /** The kernel's number of the device, which is right where a source is "/dev/root". */
  readonly number?: string;
}

/** In the order in which they were mounted. */
export function mountsOf(sections: Sections): readonly Mount[] {
  const mounts = linesOf(sections, "mountinfo").flatMap(fromMountinfo);
  return mounts.length > 0 ? mounts : linesOf(sections, "mounts").flatMap(fromMounts);
}

/** proc(5): "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue" */
function fromMountinfo(line: string): Mount[] {
  const [before = "", after = ""] = line.split(" - ");
  const [, , number = "", , at] = before.split(" ");
  const [filesystem, source] = after.split(" ");
  if (at === undefined || filesystem === undefined || source === undefined) return [];
  return [{ at: unescaped(at), filesystem, source: unescaped(source), number }];
}

function fromMounts(line: string): Mount[] {
  const [source, at, filesystem] = line.split(" ");
  if (source === undefined || at === undefined || filesystem === undefined) return [];
  return [{ at: unescaped(at), filesystem, source: unescaped(source) }];
}

/** Files and devices that are swapped to. */
export function swapsOf(sections: Sections): readonly string[] {
  return linesOf(sections, "swaps").flatMap((line) => {
    const [path = ""] = line.trim().split(/\s+/);
    return path.startsWith("/") ? [unescaped(path)] : [];
  });
}

/** Spaces and the like are octal there. */
function unescaped(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
