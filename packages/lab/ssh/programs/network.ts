import { type Stanza, stanzasOf } from "../interfaces.ts";
import type { RootView } from "../state.ts";
import { failed, look, type Program, printed } from "./program.ts";

/** ifupdown2: what the files say becomes what there is. */
export const ifreload: Program = (started) =>
  look(started, (view) => {
    const { stanzas, problems } = stanzasOf(view);
    if (problems.length > 0) return failed(1, problems.map((problem) => `error: ${problem}\n`).join(""));
    view.host.bridges = stanzas.filter((stanza) => stanza.options["bridge-ports"] !== undefined).map(bridgeOf);
    for (const { lines } of stanzas)
      if (lines.some((line) => /^post-up\s+echo 1 > \/proc\/sys\/net\/ipv4\/ip_forward$/.test(line)))
        view.system.sysctl["net.ipv4.ip_forward"] = "1";
    return printed("");
  });

function bridgeOf({ name, options }: Stanza): RootView["host"]["bridges"][number] {
  const ports = (options["bridge-ports"] ?? "").split(/\s+/).filter((port) => port !== "" && port !== "none");
  return {
    name,
    vlanAware: options["bridge-vlan-aware"] === "yes",
    ports,
    ...(options.address !== undefined && { cidr: options.address }),
    ...(options.gateway !== undefined && { gateway: options.gateway }),
  };
}

/** `ip -json route show`: what is connected, and the way out. */
export const ip: Program = (started) => {
  const what = started.args.find((arg) => !arg.startsWith("-"));
  if (what !== "route" && what !== "r") return failed(1, `Object "${what ?? ""}" is unknown, try "ip help".\n`);
  const routes = look(started, ({ host, lab }) => {
    const out = host.bridges.find((bridge) => bridge.gateway !== undefined) ?? host.bridges.find(({ ports }) => ports.length > 0);
    const gateway = out?.gateway ?? lab.address.host(254);
    const connected = host.bridges.flatMap(({ name, cidr }) =>
      cidr === undefined ? [] : [{ dst: networkOf(cidr), dev: name, protocol: "kernel", scope: "link", flags: [] }],
    );
    return [...(out ? [{ dst: "default", gateway, dev: out.name, protocol: "kernel", flags: [] }] : []), ...connected];
  });
  return printed(`${JSON.stringify(routes)}\n`);
};

function networkOf(cidr: string): string {
  const [address = "", length = "32"] = cidr.split("/");
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(length));
  const start = Math.floor(number / size) * size;
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join(".")}/${length}`;
}
