/** A source of a bundle's values, by their paths in `secrets.yaml`. Certificates and keys are PEM in base64. */
export interface SecretsSource {
  /** "certs.os.crt"; a missing or empty one is a problem. */
  text(path: string): string | undefined;
  optional(path: string): string | undefined;
  problem(path: string, what: string): void;
  /** Throws when anything was wrong. */
  finish(): void;
}
