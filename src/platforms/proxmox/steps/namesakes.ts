import { type Check, check } from "../../../engine/step.ts";
import { remainsOf } from "../../../environment/folder.ts";
import { waysOut } from "../../../talos/secrets/ways-out.ts";
import { vmConfig, vmsOfCluster } from "../client/qemu.ts";
import { PREFLIGHT } from "../doctor/version.ts";
import { readMark, TAG } from "../mark.ts";
import type { Site } from "../site.ts";

/** Warns before a new cluster is started without secrets.yaml while machines of a cluster with this name exist: the file is probably lost. */
export function namesakes(site: Site): Check {
  const { client, env } = site;
  const { name } = env.config.cluster;
  return check({
    id: "preflight/namesakes",
    stage: "preflight",
    title: `secrets of the cluster ${name}`,
    needs: [{ step: PREFLIGHT }],
    run: async (c) => {
      const tagged = (await vmsOfCluster(client, c.signal)).filter((vm) => vm.kind === "vm" && vm.tags.includes(TAG));
      const marks = await Promise.all(
        tagged.map(async (vm) => readMark((await vmConfig(client, vm.host, vm.vmid, c.signal)).next.description)),
      );
      const others = marks.flatMap((mark) => (mark?.cluster === name ? [`${mark.node} (VM ${mark.vm})`] : []));
      if (others.length === 0)
        return [{ level: "ok", code: "NO_NAMESAKE", message: `no machines of another cluster called ${name}` }];
      return [
        {
          level: "fail",
          code: "SECRETS_MISSING",
          message: `there is no secrets.yaml in ${env.shown}, but machines of a cluster called ${name} exist: ${others.sort().join(", ")}`,
          hint: waysOut(c.world, remainsOf(env)),
        },
      ];
    },
  });
}
