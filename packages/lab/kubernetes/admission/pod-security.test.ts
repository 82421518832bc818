import { expect, test } from "vitest";
import type { Loose } from "../objects.ts";
import { problemsOf } from "./pod-standards.ts";

const level = (name: "baseline" | "restricted", spec: Loose) =>
  problemsOf(name, {}, { containers: [{ name: "a" }], ...spec }).join(", ");

// k8s.io/pod-security-admission v0.34.0 printed every expected text for the same spec.
test.each<["baseline" | "restricted", Loose, string]>([
  ["baseline", {}, ""],
  [
    "baseline",
    { hostNetwork: true, hostPID: true, hostIPC: true },
    "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
  ],
  [
    "baseline",
    {
      volumes: [
        { name: "v", hostPath: {} },
        { name: "w", hostPath: {} },
      ],
    },
    'hostPath volumes (volumes "v", "w")',
  ],
  [
    "baseline",
    {
      containers: [
        { name: "a", ports: [{ hostPort: 80 }, { hostPort: 81 }] },
        { name: "b", ports: [{ hostPort: 82 }] },
      ],
    },
    'hostPort (containers "a", "b" use hostPorts 80, 81, 82)',
  ],
  [
    "baseline",
    {
      containers: [
        { name: "a", securityContext: { capabilities: { add: ["NET_ADMIN"] } } },
        { name: "b", securityContext: { capabilities: { add: ["SYS_TIME", "CHOWN"] } } },
      ],
    },
    'non-default capabilities (containers "a", "b" must not include "NET_ADMIN", "SYS_TIME" in securityContext.capabilities.add)',
  ],
  [
    "baseline",
    {
      hostNetwork: true,
      volumes: [{ name: "v", hostPath: {} }],
      securityContext: {
        seLinuxOptions: { type: "x" },
        seccompProfile: { type: "Unconfined" },
        sysctls: [{ name: "kernel.foo" }],
      },
      containers: [
        {
          name: "a",
          ports: [{ hostPort: 80 }],
          readinessProbe: { httpGet: { host: "127.0.0.1" } },
          securityContext: {
            privileged: true,
            procMount: "Unmasked",
            capabilities: { add: ["NET_ADMIN"] },
            seccompProfile: { type: "Unconfined" },
          },
        },
      ],
    },
    'non-default capabilities (container "a" must not include "NET_ADMIN" in securityContext.capabilities.add), host namespaces (hostNetwork=true), hostPath volumes (volume "v"), hostPort (container "a" uses hostPort 80), probe or lifecycle host (container "a" uses probe or lifecycle host "127.0.0.1"), privileged (container "a" must not set securityContext.privileged=true), procMount (container "a" must not set securityContext.procMount to "Unmasked"), seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x"), seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined"), forbidden sysctls (kernel.foo)',
  ],
  [
    "restricted",
    {},
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    "restricted",
    {
      hostNetwork: true,
      volumes: [
        { name: "v", hostPath: {} },
        { name: "w", nfs: {} },
      ],
      securityContext: { runAsNonRoot: false, seccompProfile: { type: "Unconfined" } },
      containers: [
        { name: "a", ports: [{ hostPort: 80 }], securityContext: { privileged: true, capabilities: { add: ["NET_ADMIN"] } } },
      ],
    },
    'host namespaces (hostNetwork=true), hostPort (container "a" uses hostPort 80), privileged (container "a" must not set securityContext.privileged=true), allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "NET_ADMIN" in securityContext.capabilities.add), restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs"), runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    "restricted",
    {
      securityContext: { runAsNonRoot: true, runAsUser: 0, seccompProfile: { type: "RuntimeDefault" } },
      containers: [{ name: "a", securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } }],
    },
    "runAsUser=0 (pod must not set runAsUser=0)",
  ],
  [
    "restricted",
    {
      securityContext: { runAsNonRoot: true },
      containers: [{ name: "a", securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: "Unconfined" } } }],
    },
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false), runAsUser=0 (container "a" must not set runAsUser=0), seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
])("%s on %j", (name, spec, expected) => {
  expect(level(name, spec)).toBe(expected);
});
