import type { Terminal } from "../terminal.ts";
import { textWidth } from "../text-width.ts";

const SEQUENCE = new RegExp(`${String.fromCharCode(27)}\\[(\\??)(\\d*)([A-Za-z])`, "y");

/** A terminal in memory: what a person would see after everything written to it. */
export class Screen implements Terminal {
  readonly isTerminal = true;
  /** Every row ever shown, the scrolled-away ones first. */
  #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  cursorShown = true;
  colours = 0;
  /** Everything written, as it was. */
  raw = "";
  /** How often everything was erased from the very top, which makes tmux keep a copy of it. */
  wipes = 0;
  /** How often the cursor was sent above the top: something taller than the terminal had been drawn. */
  overshoots = 0;

  constructor(
    public width = 100,
    public height = 30,
    readonly colour = false,
  ) {}

  columns(): number {
    return this.width;
  }

  rows(): number {
    return this.height;
  }

  /** Where the cursor stands, from the top of all rows. */
  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Everything, scrolled away or not, without the blanks at the ends. */
  text(): string {
    return this.#rows
      .map((cells) => cells.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  lines(): string[] {
    return this.text().split("\n");
  }

  /** As most terminals do it: rows that have become too long are broken, and the cursor stays where it was in the text. */
  resize(width: number, height: number): void {
    const broken = this.#rows.map((cells) => {
      const pieces = [cells.slice(0, width)];
      for (let at = width; at < cells.length; at += width) pieces.push(cells.slice(at, at + width));
      return pieces;
    });
    this.#row = broken.slice(0, this.#row).flat().length;
    this.#rows = broken.flat();
    this.width = width;
    this.height = height;
  }

  write(text: string): void {
    this.raw += text;
    for (let at = 0; at < text.length; ) {
      SEQUENCE.lastIndex = at;
      const sequence = SEQUENCE.exec(text);
      if (sequence !== null) {
        this.#control(sequence[1] === "?", Number(sequence[2] || "0"), sequence[3] ?? "");
        at += sequence[0].length;
        continue;
      }
      const symbol = String.fromCodePoint(text.codePointAt(at) ?? 0);
      this.#put(symbol);
      at += symbol.length;
    }
  }

  #control(secret: boolean, count: number, letter: string): void {
    const top = Math.max(0, this.#rows.length - this.height);
    if (secret && count === 25) this.cursorShown = letter === "h";
    else if (letter === "A") {
      if (this.#row - count < top) this.overshoots++;
      this.#row = Math.max(top, this.#row - Math.max(1, count));
    } else if (letter === "K") this.#eraseRest();
    else if (letter === "J") {
      if (this.#row === top && this.#column === 0 && this.#rows.length > 1) this.wipes++;
      this.#eraseRest();
      for (const cells of this.#rows.slice(this.#row + 1)) cells.length = 0;
    } else if (letter === "m") this.colours++;
    else throw new Error(`no terminal sequence known as ${letter} with ${count}`);
  }

  /** Behind the last column the cursor still counts as on it. */
  #eraseRest(): void {
    this.#cells().splice(Math.min(this.#column, this.width - 1));
  }

  #cells(): string[] {
    const cells = this.#rows[this.#row];
    if (cells === undefined) throw new Error(`no row ${this.#row}`);
    return cells;
  }

  #put(symbol: string): void {
    if (symbol === "\r" || symbol === "\n") {
      this.#column = 0;
      if (symbol === "\n") this.#down();
      return;
    }
    if (/\p{Cc}/u.test(symbol)) throw new Error(`a control character reached the screen: ${JSON.stringify(symbol)}`);
    const width = textWidth(symbol);
    if (this.#column + width > this.width) this.#down();
    const cells = this.#cells();
    while (cells.length < this.#column) cells.push(" ");
    if (width === 0) {
      cells[Math.max(0, this.#column - 1)] = (cells[this.#column - 1] ?? "") + symbol;
      return;
    }
    cells.splice(this.#column, width, symbol, ...Array<string>(width - 1).fill(""));
    this.#column += width;
  }

  #down(): void {
    this.#row++;
    this.#column = 0;
    if (this.#row === this.#rows.length) this.#rows.push([]);
  }
}
