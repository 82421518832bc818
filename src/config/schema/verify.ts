import { DEFAULT_VERIFY } from "../defaults.ts";
import { imageName } from "./image-name.ts";
import { flag, section } from "./value.ts";

export const verify = section("Tests of the cluster in the last stage of up, and in verify.", {
  smoke: flag({
    about: "Whether a pod on every worker tests access to the API and to another pod. The pods are removed afterwards.",
    byDefault: DEFAULT_VERIFY.smoke,
  }).optional(),
  image: imageName("Image of these pods: Kubernetes's agnhost or a copy of it.", DEFAULT_VERIFY.image),
  gpuImage: imageName("Image of the pod that tests a GPU; nvidia-smi comes with the node's driver.", DEFAULT_VERIFY.gpuImage),
});
