import { addons } from "../steps/addons/addons.ts";
import { etcdCluster } from "../steps/bootstrap/etcd.ts";
import { kubeconfigFile } from "../steps/bootstrap/kubeconfig.ts";
import { kubernetesApiAnswers } from "../steps/bootstrap/kubernetes-api.ts";
import { nodeConfigs } from "../steps/bootstrap/node-configs.ts";
import { machineConfigFiles } from "../steps/generate/machine-configs.ts";
import { secretsBundle } from "../steps/generate/secrets-bundle.ts";
import { talosconfigFile } from "../steps/generate/talosconfig.ts";
import { wantedConfigs } from "../steps/generate/wanted-configs.ts";
import { outputsFile } from "../steps/provision/outputs-file.ts";
import { verifyChecks } from "../steps/verify/checks.ts";
import { removals } from "./removals.ts";
import type { Workflow } from "./workflow.ts";

/** Everything `up` does, in order. Each line is one file under steps/ or platforms/<p>/steps/. */
export const up: Workflow = ({ env, platform, talos, kubernetes, found, redactor }) => {
  const configs = wantedConfigs(env, platform, redactor);
  const installed = addons(env, kubernetes, found);
  return [
    ...platform.steps("preflight", found),
    ...platform.steps("image", found),
    secretsBundle(env, redactor),
    machineConfigFiles(env, configs),
    talosconfigFile(env, redactor),
    ...removals(env, platform, found),
    ...platform.steps("provision", found),
    outputsFile(env, platform, found),
    ...nodeConfigs(env, platform, talos, found, configs),
    etcdCluster({ env, talos, found }),
    ...platform.steps("bootstrap", found),
    kubeconfigFile(env, talos, redactor),
    kubernetesApiAnswers(kubernetes),
    ...installed,
    ...verifyChecks({ env, talos, kubernetes, after: installed.map((item) => ({ step: item.id })) }),
  ];
};
