import { jsonOf, linesOf, type Sections } from "./sections.ts";

/** The content of a device by lsblk and blkid, which the kernel itself does not know. */
export interface Content {
  readonly filesystem?: string;
  readonly label?: string;
  readonly table?: string;
  readonly model?: string;
  readonly serial?: string;
  readonly wwn?: string;
  readonly transport?: string;
}

/** The contents by the kernel's device names. blkid is used where there is no lsblk. */
export function contentsOf(sections: Sections): ReadonlyMap<string, Content> {
  const contents = new Map<string, Content>();
  const add = (name: string, content: Content) => contents.set(name, { ...content, ...contents.get(name) });
  const lsblk = linesOf(sections, "lsblk");
  const json = jsonOf(lsblk);
  const rows = json === undefined ? lsblk.map(pairsOf) : rowsOf(json);
  for (const row of rows) {
    const name = row.get("kname") ?? row.get("name");
    if (name !== undefined) add(name, contentOf(row));
  }
  for (const line of linesOf(sections, "blkid")) {
    const [, path, rest] = /^\/dev\/([^:]+):\s*(.*)$/.exec(line) ?? [];
    if (path === undefined || rest === undefined) continue;
    const row = pairsOf(rest);
    const said = new Map([...row, ["fstype", row.get("type") ?? ""] as const]);
    add(path.replaceAll("/", "!"), contentOf(said));
  }
  return contents;
}

type Row = ReadonlyMap<string, string>;

function contentOf(row: Row): Content {
  const text = (key: string) => row.get(key)?.trim() || undefined;
  const said = {
    filesystem: text("fstype"),
    label: text("label"),
    table: text("pttype"),
    model: text("model"),
    serial: text("serial"),
    wwn: text("wwn"),
    transport: text("tran"),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

/** NAME="sda" SIZE="1" as lsblk -P, LABEL="boot" TYPE="ext4" as blkid; keys in lower case. */
function pairsOf(line: string): Row {
  return new Map(
    [...line.matchAll(/([A-Z][A-Z0-9_:-]*)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", value = ""]) => [
      key.toLowerCase(),
      plain(value),
    ]),
  );
}

/** Both write odd characters as \x20. */
function plain(text: string): string {
  return text.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** lsblk -J: a tree, older ones with texts for everything. */
function rowsOf(json: unknown): Row[] {
  const rows: Row[] = [];
  const waiting: unknown[] = [json];
  for (let at = 0; at < waiting.length; at++) {
    const one = waiting[at];
    if (Array.isArray(one)) waiting.push(...one);
    else if (typeof one === "object" && one !== null) {
      const entries = Object.entries(one);
      rows.push(new Map(entries.flatMap(([key, value]) => (typeof value === "string" ? [[key, value]] : []))));
      waiting.push(...entries.filter(([key]) => key === "blockdevices" || key === "children").map(([, value]) => value));
    }
  }
  return rows;
}
