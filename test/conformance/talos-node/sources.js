import { join } from "node:path";

/** Module with containerd, runc and etcd, which are built as they are. */
export const PROGRAMS = join(import.meta.dirname, "../../oracles/talos-node");

/** The release of Talos that is built. */
export const TALOS = "v1.13.9";
export const TALOS_MODULE = "github.com/siderolabs/talos";
export const MACHINERY = `${TALOS_MODULE}/pkg/machinery`;

/**
 * Versions that Talos asks for and the module proxy does not have, and the nearest that it has. The fork of containerd differs in what the linker can leave
 * out, not in what it does.
 */
export const REPLACED = {
  "github.com/siderolabs/go-kubernetes": "v0.2.39",
  "go.etcd.io/etcd/etcdutl/v3": "v3.6.10",
  "github.com/containerd/containerd/v2": "v2.2.4",
};

const RUNNER = "internal/app/machined/pkg/system/runner";

/** Changes of Talos's source: what this kind of machine, or a runc without libseccomp, does not allow. */
export const EDITS = [
  {
    why: "negative OOM scores need CAP_SYS_RESOURCE",
    file: `${RUNNER}/runner.go`,
    from: "OOMScoreAdj = score",
    to: "OOMScoreAdj = max(score, 0)",
  },
  {
    why: "no seccomp profile",
    file: `${RUNNER}/containerd/containerd.go`,
    from: "seccomp.WithDefaultProfile(),",
    to: "seccomp.WithDefaultProfile(), oci.WithSeccompUnconfined,",
  },
  {
    why: "no seccomp profile",
    file: `${RUNNER}/containerd/opts.go`,
    from: "override(s.Linux.Seccomp)",
    to: "override(s.Linux.Seccomp); s.Linux.Seccomp = nil",
  },
];
