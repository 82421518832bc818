import { Secret } from "@talosmith/lib/secret.ts";
import { expect, test } from "vitest";
import { localPath } from "./local-path.ts";
import { type LonghornOptions, longhorn } from "./longhorn.ts";
import { proxmoxCcm } from "./proxmox-ccm.ts";
import { proxmoxCsi } from "./proxmox-csi.ts";
import { FACTS, objectsIn, releaseIn, TOKEN, textsOf } from "./testing/sample.ts";

const PRIVILEGED = { "pod-security.kubernetes.io/enforce": "privileged" };

// Talos's guide to Longhorn, first engine; its own test's folder (hack/test/patches/longhorn.yaml).
test("Longhorn brings its extensions, and kubelet is given its folder", () => {
  const addon = longhorn.make({}, FACTS);
  expect(addon.machines).toEqual({
    extensions: ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"],
    kubeletMounts: ["/var/mnt/longhorn"],
  });
  expect(releaseIn(addon)).toMatchObject({
    namespaceLabels: PRIVILEGED,
    values: { defaultSettings: { defaultDataPath: "/var/mnt/longhorn" }, persistence: { defaultClass: true } },
  });
});

test("a user volume is where Talos mounts it, which kubelet has already", () => {
  const addon = longhorn.make({ volume: "disks", defaultClass: false }, FACTS);
  expect(addon.machines).not.toHaveProperty("kubeletMounts");
  expect(releaseIn(addon).values).toMatchObject({
    defaultSettings: { defaultDataPath: "/var/mnt/disks" },
    persistence: { defaultClass: false },
  });
});

test("Longhorn keeps three copies, or as many as there are nodes for them", () => {
  const copies = (facts: object, options: LonghornOptions = {}) =>
    releaseIn(longhorn.make(options, { ...FACTS, ...facts })).values.persistence;
  expect(copies({ workers: 5 })).toMatchObject({ defaultClassReplicaCount: 3 });
  expect(copies({ workers: 2 })).toMatchObject({ defaultClassReplicaCount: 2 });
  expect(copies({ workers: 0, scheduleOnControlPlanes: true })).toMatchObject({ defaultClassReplicaCount: 3 });
  expect(copies({ workers: 0 })).toMatchObject({ defaultClassReplicaCount: 1 });
  expect(copies({ workers: 2 }, { replicas: 1 })).toMatchObject({ defaultClassReplicaCount: 1 });
});

// Talos's guide to local storage.
test("local-path writes where Talos lets it, and kubelet is given the folder", () => {
  const usual = localPath.make({}, FACTS);
  expect(usual.machines).toEqual({ kubeletMounts: ["/var/mnt/local-path-provisioner"] });
  expect(releaseIn(usual)).toMatchObject({
    namespaceLabels: PRIVILEGED,
    values: {
      nodePathMap: [{ node: "DEFAULT_PATH_FOR_NON_LISTED_NODES", paths: ["/var/mnt/local-path-provisioner"] }],
      storageClass: { defaultClass: false },
    },
  });
  expect(localPath.make({ path: "/var/local" }, FACTS).machines).toEqual({ kubeletMounts: ["/var/local"] });
});

// The configuration page and the chart's values.yaml of proxmox-csi-plugin v0.19.1.
test("a Secret has the API address and token of Proxmox's storage driver", () => {
  const addon = proxmoxCsi.make({ token: TOKEN, classes: [] }, FACTS);
  const [namespace, secret] = objectsIn(addon, "access");
  expect(namespace).toMatchObject({ kind: "Namespace", metadata: { name: "csi-proxmox", labels: PRIVILEGED } });
  expect(JSON.parse(textsOf(secret)["config.yaml"] ?? "")).toEqual({
    clusters: [
      {
        url: "https://10.0.0.2:8006/api2/json",
        insecure: true,
        token_id: "kubernetes@pve!driver",
        token_secret: "11112222-3333-4444-8555-666677778888",
        region: "homelab",
      },
    ],
  });
  expect(releaseIn(addon).values).toMatchObject({
    existingConfigSecret: secret?.metadata.name,
    existingConfigSecretKey: "config.yaml",
  });
});

test("a new token restarts the drivers, because they read it only at their start", () => {
  const podsWith = (token: Secret) => [
    releaseIn(proxmoxCsi.make({ token, classes: [] }, FACTS)).values.controller,
    releaseIn(proxmoxCcm.make({ token }, FACTS)).values.podAnnotations,
  ];
  const [csi, ccm] = podsWith(new Secret("kubernetes@pve!driver=another"));
  expect([csi, ccm]).not.toContainEqual(podsWith(TOKEN)[0]);
  expect([csi, ccm]).not.toContainEqual(podsWith(TOKEN)[1]);
});

test("a certificate that everybody trusts is checked by the drivers, too", () => {
  const proxmox = { url: "https://pve.example.org", trusted: "system", hosts: ["pve1"] } as const;
  // The addon must not create the namespace.
  const [secret] = objectsIn(proxmoxCcm.make({ token: TOKEN, region: "home" }, { ...FACTS, proxmox }), "access");
  expect(JSON.parse(textsOf(secret)["config.yaml"] ?? "")).toMatchObject({
    clusters: [{ url: "https://pve.example.org/api2/json", insecure: false, region: "home" }],
  });
});

test("a class is a storage of Proxmox", () => {
  const classes = [
    { name: "fast", storage: "local-lvm", default: true },
    { name: "safe", storage: "ceph", reclaim: "retain" },
  ] as const;
  expect(releaseIn(proxmoxCsi.make({ token: TOKEN, classes }, FACTS)).values.storageClass).toEqual([
    {
      name: "fast",
      storage: "local-lvm",
      reclaimPolicy: "Delete",
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
    { name: "safe", storage: "ceph", reclaimPolicy: "Retain" },
  ]);
});

test("on one host every node says where its disks are; on several the cloud controller does", () => {
  const options = { token: TOKEN, region: "home", classes: [] };
  expect(proxmoxCsi.make(options, FACTS).machines).toEqual({
    labels: { "topology.kubernetes.io/region": "home", "topology.kubernetes.io/zone": "pve1" },
  });
  const proxmox = { url: "https://10.0.0.2:8006", trusted: "other", hosts: ["pve1", "pve2"] } as const;
  expect(proxmoxCsi.make(options, { ...FACTS, proxmox }).machines).toEqual({});
});
