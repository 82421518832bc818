/** What must be on a kernel's command line, and what must not. */
export interface KernelWords {
  wanted: readonly string[];
  unwanted: readonly string[];
}

/** So that Linux switches the IOMMU on: from 6.8 on it does so by itself unless told otherwise, before that on Intel only when told. */
export function iommuWords(vendor: string): KernelWords {
  if (vendor === "GenuineIntel") return { wanted: ["intel_iommu=on"], unwanted: ["intel_iommu=off", "iommu=off"] };
  return { wanted: [], unwanted: ["amd_iommu=off", "iommu=off"] };
}

export function isSatisfied(line: string, { wanted, unwanted }: KernelWords): boolean {
  const words = wordsOf(line);
  return wanted.every((word) => words.includes(word)) && !unwanted.some((word) => words.includes(word));
}

/** A line of a file that is to be another. */
export interface LineEdit {
  text: string;
  /** The line before and after, for whoever reads the plan; "" when there is none yet. */
  from: string;
  to: string;
}

/** /etc/kernel/cmdline: one line, and only the first counts. Undefined when nothing has to be done. */
export function editKernelCmdline(text: string, words: KernelWords): LineEdit | undefined {
  const [first = "", ...rest] = text.split("\n");
  const to = edited(first, words);
  return to === first.trim() ? undefined : { text: [to, ...(rest.length === 0 ? [""] : rest)].join("\n"), from: first, to };
}

const DEFAULT = "GRUB_CMDLINE_LINUX_DEFAULT";
const SETTING = /^(\s*(?:export\s+)?(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=)(["']?)(.*?)\3(\s*(?:#.*)?)$/;

/** /etc/default/grub: what is wanted goes where people put it, what is unwanted goes wherever it is. All other lines stay as they are. */
export function editGrub(text: string, words: KernelWords): LineEdit | undefined {
  const lines = text.split("\n");
  // It is a shell's file: of several the last counts.
  const target = lines.findLastIndex((line) => SETTING.exec(line)?.[2] === DEFAULT);
  const edits: { from: string; to: string }[] = [];
  for (const [index, line] of lines.entries()) {
    const [whole, head = "", , quote = "", value = "", end = ""] = SETTING.exec(line) ?? [];
    if (whole === undefined) continue;
    const to = edited(value, { unwanted: words.unwanted, wanted: index === target ? words.wanted : [] });
    if (to === value.trim()) continue;
    const mark = quote === "" ? '"' : quote;
    edits.push({ from: line, to: `${head}${mark}${to}${mark}${end}` });
    lines[index] = `${head}${mark}${to}${mark}${end}`;
  }
  if (target < 0 && words.wanted.length > 0) {
    const to = `${DEFAULT}="${words.wanted.join(" ")}"`;
    edits.push({ from: "", to });
    lines.splice(lines.at(-1) === "" ? -1 : lines.length, 0, to);
  }
  if (edits.length === 0) return undefined;
  const side = (which: "from" | "to") => edits.map((edit) => edit[which]).join("; ");
  return { text: lines.join("\n"), from: side("from"), to: side("to") };
}

function edited(line: string, { wanted, unwanted }: KernelWords): string {
  const kept = wordsOf(line).filter((word) => !unwanted.includes(word));
  return [...kept, ...wanted.filter((word) => !kept.includes(word))].join(" ");
}

function wordsOf(line: string): string[] {
  return line.split(/\s+/).filter((word) => word !== "");
}
