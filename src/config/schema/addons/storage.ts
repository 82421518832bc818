import * as kubernetes from "../kubernetes-words.ts";
import { storage } from "../proxmox-names.ts";
import { driverToken } from "../proxmox-token.ts";
import { choice, flag, list, section, text, whole } from "../value.ts";
import { VOLUME_NAME, volumeName } from "../volume-name.ts";
import { preset, toldPreset } from "./chart-options.ts";

const defaultClass = (byDefault: boolean) =>
  flag({ about: "Whether claims that name no storage class get this one.", byDefault }).optional();

export const longhorn = preset("longhorn", "Longhorn: replicated volumes on the nodes' own disks.", {
  replicas: whole({
    about: "Copies of each volume. By default one for each node that runs workloads, at most 3.",
    example: "3",
    from: 1,
    to: 20,
  }).optional(),
  volume: text({
    about: "User volume of the workers that holds the data, mounted at /var/mnt/NAME. By default a folder of the system disk.",
    example: "longhorn",
    pattern: VOLUME_NAME,
    check: volumeName,
  }).optional(),
  defaultClass: defaultClass(true),
});

const FOLDER = /^\/var(\/[\w.@+-]+)+$/;

export const localPath = preset("localPath", "Volumes that are folders of the node their pod runs on.", {
  path: text({
    about: "Folder on every node that runs workloads: of a user volume there, or else of the system disk.",
    example: "/var/mnt/local-path-provisioner",
    byDefault: "/var/mnt/local-path-provisioner",
    pattern: FOLDER,
    check: (value) =>
      FOLDER.test(value) && !value.split("/").includes("..")
        ? undefined
        : { says: "is no folder that pods can write to", hint: "write one below /var, such as /var/mnt/data" },
  }).optional(),
  defaultClass: defaultClass(false),
});

export const proxmoxCsi = toldPreset(
  "proxmoxCsi",
  "Volumes that are disks on Proxmox's storages, plugged into the machine their pod runs on.",
  `{ token: "\${env:CSI_TOKEN}", classes: [{ name: proxmox, storage: local-lvm }] }`,
  {
    token: driverToken,
    region: region(),
    classes: list(
      section("A storage class.", {
        name: text({ about: "Its name.", example: "proxmox", check: kubernetes.objectName }),
        storage: storage("Storage of Proxmox its disks are on."),
        default: flag({ about: "Whether claims that name no storage class get this one.", byDefault: false }).optional(),
        reclaim: choice({
          about: "What becomes of the disk when its claim is deleted.",
          of: ["delete", "retain"],
          byDefault: "delete",
        }).optional(),
      }),
      {
        about: "The storage classes.",
        example: "[{ name: proxmox, storage: local-lvm }]",
        check: (items) =>
          items.length === 0
            ? { says: "is empty", hint: "name a storage class, such as { name: proxmox, storage: local-lvm }" }
            : undefined,
      },
    ),
  },
);

export function region() {
  return text({
    about: "What the Proxmox cluster is called on nodes' labels. By default as the cluster.",
    example: "home",
    check: kubernetes.labelValue,
  }).optional();
}
