/** The words that must be on a kernel's command line, and those that must not. */
export interface KernelWords {
  wanted: readonly string[];
  unwanted: readonly string[];
}

/** The words that switch on Linux's IOMMU: from 6.8 on it is on by default, before that Intel needs a word. */
export function iommuWords(vendor: string): KernelWords {
  if (vendor === "GenuineIntel") return { wanted: ["intel_iommu=on"], unwanted: ["intel_iommu=off", "iommu=off"] };
  return { wanted: [], unwanted: ["amd_iommu=off", "iommu=off"] };
}

export function isSatisfied(line: string, { wanted, unwanted }: KernelWords): boolean {
  const words = wordsOf(line);
  return wanted.every((word) => words.includes(word)) && !unwanted.some((word) => words.includes(word));
}

/** The replacement of a line in a file. */
export interface LineEdit {
  text: string;
  /** The line before and after, for the plan; "" when there is none yet. */
  from: string;
  to: string;
}

/** Edits /etc/kernel/cmdline, of which only the first line counts. Undefined when no change is needed. */
export function editKernelCmdline(text: string, words: KernelWords): LineEdit | undefined {
  const [first = "", ...rest] = text.split("\n");
  const to = edited(first, words);
  return to === first.trim() ? undefined : { text: [to, ...(rest.length === 0 ? [""] : rest)].join("\n"), from: first, to };
}

const DEFAULT = "GRUB_CMDLINE_LINUX_DEFAULT";
const SETTING = /^(\s*(?:export\s+)?(GRUB_CMDLINE_LINUX(?:_DEFAULT)?)=)(["']?)(.*?)\3(\s*(?:#.*)?)$/;

/** Edits /etc/default/grub: adds missing words to the usual variable and removes unwanted ones from all. All other lines are kept. */
export function editGrub(text: string, words: KernelWords): LineEdit | undefined {
  const lines = text.split("\n");
  // The file is a shell script: the last assignment counts.
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
