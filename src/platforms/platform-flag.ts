/** A command-line flag of a platform. */
export interface PlatformFlag {
  /** "--hosts <names>"; without a value in it: a switch. */
  readonly flags: string;
  readonly about: string;
  /** "separated": several values separated by commas; "repeatable": the flag may be given several times, as its help adds. */
  readonly many?: "separated" | "repeatable";
  readonly choices?: readonly string[];
  readonly default?: string;
  /** Says as a sentence why a value is invalid. */
  check?(value: string): string | undefined;
}
