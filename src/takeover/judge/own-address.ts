import type { TalosmithError } from "@talosmith/lib/errors.ts";
import { contains, parseIp, parseNetwork } from "@talosmith/lib/ip.ts";
import type { Survey } from "../survey.ts";
import { refusal, type TakeoverWish } from "./wish.ts";

/** Checks that the node's firewall will admit this computer, which it would otherwise lock out at its first start. */
export function weAreLetIn({ from }: Survey, wish: TakeoverWish): TalosmithError[] {
  const { admin } = wish;
  if (admin === undefined) return [];
  const text = from.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  const own = parseIp(text);
  const networks = admin.flatMap((network) => parseNetwork(network) ?? []);
  if (own !== undefined && networks.some((network) => contains(network, own))) return [];
  const listed = `firewall.admin is ${admin.join(", ")}`;
  return [
    refusal("OUTSIDE_ADMIN", wish, {
      message: `Unable to take over ${wish.name}: its firewall would lock out this computer`,
      facts: [
        own === undefined
          ? "the server does not report the address of this computer"
          : `the server sees this computer at ${text}`,
        listed,
      ],
      hint:
        own === undefined
          ? "log in by SSH directly: $SSH_CONNECTION must be set there"
          : `add to firewall.admin:  - ${text}/${own.family === 4 ? 32 : 128}`,
      path: ["firewall", "admin"],
    }),
  ];
}
