import type { Check, Finding } from "../../engine/step.ts";
import { type Asked, judged } from "../../talos/health/asked.ts";
import { EPHEMERAL, tooLittleMemory, tooSmallDisks, wrongClocks } from "../../talos/health/limits.ts";
import { DIAGNOSTICS, diagnoses, notBooted } from "../../talos/health/reports.ts";
import type { Cluster } from "./cluster.ts";
import type { Looks } from "./looks.ts";
import { orFine, verifyCheck } from "./verify-check.ts";

/** Talos' check 4, and more: every node accepts the cluster's client certificate and runs the Talos of the config. */
export function talosVersions(cluster: Cluster): Check {
  const { config, upgrade } = cluster.env;
  const wanted = config.cluster.talos;
  // Reported before, in one line for all of them.
  const known = new Set([wanted, upgrade?.talos?.config, ...(upgrade?.talos?.runs.map(({ version }) => version) ?? [])]);
  return verifyCheck(cluster, {
    id: "talos",
    title: `Talos ${wanted} on ${config.nodes.length} nodes`,
    until: "every node runs the Talos of the config",
    look: async (see) =>
      judged(await see.versions(), ({ version }, { name }): Finding[] => {
        if (known.has(version)) return [{ level: "ok", code: "TALOS_VERSION", message: `${name}: Talos ${version}` }];
        return [
          {
            level: "warn",
            code: "TALOS_VERSION",
            message: `${name}: Talos is ${version}, config says ${wanted} (another version is an upgrade, which up does not do)`,
            hint: `set cluster.talos: ${version}, or upgrade the node: talosctl upgrade`,
          },
        ];
      }),
  });
}

/** Talos' check 5. */
export function memorySizes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "memory",
    title: "memory",
    until: "every node has the memory that Talos needs",
    look: async (see, { signal }) => {
      const sizes = await withMode(
        see,
        see.each((api) => api.memoryBytes(signal)),
      );
      return orFine(tooLittleMemory(sizes), "MEMORY", "every node has the memory that Talos needs");
    },
  });
}

/** Talos' check 6. */
export function diskSizes(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "disk",
    title: "disks",
    until: "every node has the disk that Talos needs",
    look: async (see, { signal }) => {
      const volumes = await withMode(
        see,
        see.each((api) => api.resource(EPHEMERAL, signal)),
      );
      return orFine(tooSmallDisks(volumes), "DISK", "every node has the disk that Talos needs");
    },
  });
}

/** Talos' check 7. */
export function diagnostics(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "diagnostics",
    title: "Talos diagnostics",
    until: "no node reports a problem",
    look: async (see, { signal }) =>
      orFine(diagnoses(await see.each((api) => api.resources(DIAGNOSTICS, signal))), "DIAGNOSTIC", "no node reports a problem"),
  });
}

/** Talos' check 9. */
export function bootFinished(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "boot",
    title: "boot of the nodes",
    until: "every node has booted",
    look: async (see) => orFine(notBooted(await see.machineStatus()), "BOOTED", "every node has booted"),
  });
}

/** Checks the nodes' clocks: a wrong one causes expired certificates and lost leases. */
export function clocksAgree(cluster: Cluster): Check {
  return verifyCheck(cluster, {
    id: "clocks",
    title: "clocks",
    until: "every node's clock agrees with this computer's",
    look: async (see, { signal, world: { clock } }) => {
      const asked = await see.each(async (api) => {
        const before = clock.now();
        const { local } = await api.time(signal);
        return { local, before, after: clock.now() };
      });
      return orFine(wrongClocks(asked), "CLOCK", "every node's clock agrees with this computer's");
    },
  });
}

/** Responses of nodes, each with the node's mode: "container", "metal". */
async function withMode<T>(see: Looks, asking: Promise<Asked<T>[]>): Promise<Asked<{ said: T; mode: string }>[]> {
  const [versions, asked] = await Promise.all([see.versions(), asking]);
  const modes = new Map(versions.map((one) => [one.node.name, one.is === "said" ? one.answer.mode : ""]));
  return asked.map((one) =>
    one.is === "said" ? { ...one, answer: { said: one.answer, mode: modes.get(one.node.name) ?? "" } } : one,
  );
}
