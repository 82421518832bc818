import { type Kinds, since } from "./notation.ts";

/** Containers that Talos runs beside Kubernetes. */
export const CONTAINER: Kinds = {
  ContainerConfig: since("1.14", {
    name: "text",
    image: "text",
    entrypoint: ["text"],
    args: ["text"],
    workingDir: "text",
    "runAs?": { "uid?": "int32", "gid?": "int32" },
    environment: ["text"],
    mounts: [
      {
        "userVolume?": { name: "text", destination: "text", options: ["text"] },
        "tmpfs?": { destination: "text", size: "text", options: ["text"] },
        "hostPath?": { source: "text", destination: "text", options: ["text"] },
      },
    ],
    "security?": { profile: "text", "capabilities?": { add: ["text"], drop: ["text"] }, machinedAccess: "bool" },
    "network?": { mode: "text" },
    "resources?": { "limits?": { cpu: "text", memory: "text" } },
    "dependsOn?": { paths: ["text"], networks: ["text"], "time?": "bool", containers: ["text"] },
  }),
};
