import { proxmoxCcm as ccm } from "../../../../catalog/addons/proxmox-ccm.ts";
import { proxmoxCsi as csi } from "../../../../catalog/addons/proxmox-csi.ts";
import { toldPreset } from "../../../../config/schema/addons/chart-options.ts";
import * as kubernetes from "../../../../config/schema/kubernetes-words.ts";
import { choice, flag, list, section, text } from "../../../../config/schema/value.ts";
import { storage } from "./names.ts";
import { driverToken } from "./token.ts";

function region() {
  return text({
    about: "What the Proxmox cluster is called on nodes' labels. By default as the cluster.",
    example: "home",
    check: kubernetes.labelValue,
  }).optional();
}

export const proxmoxCcm = toldPreset(
  ccm,
  "Proxmox's cloud controller: nodes are labelled with the host they are on, and go when their machine does.",
  `{ token: "\${env:CCM_TOKEN}" }`,
  { token: driverToken, region: region() },
);

export const proxmoxCsi = toldPreset(
  csi,
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
