export const FACTORY = "factory";

export interface FactoryState {
  /** Canonical YAML by id. */
  schematics: Record<string, string>;
  /** When "schematic/version/path" is, or was, ready. */
  builds: Record<string, number>;
  /** For those who come by the real factory's name; made when the lab first opens its doors. */
  tls?: { certificate: string; key: string };
}
