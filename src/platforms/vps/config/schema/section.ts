import * as z from "zod";
import { choice, leaves, section, text, type Wrong } from "../../../../config/schema/value.ts";
import * as words from "../../../../config/schema/words.ts";
import { rescueSection } from "./rescue.ts";

const PROVIDERS = ["hetzner", "hetzner-robot", "ovh", "contabo", "netcup"] as const;

const named = (about: string) => choice({ about, of: PROVIDERS });

/** Plain enough to be a header of a request. */
function providerToken(value: string): Wrong | undefined {
  if (/^[\x21-\x7e]+$/.test(value)) return undefined;
  return { says: "is no API token", hint: "write it as the provider's console showed it, without spaces" };
}

const withToken = section("Who rents the servers out, and how to use its API.", {
  name: named("Which provider."),
  token: text({
    about: `API token that may write, for hetzner: then servers are restarted into their rescue system, and a firewall is put before them. Better a reference (\${env:NAME} or \${file:PATH}) than the token itself.`,
    example: `\${env:HCLOUD_TOKEN}`,
    check: providerToken,
  }).optional(),
  url: text({
    about: "Where its API is. By default the provider's own address.",
    example: "https://api.hetzner.cloud/v1",
    check: words.webAddress("the API's base address, such as https://api.hetzner.cloud/v1"),
  }).optional(),
});

export const vps = section("The servers that are rented, and how to log in to their rescue systems.", {
  provider: z
    .union([named("Which provider."), withToken])
    .meta({
      description:
        "Who rents the servers out: its name alone, or with a token for its API. For those without an API here, doctor prints the steps.",
    })
    .register(leaves, {
      example: "hetzner",
      choices: PROVIDERS,
      typeHint: `write one of ${PROVIDERS.join(", ")}, or { name: hetzner, token: "\${env:HCLOUD_TOKEN}" }`,
    })
    .optional(),
  ssh: rescueSection("How to log in to the rescue systems; ssh on a node says what differs there.").optional(),
});
