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
        about: "Where its images are asked for first, in this order.",
        example: "https://mirror.home.arpa",
        byDefault: [],
        check: (items) =>
          items.length === 0 ? { says: "is empty", hint: "name a mirror, or remove it" } : words.noneTwice(items),
      },
    ).optional(),
    overridePath: flag({
      about: "Whether the mirrors' addresses are the whole path, so that /v2 is not appended. Harbor's proxy projects need it.",
      byDefault: false,
    }).optional(),
    skipFallback: flag({
      about: "Whether only the mirrors are asked, and never the registry itself.",
      byDefault: false,
    }).optional(),
    username: text({ about: "Who to log in as.", example: "robot" }).optional(),
    password: text({
      about: `Password or access token. Better a reference (\${env:NAME} or \${file:PATH}) than the password itself.`,
      example: `\${env:REGISTRY_PASSWORD}`,
    }).optional(),
    ca: text({
      about: "File with the certificate of the authority that signed its own, or that certificate itself.",
      example: "registry-ca.pem",
    }).optional(),
    insecure: flag({ about: "Whether its certificate is not checked at all.", byDefault: false }).optional(),
  }),
  (all): Wrong | undefined =>
    Object.keys(all).length === 0 ? { says: "says nothing", hint: "add mirrors, credentials or ca, or remove it" } : undefined,
);

export const registries = eachChecked(z.record(z.string(), registry), host)
  .meta({
    description:
      "How nodes reach image registries, by host: docker.io, ghcr.io, registry.home.arpa:5000; * for all that are not named. Credentials and authorities are those of the host that is asked, so a mirror's belong to an entry of the mirror's own.",
  })
  .register(leaves, { example: EXAMPLE, typeHint: `write hosts and what holds for each: ${EXAMPLE}` });

function host(name: string, entry: z.output<typeof registry>): Wrong | undefined {
  const bare = name.replace(/:\d{1,5}$/, "");
  if (name === "*") return wildcard(entry);
  if (isDnsName(bare) || parseIp(bare.replaceAll(/[[\]]/g, "")) !== undefined) return undefined;
  return {
    says: "is no host of a registry",
    hint: "write the host as image names have it, such as docker.io or registry.home.arpa:5000",
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
