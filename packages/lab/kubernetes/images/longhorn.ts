import { parse } from "yaml";
import type { Image, Process } from "../pods/program.ts";
import { InCluster } from "./in-cluster.ts";

const SETTINGS = "/apis/longhorn.io/v1beta2/namespaces";

/** One image: the manager on every node, the deployer of its driver, and their Jobs. */
export const longhornManager: Image = {
  name: "longhornio/longhorn-manager",
  pullMs: 5000,
  entrypoint: ["longhorn-manager"],
  program: async (run) => {
    const words = run.argv.slice(1).filter((word) => word !== "-d");
    switch (words[0]) {
      case "daemon":
      case "pre-upgrade":
        return (await environment(run)) ? (words[0] === "daemon" ? stays(run) : 0) : 1;
      case "deploy-driver":
        return stays(run);
      case "uninstall":
        return uninstall(run);
      default:
        return 0;
    }
  },
  controls: {
    watches: ["configmaps"],
    act: async (run) => {
      if (run.argv.includes("daemon")) await makeSettings(run);
      if (run.argv.includes("deploy-driver")) await makeClass(run);
    },
  },
};

async function stays(run: Process): Promise<"stays"> {
  await run.sleep(5000);
  return "stays";
}

/** Longhorn uses the namespaces of the host's iscsid, which the system extension iscsi-tools provides on Talos. */
async function environment(run: Process): Promise<boolean> {
  const runs = Object.entries(run.files).some(
    ([path, text]) => /^\/host\/proc\/\d+\/comm$/.test(path) && text.trim() === "iscsid",
  );
  if (runs) return true;
  const at = new Date(run.now()).toISOString().replace(/\.\d+Z$/, "Z");
  run.log(
    `time="${at}" level=fatal msg="Error starting manager: failed to check environment, please make sure you have iscsiadm/open-iscsi installed on the host: failed to execute: /usr/bin/nsenter [nsenter --mount=/host/proc/1/ns/mnt --net=/host/proc/1/ns/net iscsiadm --version], output , stderr nsenter: failed to execute iscsiadm: No such file or directory\\n: exit status 127" func=main.main.DaemonCmd.func3 file="daemon.go:105"`,
  );
  return false;
}

/** Creates objects from the chart's default settings; users can change them later. */
async function makeSettings(run: Process): Promise<void> {
  const api = new InCluster(run);
  const namespace = run.env.POD_NAMESPACE ?? "longhorn-system";
  const map = await api.read(`/api/v1/namespaces/${namespace}/configmaps/longhorn-default-setting`);
  const given: Record<string, unknown> = parse(map?.data?.["default-setting.yaml"] ?? "") ?? {};
  for (const [name, value] of Object.entries({ "deleting-confirmation-flag": "false", ...given })) {
    await api.ensure(`${SETTINGS}/${namespace}/settings`, {
      apiVersion: "longhorn.io/v1beta2",
      kind: "Setting",
      metadata: { name, namespace },
      value: String(value),
    });
  }
}

async function makeClass(run: Process): Promise<void> {
  const api = new InCluster(run);
  const namespace = run.env.POD_NAMESPACE ?? "longhorn-system";
  const map = await api.read(`/api/v1/namespaces/${namespace}/configmaps/longhorn-storageclass`);
  const text: string | undefined = map?.data?.["storageclass.yaml"];
  if (text === undefined) return;
  const wanted = parse(text);
  const path = "/apis/storage.k8s.io/v1/storageclasses";
  const there = await api.read(`${path}/${wanted.metadata.name}`);
  const mark = "longhorn.io/last-applied-configmap";
  if (there?.metadata.annotations?.[mark] === text) return;
  if (there) await api.remove(`${path}/${wanted.metadata.name}`);
  await api.create(path, {
    ...wanted,
    metadata: { ...wanted.metadata, annotations: { ...wanted.metadata.annotations, [mark]: text } },
  });
}

/** Refuses until the user has set the confirmation flag, because all volumes are deleted as well. */
async function uninstall(run: Process): Promise<number> {
  const namespace = run.env.LONGHORN_NAMESPACE ?? "longhorn-system";
  const flag = await new InCluster(run).read(`${SETTINGS}/${namespace}/settings/deleting-confirmation-flag`);
  if (flag?.value === "true") return 0;
  const at = new Date(run.now()).toISOString().replace(/\.\d+Z$/, "Z");
  run.log(
    `time="${at}" level=fatal msg="Error uninstalling system" error="failed to check deleting-confirmation-flag: cannot uninstall Longhorn because deleting-confirmation-flag is set to false. Please set it to true using Longhorn UI or kubectl -n ${namespace} edit settings.longhorn.io deleting-confirmation-flag "`,
  );
  return 1;
}
