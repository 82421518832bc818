import { type Step, step } from "../../../engine/step.ts";
import { list, requiredText, text } from "../client/loose.ts";
import { bridgeLines, interfacesIn, withBridge } from "./interfaces.ts";
import { type NatPlan, type Route, refused, wayOut } from "./nat.ts";
import type { Root, Shell } from "./root.ts";
import { finishHostFile, type HostFile, readHostFile, writeHostFile } from "./write-file.ts";

const FILE = "/etc/network/interfaces";
const AFTER = "ifreload -a";

interface Seen {
  file: HostFile;
  there: boolean;
  out: string;
}

/** A bridge without ports, whose traffic leaves with the host's address (NAT). */
export function natBridge(root: Root, plan: NatPlan, used: boolean): Step<Seen, void> {
  const { host, bridge, cidr } = plan;
  const id = `host/${host}/bridge/${bridge}`;
  const subject = `${host}: bridge ${bridge}`;
  const shell = root.on(host);
  return step<Seen, void>({
    id,
    stage: "preflight",
    title: subject,
    observe: async () => ({ is: "present", actual: await look(shell, plan), owner: "shared" }),
    plan: (seen) => {
      if ("later" in seen || seen.is !== "present") return [];
      const { there, out, file } = seen.actual;
      if (there && !file.pending) return [];
      const runs = { path: "runs", from: null, to: AFTER };
      if (there) return [{ id, step: id, verb: "update", subject, fields: [runs] }];
      const lines = [`auto ${bridge}`, `iface ${bridge} inet static`, ...bridgeLines(plan, out)].join(" | ");
      return [{ id, step: id, verb: "update", subject, fields: [{ path: FILE, from: null, to: lines }, runs] }];
    },
    notes: () =>
      used
        ? []
        : [
            {
              level: "warn",
              code: "BRIDGE_UNUSED",
              message: `no node of the config is on the bridge ${bridge}`,
              hint: `set proxmox.bridge: ${bridge}, network.cidr: ${cidr} and network.gateway: ${plan.address} in config.yaml`,
            },
          ],
    apply: async (_, c) => {
      const { there, out, file } = await look(shell, plan);
      await c.mutate({ key: `${host} ${bridge}`, what: `make the bridge ${bridge} with ${cidr} on ${host}` }, async () => {
        if (there) await finishHostFile(shell, FILE, AFTER);
        else await writeHostFile(shell, FILE, withBridge(file.text ?? "", plan, out), AFTER);
        return undefined;
      });
    },
    output: () => {},
  });
}

async function look(shell: Shell, plan: NatPlan): Promise<Seen> {
  const [file, routes] = await Promise.all([readHostFile(shell, FILE), routesOf(shell)]);
  const out = wayOut(plan, routes);
  const found = interfacesIn(file.text ?? "").filter((one) => one.name === plan.bridge);
  const missing = bridgeLines(plan, out).filter((line) => !found.some(({ lines }) => lines.includes(line)));
  if (found.length > 0 && missing.length > 0)
    throw refused(
      plan,
      `${plan.host} already has a bridge ${plan.bridge} with other settings: it lacks "${missing[0]}"`,
      "choose another name for the bridge, or change that one by hand",
    );
  return { file, there: found.length > 0, out };
}

async function routesOf(shell: Shell): Promise<Route[]> {
  const items = list(await shell.json("list its routes", "ip -json -4 route show"), "the routes");
  return items.map((item) => ({ to: requiredText(item.dst, "where a route leads"), device: text(item.dev) ?? "" }));
}
