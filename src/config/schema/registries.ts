import { parseIp } from "@talosmith/lib/ip.ts";
import * as z from "zod";
import { isDnsName } from "./ip-words.ts";
import { checked, eachChecked, flag, leaves, oneOrMore, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

const EXAMPLE = "{ docker.io: { mirrors: https://mirror.home.arpa } }";

const registry = checked(
  section("One registry.", {
    mirrors: oneOrMore(
      text({
        about: "Address of a mirror.",
        example: "https://mirror.home.arpa",
        check: words.webAddress("the mirror's address, such as https://mirror.home.arpa"),
      }),
      {
        about: "Mirrors to try first, in this order.",
        example: "https://mirror.home.arpa",
        byDefault: [],
        check: (items) =>
          items.length === 0 ? { says: "is empty", hint: "name a mirror, or remove it" } : words.noneTwice(items),
      },
    ).optional(),
    overridePath: flag({
      about: "Whether the mirrors' addresses are used without appending /v2. Harbor's proxy projects need this.",
      byDefault: false,
    }).optional(),
    skipFallback: flag({
      about: "Whether to use only the mirrors and never the registry itself.",
      byDefault: false,
    }).optional(),
    username: text({ about: "User name for the login.", example: "robot" }).optional(),
    password: text({
      about: `Password or access token. Prefer a reference (\${env:NAME} or \${file:PATH}) to the password itself.`,
      example: `\${env:REGISTRY_PASSWORD}`,
    }).optional(),
    ca: text({
      about: "CA certificate of the registry: a file, or the certificate itself.",
      example: "registry-ca.pem",
    }).optional(),
    insecure: flag({ about: "Whether to skip the check of the registry's certificate.", byDefault: false }).optional(),
  }),
  (all): Wrong | undefined =>
    Object.keys(all).length === 0 ? { says: "is empty", hint: "add mirrors, credentials or ca, or remove it" } : undefined,
);

export const registries = eachChecked(z.record(z.string(), registry), host)
  .meta({
    description:
      "Settings of image registries, by host: docker.io, ghcr.io, registry.home.arpa:5000; * for all others. Credentials and ca apply to the host that is contacted, so a mirror needs its own entry for them.",
  })
  .register(leaves, { example: EXAMPLE, typeHint: `write hosts with their settings: ${EXAMPLE}` });

function host(name: string, entry: z.output<typeof registry>): Wrong | undefined {
  const bare = name.replace(/:\d{1,5}$/, "");
  if (name === "*") return wildcard(entry);
  if (isDnsName(bare) || parseIp(bare.replaceAll(/[[\]]/g, "")) !== undefined) return undefined;
  return {
    says: "is not a registry host",
    hint: "write the host as in image names, such as docker.io or registry.home.arpa:5000",
    on: "key",
  };
}

function wildcard({ username, password, ca, insecure }: z.output<typeof registry>): Wrong | undefined {
  if ([username, password, ca, insecure].every((value) => value === undefined)) return undefined;
  return {
    says: "can only have mirrors",
    hint: "write credentials, ca and insecure under the host they are for",
    on: "key",
  };
}
