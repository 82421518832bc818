/** Escapes markup, for text in tables and sentences. */
export function plainText(text: string): string {
  return text.replaceAll("\n", " ").replace(/[\\`*_{}[\]<>|#]/g, (sign) => `\\${sign}`);
}

export function code(text: string): string {
  return fenced(text.replaceAll("\n", " ").replaceAll("|", "\\|"), longestRun(text) + 1);
}

function fenced(text: string, ticks: number): string {
  const fence = "`".repeat(ticks);
  return ticks > 1 || text === "" ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

export function codeBlock(text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}

/** Makes a table; cells are markup already. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  return [titles, titles.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

/** Makes a section; empty without content. */
export function section(title: string, ...content: readonly string[]): string[] {
  const filled = content.filter((part) => part !== "");
  return filled.length === 0 ? [] : [`## ${title}`, ...filled];
}

export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}
