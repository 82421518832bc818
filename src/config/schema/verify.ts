import { DEFAULT_VERIFY } from "../defaults.ts";
import { imageName } from "./image-name.ts";
import { flag, section } from "./value.ts";

export const verify = section("What the last stage of up, and verify, try in the cluster.", {
  smoke: flag({
    about: "Whether a pod on every worker tries to reach the API and another pod. They are removed again.",
    byDefault: DEFAULT_VERIFY.smoke,
  }).optional(),
  image: imageName("Image of these pods: Kubernetes's own agnhost, or a copy of it.", DEFAULT_VERIFY.image),
  gpuImage: imageName("Image of the pod that tries a GPU; nvidia-smi comes with the node's driver.", DEFAULT_VERIFY.gpuImage),
});
