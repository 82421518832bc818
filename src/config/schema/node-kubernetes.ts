import * as z from "zod";
import * as kubernetes from "./kubernetes-words.ts";
import { checked, choice, leaves, list, section, text, textMap } from "./value.ts";

const taint = z
  .union([
    checked(z.string(), kubernetes.taint),
    section("A taint.", {
      key: text({ about: "Key of the taint.", example: "dedicated", check: (value) => withoutPlace(kubernetes.key(value)) }),
      value: text({ about: "Value of the taint.", example: "gpu", check: kubernetes.labelValue }).optional(),
      effect: choice({ about: "What the taint does.", of: kubernetes.EFFECTS }),
    }),
  ])
  .register(leaves, {
    example: "dedicated=gpu:NoSchedule",
    typeHint: "write key=value:Effect, such as dedicated=gpu:NoSchedule",
  });

/** Reports the problem at the value, because here the key is a value itself. */
function withoutPlace(wrong: ReturnType<typeof kubernetes.key>) {
  return wrong === undefined ? undefined : { says: wrong.says, hint: wrong.hint };
}

/** Kubernetes settings of a node. */
export const kubernetesSettings = {
  labels: textMap({
    about: "Labels of the node, added to those of the defaults.",
    example: "{ tier: general }",
    key: kubernetes.key,
    value: kubernetes.labelValue,
  }).optional(),
  annotations: textMap({
    about: "Annotations of the node, added to those of the defaults.",
    example: "{ example.com/rack: r1 }",
    key: kubernetes.annotationKey,
  }).optional(),
  taints: list(taint, {
    about: "Taints of the node, added to those of the defaults: key=value:Effect or key:Effect.",
    example: "[dedicated=gpu:NoSchedule]",
    byDefault: [],
  }).optional(),
};
