import { proxmoxCcm as ccm } from "../../../../catalog/addons/proxmox-ccm.ts";
import { proxmoxCsi as csi } from "../../../../catalog/addons/proxmox-csi.ts";
import { toldPreset } from "../../../../config/schema/addons/chart-options.ts";
import * as kubernetes from "../../../../config/schema/kubernetes-words.ts";
import { choice, flag, list, section, text } from "../../../../config/schema/value.ts";
import { storage } from "./names.ts";
import { driverToken } from "./token.ts";

function region() {
  return text({
    about: "Name of the Proxmox cluster in the nodes' labels. By default the cluster's name.",
    example: "home",
    check: kubernetes.labelValue,
  }).optional();
}

export const proxmoxCcm = toldPreset(
  ccm,
  "Proxmox's cloud controller: labels nodes with their host, and removes nodes whose machine was deleted.",
  `{ token: "\${env:CCM_TOKEN}" }`,
  { token: driverToken, region: region() },
);

export const proxmoxCsi = toldPreset(
  csi,
  "Proxmox's CSI driver: volumes are disks on Proxmox storages, attached to the machine of their pod.",
  `{ token: "\${env:CSI_TOKEN}", classes: [{ name: proxmox, storage: local-lvm }] }`,
  {
    token: driverToken,
    region: region(),
    classes: list(
      section("A storage class.", {
        name: text({ about: "Name of the storage class.", example: "proxmox", check: kubernetes.objectName }),
        storage: storage("Proxmox storage of the disks."),
        default: flag({ about: "Whether this is the default storage class.", byDefault: false }).optional(),
        reclaim: choice({
          about: "What happens to the disk when its claim is deleted.",
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
