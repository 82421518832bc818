import { cursorUp, ERASE_BELOW, ERASE_TO_LINE_END, HIDE_CURSOR, SHOW_CURSOR } from "./ansi.ts";
import { type Line, lineWidth, render } from "./line.ts";
import type { Terminal } from "./terminal.ts";

interface Row {
  text: string;
  width: number;
}

/**
 * The lines at the bottom of the terminal that are drawn again and again. The cursor rests on the line below them. Old lines are
 * written over, never wiped first: that would flicker, and tmux keeps a copy of whatever is wiped from the top of a screen.
 */
export class LiveBlock {
  readonly #terminal: Terminal;
  #drawn: Row[] = [];
  #columns = 0;
  #hidden = false;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Draws the block. Every line must be narrower than the terminal, and there must be fewer lines than rows. */
  draw(lines: readonly Line[]): void {
    const next = this.#rendered(lines);
    const resized = this.#columns !== this.#terminal.columns();
    if (next.length === 0) this.clear();
    else this.#terminal.write(this.#hide(next) + (resized ? this.#over(next) : this.#differences(next)));
    this.#keep(next);
  }

  /** Prints lines above the block, where they stay. */
  print(lines: readonly Line[], block: readonly Line[]): void {
    const next = this.#rendered(block);
    this.#terminal.write(this.#hide(next) + this.#over([...this.#rendered(lines), ...next]));
    this.#keep(next);
  }

  /** Removes the block from the screen. */
  clear(): void {
    if (this.#drawn.length === 0 && !this.#hidden) return;
    const blank = Array.from({ length: this.#height() }, () => ({ text: "", width: 0 }));
    this.#terminal.write(this.#over(blank) + cursorUp(blank.length) + this.#show());
    this.#keep([]);
  }

  /** Leaves the last drawing on the screen. */
  leave(): void {
    this.#terminal.write(this.#show());
    this.#keep([]);
  }

  #rendered(lines: readonly Line[]): Row[] {
    return lines.map((line) => ({ text: render(line, this.#terminal.colour), width: lineWidth(line) }));
  }

  #keep(lines: Row[]): void {
    this.#drawn = lines;
    this.#columns = this.#terminal.columns();
  }

  /** Counts the rows of the last drawing: a terminal that became narrower breaks lines into several rows. */
  #height(): number {
    const columns = Math.max(1, this.#terminal.columns());
    return this.#drawn.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0);
  }

  #over(rows: readonly Row[]): string {
    if (this.#drawn.length === 0) return rows.map(({ text }) => `${text}\n`).join("");
    return `${cursorUp(this.#height())}\r${rows.map((row) => this.#written(row)).join("")}${ERASE_BELOW}`;
  }

  #written({ text, width }: Row): string {
    // Behind the last column, erasing would take away the last letter; there is nothing left to erase either.
    const full = width > 0 && width % Math.max(1, this.#terminal.columns()) === 0;
    return `${text}${full ? "" : ERASE_TO_LINE_END}\n`;
  }

  #differences(next: readonly Row[]): string {
    const same = (index: number) => next[index]?.text === this.#drawn[index]?.text;
    const first = next.findIndex((_, index) => !same(index));
    if (first === -1 && next.length === this.#drawn.length) return "";
    const from = first === -1 ? next.length : first;
    const rows = next.slice(from).map((row, offset) => (same(from + offset) ? "\n" : this.#written(row)));
    // Also takes away what was typed meanwhile, such as "^C".
    return `${cursorUp(this.#drawn.length - from)}\r${rows.join("")}${ERASE_BELOW}`;
  }

  #hide(next: readonly Row[]): string {
    if (this.#hidden || next.length === 0) return "";
    this.#hidden = true;
    return HIDE_CURSOR;
  }

  #show(): string {
    if (!this.#hidden) return "";
    this.#hidden = false;
    return SHOW_CURSOR;
  }
}
