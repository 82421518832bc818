import { noTar } from "./header.ts";

const LONGEST = 4096;
const DEEPEST = 32;
const LONGEST_PART = 255;

/** The entry names of an archive: each occurs once, and none points outside. */
export class Names {
  /** "implied": a parent folder without an entry of its own yet. */
  readonly #seen = new Map<string, "file" | "folder" | "implied">([["", "implied"]]);
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Checks and normalizes a name; "" is the top folder. */
  take(written: string, kind: "file" | "folder"): string {
    const parts = partsOf(written);
    const name = parts.join("/");
    const refuse = (what: string, why: string) => noTar(`${JSON.stringify(what)} is ${why}`);
    const before = this.#seen.get(name);
    if (kind === "file" && before === "implied") throw refuse(name, "both a file and a folder");
    if (before !== undefined && before !== "implied") throw refuse(name, "in the archive twice");
    for (const depth of parts.keys()) {
      const above = parts.slice(0, depth).join("/");
      if (this.#seen.get(above) === "file") throw refuse(above, "both a file and a folder");
      if (!this.#seen.has(above)) this.#seen.set(above, "implied");
    }
    this.#seen.set(name, kind);
    if (this.#seen.size > this.#most) throw noTar("it is too large");
    return name;
  }
}

function partsOf(written: string): string[] {
  const refuse = (why: string) => noTar(`the name ${JSON.stringify(written.slice(0, 200))} ${why}`);
  if (written.length > LONGEST) throw refuse("is too long");
  if (written.includes("\0") || written.includes("\uFFFD")) throw refuse("is not valid UTF-8");
  const parts = written.split("/").filter((part) => part !== "" && part !== ".");
  if (written.startsWith("/") || parts.includes("..")) throw refuse("points outside the archive");
  if (parts.length > DEEPEST || parts.some((part) => Buffer.byteLength(part) > LONGEST_PART)) throw refuse("is too long");
  return parts;
}
