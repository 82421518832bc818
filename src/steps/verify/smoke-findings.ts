import type { ClusterConfig } from "../../config/config.ts";
import type { Finding } from "../../engine/step.ts";
import type { SmokeAnswer } from "../../kubernetes/smoke/answers.ts";
import { NAMESPACE } from "../../kubernetes/smoke/namespace.ts";
import type { Question, SmokeNode } from "../../kubernetes/smoke/pods.ts";
import type { SmokeResult } from "../../kubernetes/smoke/smoke.ts";

type About = Pick<ClusterConfig, "cni" | "dnsDomain">;

/** One finding for each failed question, or a single one when all succeeded. */
export function smokeFindings({ answers, partners, left }: SmokeResult, nodes: readonly SmokeNode[], about: About): Finding[] {
  const wrong = answers.flatMap((answer) => findingOf(answer, partners.get(answer.node) ?? "", about) ?? []);
  return [
    ...(wrong.some(({ level }) => level === "fail") ? [] : [allReached(answers, nodes)]),
    ...wrong,
    ...(left ? [leftBehind()] : []),
  ];
}

function allReached(answers: readonly SmokeAnswer[], nodes: readonly SmokeNode[]): Finding {
  const where = nodes.length === 1 ? `pods on ${nodes[0]?.name}` : `pods on all ${nodes.length} nodes that accept them`;
  const gpus = answers.filter(({ asked, is }) => asked === "gpu" && is === "yes").map(({ node }) => node);
  const also = gpus.length === 0 ? "" : `, and the GPU of ${gpus.join(", ")}`;
  return { level: "ok", code: "SMOKE", message: `${where} reach the API, cluster DNS and each other${also}` };
}

function findingOf(answer: SmokeAnswer, partner: string, about: About): Finding | undefined {
  const { node } = answer;
  switch (answer.is) {
    case "yes":
      return undefined;
    case "untried":
      return { level: "warn", code: "SMOKE", message: `${node}: not tried: ${answer.why}` };
    case "unstarted":
      return unstarted(answer);
    case "no": {
      if (answer.asked === "start") return undefined;
      const { what, hint } = FAILURES[answer.asked]({ node, partner, about });
      const message = [`${node}: ${what} (${answer.why})`, ...answer.log].join("\n");
      return { level: "fail", code: CODES[answer.asked], message, hint };
    }
  }
}

const CODES: Record<Question, string> = { api: "POD_API", dns: "POD_DNS", pod: "POD_NETWORK", gpu: "POD_GPU" };

interface Failed {
  node: string;
  /** The node of the pod to reach. */
  partner: string;
  about: About;
}

const FAILURES: Record<Question, (failed: Failed) => { what: string; hint: string }> = {
  api: ({ node, about: { cni } }) => ({
    what: "a pod cannot reach the Kubernetes API through its service address",
    hint: `check that ${cni === "cilium" ? "Cilium" : "kube-proxy"}, which provides service addresses, runs there:  kubectl -n kube-system get pods -o wide --field-selector spec.nodeName=${node}`,
  }),
  dns: ({ about: { cni, dnsDomain } }) => ({
    what: `a pod gets no answer from cluster DNS for kubernetes.default.svc.${dnsDomain}`,
    hint: `kubectl -n kube-system logs -l k8s-app=kube-dns${cni === "cilium" ? "\nwith Cilium's bpf.masquerade, Talos must not forward DNS to the host: machine.features.hostDNS.forwardKubeDNSToHost: false" : ""}`,
  }),
  pod: ({ node, partner, about: { cni } }) =>
    node === partner
      ? { what: "a pod cannot reach another pod of the same node", hint: CNI_LOGS[cni] }
      : { what: `a pod cannot reach a pod on ${partner}`, hint: `${TUNNELS[cni]}\n${CNI_LOGS[cni]}` },
  gpu: ({ node }) => ({
    what: "nvidia-smi does not run in a pod with a GPU",
    hint: `kubectl get pods -A -o wide --field-selector spec.nodeName=${node}`,
  }),
};

/** The ports that must be open between nodes (docs/facts/kubernetes.md#cilium-on-talos); Talos's Flannel uses the standard port of VXLAN. */
const TUNNELS: Record<ClusterConfig["cni"], string> = {
  cilium: "check that no firewall between the nodes blocks VXLAN (UDP 8472)",
  flannel: "check that no firewall between the nodes blocks VXLAN (UDP 4789)",
  none: "check that no firewall between the nodes blocks the CNI's packets",
};

const CNI_LOGS: Record<ClusterConfig["cni"], string> = {
  cilium: "kubectl -n kube-system logs -l k8s-app=cilium",
  flannel: "kubectl -n kube-system logs -l k8s-app=flannel",
  none: "check the logs of the CNI's pods",
};

const IMAGE_TROUBLE = /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName)/;

function unstarted({ node, why, image }: Extract<SmokeAnswer, { is: "unstarted" }>): Finding {
  if (IMAGE_TROUBLE.test(why)) {
    const message = `${node}: the image ${image} cannot be pulled\n${why}`;
    const hint =
      "name a copy that the nodes can pull (verify.image, verify.gpuImage) or a mirror (registries), or disable the test: verify.smoke: false";
    return { level: "fail", code: "POD_IMAGE", message, hint };
  }
  const hint = `kubectl get events -A --field-selector involvedObject.kind=Pod; kubectl describe node ${node}`;
  return { level: "fail", code: "POD_START", message: `${node}: a pod does not start: ${why}`, hint };
}

function leftBehind(): Finding {
  const hint = `to see what blocks the deletion:  kubectl get namespace ${NAMESPACE} -o yaml`;
  return { level: "warn", code: "SMOKE_LEFT", message: `namespace ${NAMESPACE} was deleted but still exists`, hint };
}
