// node release/recording.js: runs `talosmith demo` and writes what a terminal showed to docs/demo.svg, the recording in the README.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const COLUMNS = 100;
const ROWS = 24;
/** Changes closer together than this become one, because they would not be visible. */
const FRAME_MS = 250;
/** A pause in the program takes at most this long in the recording, the last picture stays for so long. */
const PAUSE_MS = 1200;
const END_MS = 8000;

/** The program's output, with times: `[{ ms, text }]`. */
async function record() {
  const home = mkdtempSync(join(tmpdir(), "talosmith-recording-"));
  // As npx starts it.
  const program = join(home, "node_modules/.bin/talosmith");
  mkdirSync(dirname(program), { recursive: true });
  symlinkSync(join(ROOT, "talosmith"), program);
  const npx = { npm_command: "exec", npm_config_package: "" };
  const env = { ...process.env, ...npx, TERM: "xterm", COLUMNS: String(COLUMNS), NO_COLOR: "" };
  const run = (args, node = []) => {
    const child = spawn(process.execPath, [...node, program, ...args], { cwd: home, env });
    return new Promise((done, failed) => {
      const written = [];
      const start = performance.now();
      child.stdout.setEncoding("utf8").on("data", (text) => written.push({ ms: performance.now() - start, text }));
      child.stderr.pipe(process.stderr);
      child.on("error", failed);
      child.on("close", (code) => (code === 0 ? done(written) : failed(new Error(`talosmith ${args[0]} ended with ${code}`))));
    });
  };
  try {
    // The first start may build.
    await run(["--version"]);
    return await run(["demo"], ["--import", pathToFileURL(join(ROOT, "test/support/terminal.mjs")).href]);
  } finally {
    await run(["lab", "stop", "environments/demo"]).catch(() => {});
    rmSync(home, { recursive: true, force: true });
  }
}

const ESC = String.fromCharCode(27);
const SEQUENCE = new RegExp(`${ESC}\\[\\??(\\d*)([A-Za-z])|[^]`, "gu");
const BEGUN = new RegExp(`(${ESC}(\\[[?\\d]*)?)?$`);

/** The rows of a terminal without end, as lists of `[symbol, style]`: what is scrolled away stays. */
class Page {
  rows = [[]];
  row = 0;
  #column = 0;
  #style = "";
  /** The beginning of a sequence whose end was not written yet. */
  #begun = "";

  write(more) {
    const text = this.#begun + more;
    [this.#begun] = BEGUN.exec(text);
    for (const [all, count, letter] of text.slice(0, text.length - this.#begun.length).matchAll(SEQUENCE)) {
      if (letter === undefined) this.#put(all);
      else if (letter === "A") this.row = Math.max(0, this.row - Number(count || 1));
      else if (letter === "K") this.rows[this.row].splice(this.#column);
      else if (letter === "m") this.#style = count === "0" ? "" : `s${count}`;
      else if (letter === "J") {
        this.rows[this.row].splice(this.#column);
        this.rows.splice(this.row + 1);
      }
    }
  }

  #put(symbol) {
    if (symbol === "\r" || symbol === "\n") this.#column = 0;
    else if (this.#column === COLUMNS) this.#down();
    if (symbol === "\n") return this.#down();
    if (symbol === "\r") return;
    const cells = this.rows[this.row];
    while (cells.length < this.#column) cells.push([" ", ""]);
    cells[this.#column++] = [symbol, this.#style];
  }

  #down() {
    this.#column = 0;
    this.row++;
    if (this.row === this.rows.length) this.rows.push([]);
  }
}

const LINE = 18;
/** As wide as a character of 14 px is in the widest of the usual fonts. */
const CHARACTER = 8.43;

const escaped = (text) => text.replace(/[&<>]/g, (one) => `&#${one.charCodeAt(0)};`);

/** One row as SVG: pieces of the same style, each at its own column, so that no font moves them. */
function pieces(cells) {
  const spans = [];
  for (const [column, [symbol, style]] of cells.entries()) {
    const last = spans.at(-1);
    if (last && last.style === style && !(symbol === " " && last.text.endsWith("  "))) last.text += symbol;
    else if (symbol !== " ") spans.push({ column, style, text: symbol });
  }
  return spans
    .map(
      ({ column, style, text }) =>
        `<tspan x="${Math.round((column + 2) * CHARACTER)}"${style && ` class="${style}"`}>${escaped(text.trimEnd())}</tspan>`,
    )
    .join("");
}

/** When each row had which content: `{ row, content, from, to }`, times in milliseconds of the recording. */
function history(written) {
  const page = new Page();
  const open = new Map();
  const shown = [];
  const tops = [{ ms: 0, top: 0 }];
  let [now, before, drawn] = [0, 0, 0];
  for (const [at, { ms, text }] of written.entries()) {
    now += Math.min(ms - before, PAUSE_MS);
    before = ms;
    page.write(text);
    const next = written[at + 1];
    if (next && next.ms - ms < FRAME_MS && now - drawn < FRAME_MS) continue;
    drawn = now;
    const top = Math.max(0, page.rows.length - ROWS);
    if (top !== tops.at(-1).top) tops.push({ ms: now, top });
    for (let row = 0; row < Math.max(page.rows.length, open.size); row++) {
      const content = pieces(page.rows[row] ?? []);
      const old = open.get(row);
      if (old?.content === content) continue;
      if (old?.content) shown.push({ ...old, to: now });
      open.set(row, { row, content, from: now });
    }
  }
  for (const last of open.values()) if (last.content) shown.push(last);
  return { shown, tops, end: Math.round(now + END_MS) };
}

const STYLE = `
:root{--back:#f6f8fa;--line:#d0d7de;--text:#1f2328;--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--faint:#656d76;--accent:#0969da}
@media(prefers-color-scheme:dark){:root{--back:#0d1117;--line:#30363d;--text:#e6edf3;--good:#3fb950;--bad:#f85149;--warn:#d29922;--faint:#8d96a0;--accent:#58a6ff}}
text{font:14px/18px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:var(--text);white-space:pre}
.s1{font-weight:bold}.s2{fill:var(--faint)}.s31{fill:var(--bad)}.s32{fill:var(--good)}.s33{fill:var(--warn)}.s36{fill:var(--accent)}
.gone{visibility:hidden}
`;

/** The animated picture of what a program wrote: `command` is what was typed to start it. */
export function recording(command, written) {
  const { shown, tops, end } = history([{ ms: 0, text: `$ ${ESC}[1m${command}${ESC}[0m\n` }, ...written]);
  const percent = (ms) => `${Math.round((ms / end) * 10_000) / 100}%`;
  const rules = new Map();
  const animated = (frames) => {
    if (!rules.has(frames)) rules.set(frames, `a${rules.size.toString(36)}`);
    return rules.get(frames);
  };
  const rows = shown.map(({ row, content, from, to }) => {
    const leave = to === undefined ? "" : `${percent(to)}{visibility:hidden}`;
    const name = from === 0 && !leave ? "" : animated(`0%{visibility:hidden}${percent(from)}{visibility:visible}${leave}`);
    const classes = [to === undefined ? "" : "gone", name].filter(Boolean).join(" ");
    return `<text y="${row * LINE}"${classes && ` class="${classes}"`}>${content}</text>`;
  });
  const scroll = animated(tops.map(({ ms, top }) => `${percent(ms)}{transform:translateY(-${top * LINE}px)}`).join(""));
  const css = [...rules].map(
    ([frames, name]) => `@keyframes ${name}{${frames}}.${name}{animation:${name} ${end}ms step-end infinite}`,
  );
  const [width, height] = [Math.round((COLUMNS + 4) * CHARACTER), (ROWS + 2) * LINE];
  const last = `transform="translate(0 -${tops.at(-1).top * LINE})"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal in which ${escaped(command)} runs">
<style>${STYLE}@media(prefers-reduced-motion:no-preference){
${css.join("\n")}
}</style>
<rect width="100%" height="100%" rx="8" style="fill:var(--back);stroke:var(--line)"/>
<svg role="img" aria-label="its rows" y="${LINE}" width="100%" height="${ROWS * LINE}"><g class="${scroll}" ${last}><g transform="translate(0 14)">
${rows.join("\n")}
</g></g></svg>
</svg>
`;
}

/** The text of the last picture of a recording, as lines without blanks at their ends; a test compares it with what the program prints now. */
export function lastPicture(svg) {
  const rows = [...svg.matchAll(/<text y="\d+"(?! class="gone)[^>]*>(.*)<\/text>/g)];
  return rows.map(([, row]) =>
    row
      .replace(/<[^>]*>/g, " ")
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
      .trim(),
  );
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(join(ROOT, "docs/demo.svg"), recording("npx talosmith demo", await record()));
