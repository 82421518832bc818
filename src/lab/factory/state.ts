export const FACTORY = "factory";

export interface FactoryState {
  /** Canonical YAML by id. */
  schematics: Record<string, string>;
  /** When "schematic/version/path" is, or was, ready. */
  builds: Record<string, number>;
}
