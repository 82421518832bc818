import { openMaintenance } from "../maintenance/maintenance.ts";
import { openSnapshots } from "../maintenance/snapshot.ts";
import { addons, networkParts } from "../steps/addons/addons.ts";
import type { Trial } from "../steps/bootstrap/apply-config.ts";
import { configVolumesGone } from "../steps/bootstrap/config-volume.ts";
import { etcd, etcdCluster } from "../steps/bootstrap/etcd.ts";
import { kubeconfigFile } from "../steps/bootstrap/kubeconfig.ts";
import { kubernetesApi, kubernetesApiAnswers } from "../steps/bootstrap/kubernetes-api.ts";
import { nodeConfigs } from "../steps/bootstrap/node-configs.ts";
import { withStagedConfigs } from "../steps/bootstrap/staged-restart.ts";
import { ageKeyFile } from "../steps/generate/age-key.ts";
import { machineConfigFiles } from "../steps/generate/machine-configs.ts";
import { secretsBundle } from "../steps/generate/secrets-bundle.ts";
import { talosconfigFile } from "../steps/generate/talosconfig.ts";
import { wantedConfigs } from "../steps/generate/wanted-configs.ts";
import { wireguardFiles } from "../steps/generate/wireguard-files.ts";
import { controlPlanesOf, leaversOf, withoutReplaced } from "../steps/provision/leavers.ts";
import { verifyChecks } from "../steps/verify/checks.ts";
import { AFTER_CHANGES, AT_REST } from "../steps/verify/eventually.ts";
import { machines, removals } from "./removals.ts";
import { includes } from "./stages.ts";
import type { Workflow } from "./workflow.ts";

/** Everything `up` does, in order. Each line is one file under steps/ or platforms/<p>/steps/. */
export const up: Workflow = (given) => {
  const { env, platform, talos, kubernetes, near, redactor } = given;
  const configs = wantedConfigs(env, platform, redactor);
  const leavers = leaversOf(env, given.found);
  const bootstrapped = given.found.owned.some((owned) => owned.bootstrapped);
  const snapshots = openSnapshots({
    ...{ env, talos, bootstrapped, wanted: given.takesSnapshots, notice: given.notice },
    controlPlanes: [...leavers.staying, ...controlPlanesOf([...leavers.removed, ...leavers.replaced])],
  });
  const maintenance = openMaintenance({
    ...{ nodes: env.config.nodes, workers: env.config.maintenance.workers, talos, kube: kubernetes },
    existing: given.found.there,
    ...{ bootstrapped, snapshots },
    ignoredBudgets: given.ignoredBudgets ?? [],
  });
  const trial: Trial = {};
  const gone = removals(given, leavers, { maintenance, snapshots });
  const found = withoutReplaced(given.found, leavers);
  const installed = addons(env, kubernetes, found, given.removeAddons, given.wasRemoved);
  const configured = nodeConfigs({ ...given, found, wanted: configs, maintenance, trial });
  const restarting = includes(given.stages, "bootstrap")
    ? withStagedConfigs(maintenance, { env, talos, wanted: configs, trial })
    : maintenance;
  const refs = (items: readonly { id: string }[]) => items.map((item) => ({ step: item.id }));
  return [
    ...platform.checks(found),
    ...platform.steps("image", found),
    secretsBundle(env, redactor),
    machineConfigFiles(env, configs),
    talosconfigFile(env, redactor),
    ...wireguardFiles(env, redactor),
    ...ageKeyFile(env, redactor),
    ...gone,
    ...machines(given, leavers, gone, { configs, maintenance: restarting }),
    ...configured,
    etcdCluster({ env, talos, found }),
    ...configVolumesGone(env, talos, found, [etcd]),
    ...platform.steps("bootstrap", found),
    kubeconfigFile(env, talos, redactor),
    kubernetesApiAnswers(kubernetes),
    ...installed,
    ...verifyChecks({
      ...{ env, talos, kubernetes, near, redactor },
      after: [...refs([...gone, ...configured]), kubernetesApi],
      network: networkParts(env),
      addons: refs(installed),
      patience: () => (given.atRest?.() ? AT_REST : AFTER_CHANGES),
    }),
  ];
};
