import type { KnownRefusal } from "../kernel/kernel.ts";

/** Error responses of an API server: literals of k8s.io/apiserver, apimachinery and etcd's client. */
export const refusals = {
  unauthorized: { status: 401, message: "Unauthorized", when: "the certificate has expired, or belongs to another cluster CA" },
  forbidden: {
    status: 403,
    message: 'nodes is forbidden: User "talosmith" cannot list resource "nodes" in API group "" at the cluster scope',
    when: "a role is missing, or RBAC is not loaded yet",
  },
  conflict: {
    status: 409,
    message:
      'Operation cannot be fulfilled on deployments.apps "app": the object has been modified; please apply your changes to the latest version and try again',
    when: "another client changed the object",
  },
  "already-exists": { status: 409, message: 'namespaces "app" already exists', when: "another client created the object" },
  terminating: {
    status: 403,
    message: 'pods "app" is forbidden: unable to create new content in namespace app because it is being terminated',
    when: "the namespace is being deleted",
  },
  expired: {
    status: 410,
    message: "The provided continue parameter is too old to display a consistent list result.",
    when: "reading a paginated list took too long",
  },
  invalid: {
    status: 422,
    message: 'Deployment.apps "app" is invalid: spec.selector: Invalid value: field is immutable',
    when: "a field is immutable",
  },
  "webhook-denied": {
    status: 400,
    message: 'admission webhook "validate.policy.example" denied the request: not allowed',
    when: "a policy engine refuses the object",
  },
  "too-many-requests": {
    status: 429,
    message: "Too many requests, please try again later.",
    when: "the server is overloaded; it sends Retry-After",
  },
  "disruption-budget": {
    status: 429,
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    when: "a drain would stop too many pods of one kind",
  },
  "webhook-unreachable": {
    status: 500,
    message:
      'Internal error occurred: failed calling webhook "validate.policy.example": failed to call webhook: Post "https://policy.policy.svc:443/validate?timeout=10s": context deadline exceeded',
    when: "the pods behind an admission webhook are down",
  },
  "etcd-timeout": { status: 500, message: "etcdserver: request timed out", when: "etcd's disk is slow, or quorum is lost" },
  "etcd-leader-changed": { status: 500, message: "etcdserver: leader changed", when: "etcd elects a leader" },
  "etcd-no-space": {
    status: 500,
    message: "etcdserver: mvcc: database space exceeded",
    when: "etcd's database has reached its quota",
  },
  unavailable: {
    status: 503,
    message: "the server is currently unable to handle the request",
    when: "an aggregated API has no running server",
  },
  "not-ready": { status: 503, message: "apiserver not ready", when: "the API server is starting" },
  timeout: {
    status: 504,
    message: "Timeout: request did not complete within the allotted timeout",
    when: "the API server waited too long for etcd or a webhook",
  },
} as const satisfies Record<string, KnownRefusal>;
