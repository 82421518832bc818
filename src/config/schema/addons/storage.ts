import { PRESETS } from "../../../catalog/addons/presets.ts";
import { flag, text, whole } from "../value.ts";
import { VOLUME_NAME, volumeName } from "../volume-name.ts";
import { preset } from "./chart-options.ts";

const defaultClass = (byDefault: boolean) =>
  flag({ about: "Whether claims that name no storage class get this one.", byDefault }).optional();

export const longhorn = preset(PRESETS.longhorn, "Longhorn: replicated volumes on the nodes' own disks.", {
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

export const localPath = preset(PRESETS.localPath, "Volumes that are folders of the node their pod runs on.", {
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
