import * as ip from "./ip-words.ts";
import { list, section, text, type Wrong, whole } from "./value.ts";
import * as words from "./words.ts";

/** 32 bytes; the bits that are left over at the end are zero. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

function publicKey(value: string): Wrong | undefined {
  if (PUBLIC_KEY.test(value) && !/^A+=$/.test(value)) return undefined;
  return { says: "is no public key of WireGuard", hint: "write what this prints, in quotes:\nwg pubkey < private.key" };
}

/** KubeSpan's own, on every node. */
const TAKEN_PORT = 51_820;

const port = whole({
  about: "UDP port on which the nodes listen; not 51820, which is KubeSpan's.",
  example: "51821",
  from: 1,
  to: 65_535,
  byDefault: 51_821,
});

export const wireguard = section(
  "A network of their own through which people reach the nodes, whatever address they come from.",
  {
    cidr: text({
      about: "The network: the nodes have its first addresses in their order, people those that peers gives them.",
      example: "10.250.0.0/24",
      check: ip.cidr,
    }),
    port: port
      .check((context) => {
        if (context.value !== TAKEN_PORT) return;
        const wrong: Wrong = { says: "is KubeSpan's own port", hint: "choose another, or remove it to use 51821" };
        context.issues.push({ code: "custom", input: context.value, message: wrong.says, params: { ...wrong } });
      })
      .optional(),
    peers: list(
      section("A person's computer.", {
        name: text({
          about: "Name of the computer; wg-NAME.conf is written for it.",
          example: "laptop",
          pattern: words.NAME,
          check: words.name,
        }),
        publicKey: text({
          about: "Its public key, as wg pubkey prints it.",
          example: '"…="',
          pattern: PUBLIC_KEY,
          check: publicKey,
        }),
        ip: text({ about: "Its address in the network.", example: "10.250.0.100", check: ip.ip }),
      }),
      {
        about: "The computers that are let in.",
        example: '[{ name: laptop, publicKey: "…=", ip: 10.250.0.100 }]',
        check: (items) =>
          items.length === 0 ? { says: "is empty", hint: "name a computer that is let in, or remove wireguard" } : undefined,
      },
    ),
  },
);
