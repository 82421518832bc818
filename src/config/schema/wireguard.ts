import * as ip from "./ip-words.ts";
import { list, section, text, type Wrong, whole } from "./value.ts";
import * as words from "./words.ts";

/** 32 bytes; the bits that are left over at the end are zero. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

function publicKey(value: string): Wrong | undefined {
  if (PUBLIC_KEY.test(value) && !/^A+=$/.test(value)) return undefined;
  return { says: "is not a WireGuard public key", hint: "use the output of this command, in quotes:\nwg pubkey < private.key" };
}

/** KubeSpan's port on every node. */
const TAKEN_PORT = 51_820;

const port = whole({
  about: "UDP port of the nodes; not 51820, which KubeSpan uses.",
  example: "51821",
  from: 1,
  to: 65_535,
  byDefault: 51_821,
});

export const wireguard = section("WireGuard network for access to the nodes' APIs from any address.", {
  cidr: text({
    about: "The WireGuard network. The nodes get its first addresses in their order; peers have those of their ip.",
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
    section("A computer with access.", {
      name: text({
        about: "Name of the computer, for which wg-NAME.conf is written.",
        example: "laptop",
        pattern: words.NAME,
        check: words.name,
      }),
      publicKey: text({
        about: "Public key of the computer, as wg pubkey prints it.",
        example: '"…="',
        pattern: PUBLIC_KEY,
        check: publicKey,
      }),
      ip: text({ about: "Address of the computer in this network.", example: "10.250.0.100", check: ip.ip }),
    }),
    {
      about: "Computers with access.",
      example: '[{ name: laptop, publicKey: "…=", ip: 10.250.0.100 }]',
      check: (items) => (items.length === 0 ? { says: "is empty", hint: "add a computer, or remove wireguard" } : undefined),
    },
  ),
});
