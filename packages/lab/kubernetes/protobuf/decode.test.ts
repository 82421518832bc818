import { expect, test } from "vitest";
import { decodeObject } from "./decode.ts";

// k8s.io/apimachinery v0.34.0's own serializers wrote both bodies and their JSON.
const DEPLOYMENT =
  "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EvoBCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEsgBCAASDAoKCgNhcHASA3dlYhqtAQocCgASABoAIgAqADIAOABCAFoKCgNhcHASA3dlYhKMAQoJCgF2EgQSAgoAEmAKAWMSBW5naW54KgAyCgoAEAAYUCIAKgA6EQoBQRIAGgoiCAoDCgFzEgFrQgBaIQoVEhMKAS8SCggBEAAaBGh0dHAaACIAEAAYACAAKAAwAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAqAEAwgEAIgIKACgAOAAaDAgAEAAYACAAKAA4ABoAIgA=";
const SECRET = "azhzAAoMCgJ2MRIGU2VjcmV0EiQKEgoBcxIAGgFuIgAqADIAOABCABIGCgFhEgFiGgZPcGFxdWUaACIA";

/* As kubectl 1.33 sends them: `create ingress web --class=nginx --rule=a.example/=web:80`, `create token default` for a pod. */
const INGRESS =
  "azhzAAofChRuZXR3b3JraW5nLms4cy5pby92MRIHSW5ncmVzcxJOChMKA3dlYhIAGgAiACoAMgA4AEIAEjMaKgoJYS5leGFtcGxlEh0KGwoZCgEvEg0iCwoDd2ViEgQKABBQGgVFeGFjdCIFbmdpbngaAgoAGgAiAA==";
const TOKEN_REQUEST =
  "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBItChAKABIAGgAiACoAMgA4AEIAEhMaEQoDUG9kEgJ2MRoBcCIDdS0xGgQKABIAGgAiAA==";

test("a Deployment decodes to its JSON, with an explicit zero, without empty members", () => {
  expect(decodeObject(Buffer.from(DEPLOYMENT, "base64"))).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "web" } },
      strategy: {},
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          automountServiceAccountToken: false,
          volumes: [{ name: "v", emptyDir: {} }],
          containers: [
            {
              name: "c",
              image: "nginx",
              ports: [{ containerPort: 80 }],
              env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
              readinessProbe: { httpGet: { path: "/", port: "http" } },
            },
          ],
        },
      },
    },
  });
});

test("bytes of a Secret become base64", () => {
  expect(decodeObject(Buffer.from(SECRET, "base64"))).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", namespace: "n" },
    data: { a: "Yg==" },
    type: "Opaque",
  });
});

test("the paths of an Ingress are in its rule", () => {
  const backend = { service: { name: "web", port: { number: 80 } } };
  expect(decodeObject(Buffer.from(INGRESS, "base64"))).toEqual({
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: "web" },
    spec: {
      ingressClassName: "nginx",
      rules: [{ host: "a.example", http: { paths: [{ path: "/", pathType: "Exact", backend }] } }],
    },
  });
});

test("a token can be bound to a pod by its uid", () => {
  expect(decodeObject(Buffer.from(TOKEN_REQUEST, "base64"))).toMatchObject({
    spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p", uid: "u-1" } },
  });
});

test("a body that is not Kubernetes protobuf is not decoded", () => {
  expect(decodeObject(Buffer.from("{}"))).toBeUndefined();
});
