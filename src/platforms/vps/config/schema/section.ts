import * as z from "zod";
import { choice, leaves, section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";
import { rescueSection } from "./rescue.ts";

const PROVIDERS = ["hetzner", "hetzner-robot", "ovh", "contabo", "netcup"] as const;

const named = (about: string) => choice({ about, of: PROVIDERS });

/** Plain enough to be a header of a request. */
function providerToken(value: string): Wrong | undefined {
  if (/^[\x21-\x7e]+$/.test(value)) return undefined;
  return { says: "is not an API token", hint: "write it as the provider's console showed it, without spaces" };
}

const withToken = section("The provider of the servers and its API.", {
  name: named("Name of the provider."),
  token: text({
    about: `API token with write access, for hetzner: talosmith then restarts servers into their rescue system and puts a firewall in front of them. Prefer a reference (\${env:NAME} or \${file:PATH}) to the token itself.`,
    example: `\${env:HCLOUD_TOKEN}`,
    check: providerToken,
  }).optional(),
  url: text({
    about: "URL of the provider's API. By default the provider's own.",
    example: "https://api.hetzner.cloud/v1",
    check: words.webAddress("the API's base address, such as https://api.hetzner.cloud/v1"),
  }).optional(),
});

export const vps = section("The rented servers' provider, and the login to their rescue systems.", {
  provider: z
    .union([named("Name of the provider."), withToken])
    .meta({
      description:
        "Provider of the servers: its name, or a section with a token for its API. For a provider whose API talosmith does not use, doctor prints the manual steps.",
    })
    .register(leaves, {
      example: "hetzner",
      choices: PROVIDERS,
      typeHint: `write one of ${PROVIDERS.join(", ")}, or { name: hetzner, token: "\${env:HCLOUD_TOKEN}" }`,
    })
    .optional(),
  ssh: rescueSection("SSH login to the rescue systems; ssh on a node overrides single keys.").optional(),
});
