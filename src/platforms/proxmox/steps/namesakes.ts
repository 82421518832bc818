import { type Check, check, type Read } from "../../../engine/step.ts";
import { lostSecrets } from "../../lost-secrets.ts";
import type { Namesake } from "../../platform.ts";
import { vmConfig, vmsOfCluster } from "../client/qemu.ts";
import { PREFLIGHT } from "../doctor/version.ts";
import { readMark, TAG } from "../mark.ts";
import type { Site } from "../site.ts";

/** The machines with a mark of a cluster of this name; one look serves all checks of a command. */
export function namesakesOf({ client, env }: Site, c: Read): Promise<Namesake[]> {
  const { name } = env.config.cluster;
  return c.shared("machines of a cluster of this name", async () => {
    const tagged = (await vmsOfCluster(client, c.signal)).filter((vm) => vm.kind === "vm" && vm.tags.includes(TAG));
    const all = tagged.map(async ({ host, vmid, running }) => {
      const mark = readMark((await vmConfig(client, host, vmid, c.signal)).next.description);
      if (mark?.cluster !== name) return [];
      return [{ name: mark.node, where: `VM ${vmid} on ${host}`, state: running ? "running" : "stopped" }];
    });
    return (await Promise.all(all)).flat().sort((a, b) => (a.name < b.name ? -1 : 1));
  });
}

/** Warns before a new cluster is started without secrets.yaml while machines of a cluster with this name exist: the file is probably lost. */
export function namesakes(site: Site): Check {
  const { env } = site;
  const { name } = env.config.cluster;
  return check({
    id: "preflight/namesakes",
    stage: "preflight",
    title: `secrets of the cluster ${name}`,
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      const others = await namesakesOf(site, c);
      if (others.length === 0)
        return [{ level: "ok", code: "NO_NAMESAKE", message: `no machines of another cluster called ${name}` }];
      return [
        {
          level: "fail",
          code: "SECRETS_MISSING",
          ...lostSecrets(c.world, env, others),
        },
      ];
    },
  });
}
