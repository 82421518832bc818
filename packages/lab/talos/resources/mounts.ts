import type { Called } from "../api/caller.ts";
import { isRunning } from "../machine/services.ts";
import { userVolumes } from "../machine/volumes.ts";
import type { ServiceName } from "../state.ts";
import { partitionsOf, systemDisk } from "./partitions.ts";
import type { Described } from "./resource.ts";

/** Mounts and their requesters: partitions, and folders that are volumes of their own. */
export function mountStatuses(called: Called): Described[] {
  const disk = systemDisk(called);
  const system = (disk ? partitionsOf(called, disk) : []).flatMap(({ id, index, filesystem, encrypted, mount }) =>
    mount === undefined
      ? []
      : [{ id, source: encrypted ? `/dev/dm-${index}` : `/dev/${disk?.device}${index}`, filesystem, encrypted, mount }],
  );
  const user = userVolumes(called.machine).flatMap(({ id, device, partition, filesystem, keys, mount, phase }) =>
    mount === undefined || phase !== "ready" || device === undefined
      ? []
      : [
          {
            id,
            source: `/dev/${device}${partition ?? ""}`,
            filesystem,
            encrypted: keys.length > 0,
            mount: { targetPath: mount },
          },
        ],
  );
  const partitions: Described[] = [...system, ...user].map(({ id, source, filesystem, encrypted, mount }) => {
    const quota = "projectQuotaSupport" in mount && mount.projectQuotaSupport === true;
    const secure = id === "EPHEMERAL" ? { secure: true } : {};
    const spec = { volumeID: id, parentID: "", ...secure, requesters: ["sequencer"], requesterIDs: [id] };
    const encryption = encrypted ? { encryptionProvider: "luks2" } : {};
    return [id, { spec, source, target: mount.targetPath, filesystem, projectQuotaSupport: quota, ...encryption }];
  });
  return partitions.some(([id]) => id === "EPHEMERAL") ? [...partitions, ...foldersOf(called)] : partitions;
}

/** Folders that are volumes: their requesters, and their parents. */
function foldersOf({ boot }: Called): Described[] {
  const folders: readonly [id: string, target: string, parent: string, ...requesters: ServiceName[]][] = [
    ["/var/lib", "/var/lib", "EPHEMERAL", "cri", "etcd", "kubelet"],
    ["/var/lib/cni", "/var/lib/cni", "/var/lib", "cri"],
    ["/var/lib/containerd", "/var/lib/containerd", "/var/lib", "cri"],
    ["/var/lib/kubelet", "/var/lib/kubelet", "/var/lib", "kubelet"],
    ["/var/run", "/var/run", "", "cri"],
    ["/var/run/lock", "/var/run/lock", "/var/run", "cri"],
    ["ETCD", "/var/lib/etcd", "/var/lib", "etcd"],
  ];
  const folder = (id: string, target: string, parentID: string, requesters: string[], requesterIDs: string[]): Described => {
    const spec = { volumeID: id, parentID, requesters, requesterIDs };
    return [id, { spec, source: "", target, filesystem: "none", projectQuotaSupport: false }];
  };
  const logs = "runtime.LogPersistenceController";
  return [
    ...folders.flatMap(([id, target, parent, ...services]) => {
      const requesters = services.filter((service) => isRunning(boot, service)).map((service) => `service/${service}`);
      if (requesters.length === 0) return [];
      return [
        folder(
          id,
          target,
          parent,
          requesters,
          requesters.map((service) => `${service}-${id}`),
        ),
      ];
    }),
    folder("/var/log", "/var/log", "EPHEMERAL", [logs], [`${logs}-/var/log`]),
    folder("/var/mnt", "/var/mnt", "EPHEMERAL", ["block.VolumeConfigController"], ["/var/mnt"]),
  ];
}
