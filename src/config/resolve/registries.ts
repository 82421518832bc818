import type { Redactor } from "@talosmith/lib/secret.ts";
import type { Facts } from "../checks/facts.ts";
import type { RegistryConfig } from "../config.ts";
import { listed } from "../pools.ts";
import { bare, defined, sure } from "./values.ts";

export function registriesOf({ draft }: Facts, authorities: ReadonlyMap<string, string>, redactor: Redactor): RegistryConfig[] {
  return Object.entries(draft.registries ?? {}).map(([host, written]) => {
    const { mirrors, overridePath, skipFallback, username, password, insecure } = sure(written);
    return {
      host,
      mirrors: listed(mirrors).map((mirror) => bare(sure(mirror))),
      overridePath: overridePath ?? false,
      skipFallback: skipFallback ?? false,
      ...defined({
        username,
        password: password === undefined ? undefined : redactor.secret(password),
        ca: authorities.get(host),
      }),
      insecure: insecure ?? false,
    };
  });
}
