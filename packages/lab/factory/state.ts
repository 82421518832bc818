export const FACTORY = "factory";

export interface FactoryState {
  /** Canonical YAML by id. */
  schematics: Record<string, string>;
  /** Time at which "schematic/version/path" is, or was, built. */
  builds: Record<string, number>;
  /** For clients that use the real factory's name; created when the lab opens its doors for the first time. */
  tls?: { certificate: string; key: string };
}
