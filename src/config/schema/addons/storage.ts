import { PRESETS } from "../../../catalog/addons/presets.ts";
import { flag, text, whole } from "../value.ts";
import { VOLUME_NAME, volumeName } from "../volume-name.ts";
import { preset } from "./chart-options.ts";

const defaultClass = (byDefault: boolean) => flag({ about: "Whether this is the default storage class.", byDefault }).optional();

export const longhorn = preset(PRESETS.longhorn, "Longhorn: replicated volumes on the nodes' own disks.", {
  replicas: whole({
    about: "Copies of each volume. By default one for each node that runs workloads, at most 3.",
    example: "3",
    from: 1,
    to: 20,
  }).optional(),
  volume: text({
    about: "User volume of the workers for the data, mounted at /var/mnt/NAME. By default a folder on the system disk.",
    example: "longhorn",
    pattern: VOLUME_NAME,
    check: volumeName,
  }).optional(),
  defaultClass: defaultClass(true),
});

const FOLDER = /^\/var(\/[\w.@+-]+)+$/;

export const localPath = preset(PRESETS.localPath, "local-path-provisioner: volumes that are folders on the pod's node.", {
  path: text({
    about: "Folder for volumes on every node that runs workloads: on a user volume mounted there, else on the system disk.",
    example: "/var/mnt/local-path-provisioner",
    byDefault: "/var/mnt/local-path-provisioner",
    pattern: FOLDER,
    check: (value) =>
      FOLDER.test(value) && !value.split("/").includes("..")
        ? undefined
        : { says: "is not a folder that pods can write to", hint: "write one below /var, such as /var/mnt/data" },
  }).optional(),
  defaultClass: defaultClass(false),
});
