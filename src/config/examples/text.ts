const COLUMN = 41;

/** Lines of a template: what follows § is a comment, and all comments begin in one column. */
export function aligned(template: string): string {
  return template
    .split("\n")
    .map((line) => {
      const [code = "", comment] = line.split(" § ");
      return comment === undefined ? line : `${code.padEnd(COLUMN - 1)} # ${comment}`;
    })
    .join("\n");
}

const PLAIN = /^(\$\{.+\}|[A-Za-z0-9/][\w./-]*)$/;
/** Numbers and words that YAML takes for something else than text. */
const MISREAD = /^([\d.]*e?[\d]+|0[xo][\da-f]+|true|false|null|yes|no|on|off|y|n)$/i;
const ADDRESS = /^\d+\.\d+\.\d+\.\d+$/;

/** Text as YAML, inside and outside of [ ]. */
export function word(text: string): string {
  return PLAIN.test(text) && (ADDRESS.test(text) || !MISREAD.test(text)) ? text : JSON.stringify(text);
}

export const words = (all: readonly string[]) => `[${all.map(word).join(", ")}]`;
