import { type Check, check, type Finding } from "../../engine/step.ts";
import { etcdOn } from "../bootstrap/etcd-on.ts";
import type { Cluster } from "./checks.ts";
import { eventually } from "./eventually.ts";

/** etcd is healthy on every control plane, and all of them name the same members: the control planes of the config. */
export function etcdHealthy({ env, talos, after }: Cluster): Check {
  const controlPlanes = env.config.nodes.filter((node) => node.role === "controlplane");
  const names = controlPlanes.map((node) => node.name).sort();
  return check({
    id: "verify/etcd",
    stage: "verify",
    title: `etcd, ${names.length} member${names.length === 1 ? "" : "s"}`,
    needs: after,
    run: (c) =>
      eventually("etcd is healthy on every control plane", c, async () => {
        const seen = await Promise.all(controlPlanes.map((node) => etcdOn(talos, node, c.signal)));
        return seen.map((one): Finding => {
          if (one.is !== "member") return { level: "fail", code: "ETCD", message: one.words };
          const voters = [...one.voters].sort();
          if (voters.join() === names.join()) return { level: "ok", code: "ETCD", message: `${one.node}: etcd is healthy` };
          return {
            level: "fail",
            code: "ETCD_MEMBERS",
            message: `${one.node}: etcd has the members ${voters.join(", ")}, the config says ${names.join(", ")}`,
            hint: "a member that is gone for good is removed with: talosctl etcd remove-member",
          };
        });
      }),
  });
}
