import { expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { baselineProblems, restrictedProblems } from "./pod-standards.ts";

const baseline = (spec: Loose) => baselineProblems({}, { containers: [{ name: "a" }], ...spec });
const restricted = (spec: Loose) => restrictedProblems({ containers: [{ name: "a" }], ...spec });

// The words are those of k8s.io/pod-security-admission's own tests.
test.each<[Loose, string]>([
  [{ hostNetwork: true, hostPID: true, hostIPC: true }, "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)"],
  [
    { containers: [{ name: "a", securityContext: { privileged: true } }] },
    'privileged (container "a" must not set securityContext.privileged=true)',
  ],
  [
    {
      volumes: [
        { name: "v", hostPath: { path: "/" } },
        { name: "w", hostPath: { path: "/" } },
      ],
    },
    'hostPath volumes (volumes "v", "w")',
  ],
  [{ containers: [{ name: "a", ports: [{ hostPort: 80 }] }] }, 'hostPort (container "a" uses hostPort 80)'],
  [
    { containers: [{ name: "a", securityContext: { capabilities: { add: ["NET_ADMIN", "CHOWN"] } } }] },
    'non-default capabilities (container "a" must not include "NET_ADMIN" in securityContext.capabilities.add)',
  ],
])("baseline refuses %j", (spec, problem) => {
  expect(baseline(spec)).toEqual([problem]);
});

test("an ordinary pod is within baseline", () => {
  expect(baseline({})).toEqual([]);
});

test("restricted asks for four things of a pod that says nothing", () => {
  expect(restricted({})).toEqual([
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"])',
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ]);
});

test("what the pod says holds for its containers", () => {
  const containers = [{ name: "a", securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } }];
  expect(restricted({ containers, securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } })).toEqual(
    [],
  );
});
