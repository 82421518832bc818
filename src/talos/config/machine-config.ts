import type { ConfigDocument } from "./document.ts";
import { parseConfig } from "./parse.ts";
import { printConfig } from "./print.ts";

/**
 * A machine config, on its way from the secrets or from a node to wherever its bytes are needed. Its documents are printed at most once, its text is
 * parsed at most once, and neither before it is needed. Full of secrets: nothing of it shows in JSON or in a log.
 */
export class MachineConfig {
  #documents: readonly ConfigDocument[] | undefined;
  #text: string | undefined;

  private constructor(documents: readonly ConfigDocument[] | undefined, text: string | undefined) {
    this.#documents = documents;
    this.#text = text;
  }

  static of(documents: readonly ConfigDocument[]): MachineConfig {
    return new MachineConfig(documents, undefined);
  }

  /** As a node or a file has it: its bytes stay as they are. */
  static read(text: string): MachineConfig {
    return new MachineConfig(undefined, text);
  }

  get documents(): readonly ConfigDocument[] {
    this.#documents ??= parseConfig(this.#text ?? "");
    return this.#documents;
  }

  get text(): string {
    this.#text ??= printConfig(this.#documents ?? []);
    return this.#text;
  }
}
