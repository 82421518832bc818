/** A command-line flag that a platform brings along. */
export interface PlatformFlag {
  /** "--hosts <names>"; without a value in it: a switch. */
  readonly flags: string;
  readonly about: string;
  /** "separated": several values with commas between them; "repeatable": the flag may be given several times. */
  readonly many?: "separated" | "repeatable";
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Says as a sentence why a value is invalid. */
  check?(value: string): string | undefined;
}
