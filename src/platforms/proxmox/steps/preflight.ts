import { type Check, check, type Finding, type Read } from "../../../engine/step.ts";
import { bridges, hosts, version } from "../client/nodes.ts";
import { type StorageSummary, storages } from "../client/storage.ts";
import type { Site } from "../site.ts";

/** The oldest version whose `import` content type takes disk images. */
const OLDEST = [8, 4] as const;

export const PREFLIGHT = "preflight/proxmox";

/** Is the Proxmox named in the config there, and has it what the config names? */
export function preflight(site: Site): Check {
  const { client, env } = site;
  const { proxmox, nodes } = env.config;
  return check({
    id: PREFLIGHT,
    stage: "preflight",
    title: `Proxmox at ${client.host}`,
    run: async (c) => {
      const [running, members] = await Promise.all([version(client, c.signal), c.shared("hosts", () => hosts(client, c.signal))]);
      const findings: Finding[] = [versionFinding(running)];
      const wanted = [...new Set([...proxmox.hosts, ...nodes.flatMap((node) => node.host ?? [])])];
      for (const name of wanted) {
        const host = members.find((member) => member.name === name);
        if (!host)
          findings.push(
            fail(
              "NO_HOST",
              `there is no Proxmox host ${name}`,
              `proxmox.hosts: use ${members.map((one) => one.name).join(", ")}`,
            ),
          );
        else if (!host.online)
          findings.push(
            fail("HOST_OFFLINE", `the Proxmox host ${name} is offline`, `start ${name}, or take it out of proxmox.hosts`),
          );
        else findings.push(...orAllWell(name, await hostFindings(site, c, name)));
      }
      return findings;
    },
  });
}

function fail(code: string, message: string, hint: string): Finding {
  return { level: "fail", code, message, hint };
}

function versionFinding(running: string): Finding {
  const [major = 0, minor = 0] = running.split(/[.~-]/).map(Number);
  const old = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  if (old)
    return fail(
      "PROXMOX_OLD",
      `Proxmox VE ${running} is too old`,
      `upgrade it to ${OLDEST.join(".")} or newer: before, disk images cannot be imported through the API`,
    );
  return { level: "ok", code: "PROXMOX_VERSION", message: `Proxmox VE ${running}` };
}

function orAllWell(host: string, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length > 0) return findings;
  return [{ level: "ok", code: "HOST", message: `${host} is online and has the storages and bridges of the config` }];
}

async function hostFindings({ client, env }: Site, c: Read, host: string): Promise<Finding[]> {
  const { proxmox, nodes } = env.config;
  const [stores, nets] = await Promise.all([storages(client, host, c.signal), bridges(client, host, c.signal)]);
  const diskStores = [...new Set(nodes.filter((node) => (node.host ?? host) === host).map((node) => node.storage))];
  const wantedBridges = [...new Set(nodes.filter((node) => (node.host ?? host) === host).map((node) => node.bridge))];
  return [
    ...storageFindings(host, stores, proxmox.storage.images, "import", "storage.images"),
    ...diskStores.flatMap((name) => storageFindings(host, stores, name, "images", "storage.disks")),
    ...wantedBridges
      .filter((name) => !nets.includes(name))
      .map((name) =>
        fail(
          "NO_BRIDGE",
          `${host} has no bridge ${name} that this token may use`,
          `bridges there: ${nets.join(", ") || "none"}; check proxmox.bridge and the token's SDN.Use`,
        ),
      ),
  ];
}

function storageFindings(host: string, stores: readonly StorageSummary[], name: string, content: string, key: string): Finding[] {
  const store = stores.find((one) => one.name === name);
  if (!store) {
    const there = stores.map((one) => one.name).join(", ") || "none";
    return [
      fail(
        "NO_STORAGE",
        `${host} has no storage ${name} that this token may use`,
        `storages there: ${there}; check ${key} and the token's Datastore.Audit`,
      ),
    ];
  }
  if (!store.active)
    return [
      fail(
        "STORAGE_INACTIVE",
        `the storage ${name} on ${host} is not active`,
        "look at it in the Proxmox UI: is its device there and mounted?",
      ),
    ];
  if (store.content.includes(content)) return [];
  const all = [...store.content, content].join(",");
  return [
    fail(
      "STORAGE_CONTENT",
      `the storage ${name} on ${host} does not take "${content}" content`,
      `as root on ${host}:  pvesm set ${name} --content ${all}`,
    ),
  ];
}
