import * as z from "zod";
import * as ip from "./ip-words.ts";
import { checked, choice, flag, leaves, list, section, text, type Wrong } from "./value.ts";
import * as words from "./words.ts";

/** "80" or "8000-9000", as two numbers; undefined when it is neither. */
export function portRange(written: string | number): { from: number; to: number } | undefined {
  const [, low = "", high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(String(written)) ?? [];
  const [from, to] = [Number(low), Number(high)];
  return low !== "" && from >= 1 && to <= 65_535 && from <= to ? { from, to } : undefined;
}

const port = checked(z.union([z.int(), z.string()]), (value): Wrong | undefined =>
  portRange(value) === undefined
    ? { says: "is not a port", hint: 'write a number from 1 to 65535, or a range such as "8000-9000"' }
    : undefined,
).register(leaves, { example: "443", typeHint: 'write a number, or a range such as "8000-9000"' });

const networks = (about: string, example: string) =>
  list(text({ about: "A network.", example: "10.10.0.0/24", check: ip.network }), {
    about,
    example,
    check: (items) =>
      items.length === 0 ? { says: "is empty", hint: `name at least one network, such as ${example}` } : words.noneTwice(items),
  });

export const firewall = section(
  "Ingress firewall of the nodes: blocks everything that is not allowed here. Traffic that the cluster needs is allowed from its own nodes.",
  {
    enabled: flag({
      about: "Whether the firewall is on. At a provider it is on unless this is false.",
      byDefault: true,
    }).optional(),
    /** Required unless it is off, see ../shape.ts. */
    admin: networks(
      "Networks that may reach the Talos and Kubernetes APIs. This computer's network must be one of them. Required unless enabled is false.",
      "[192.168.1.0/24]",
    ).optional(),
    open: list(
      section("A rule for other traffic.", {
        name: text({
          about: "Name of the rule.",
          example: "ingress",
          pattern: words.NAME,
          check: words.named(words.NAME, "a rule", "ingress: lower-case letters, digits and hyphens"),
        }),
        ports: list(port, { about: "Ports and port ranges.", example: '[443, "8000-9000"]', check: ports }),
        protocol: choice({ about: "Transport protocol.", of: ["tcp", "udp"], byDefault: "tcp" }).optional(),
        from: networks("Source networks. By default all.", "[0.0.0.0/0]").optional(),
        on: choice({ about: "Nodes that the rule is for. By default all.", of: ["controlplane", "worker"] }).optional(),
      }),
      { about: "Rules for other traffic to allow.", example: "[{ name: ingress, ports: [80, 443], on: worker }]", byDefault: [] },
    ).optional(),
  },
);

/** Talos takes no rule whose ranges meet. */
function ports(items: readonly (string | number)[]): Wrong | undefined {
  if (items.length === 0) return { says: "is empty", hint: "name at least one port, such as [443]" };
  const ranges = items.flatMap((item) => portRange(item) ?? []).sort((a, b) => a.from - b.from);
  const meets = ranges.find(({ from }, index) => index > 0 && from <= (ranges[index - 1]?.to ?? 0));
  return meets === undefined
    ? undefined
    : { says: `contains port ${meets.from} twice`, hint: "write ranges that do not overlap" };
}
