import type { Incoming } from "../../kernel/answer.ts";
import type { User } from "../access/authenticate.ts";
import { authorize } from "../access/authorize.ts";
import { refuseApproval, refuseEscalation } from "../access/escalation.ts";
import { askWebhooks } from "../admission/webhooks.ts";
import type { SimulatedCluster } from "../cluster.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { mergePatch } from "../patch/merge.ts";
import { all, put, read } from "../store/store.ts";
import { mediaType, readBody, readConfig, readObject } from "./body.ts";
import { type Deleting, deletedStatus, deleteObject, listKind } from "./delete.ts";
import { listPage, selection } from "./list.ts";
import { APPLY, applyObject, patchObject } from "./patch.ts";
import { review, tokenRequest } from "./reviews.ts";
import { ApiError, badRequest, forbidden, invalid, notAllowed, notFound } from "./status.ts";
import { refuseDisruption, scaleOf } from "./subresources.ts";
import type { RequestTarget } from "./target.ts";
import { verbOf } from "./verbs.ts";
import { createObject, replaceObject, type Writing } from "./write.ts";

export interface RouteCall {
  cluster: SimulatedCluster;
  user: User;
  incoming: Incoming;
  target: Extract<RequestTarget, { is: "object" }>;
}

export type ApiReply =
  | { is: "object"; status: number; object: Loose; warnings: readonly string[] }
  | { is: "list"; items: readonly KubeObject[]; metadata: Loose };

/** Checks the user's rights. For a namespace itself, the namespace is the object's own name. */
export function checkAccess(asked: RouteCall): void {
  const { cluster, user, target } = asked;
  const { resource, subresource, name } = target;
  const namespace = target.namespace ?? (resource.resource === "namespaces" && resource.group === "" ? name : undefined);
  authorize(cluster, user, {
    verb: verbOf(asked),
    group: resource.group,
    resource: resource.resource,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  });
}

/** Handles every request except streaming ones. */
export function handle(asked: RouteCall): ApiReply {
  const { target } = asked;
  if (target.subresource !== undefined && !target.resource.subresources.includes(target.subresource)) {
    throw new ApiError(404, "NotFound", "the server could not find the requested resource", {});
  }
  switch (verbOf(asked)) {
    case "get":
      return one(200, target.subresource === "scale" ? scaleOf(existing(asked)) : existing(asked));
    case "list": {
      const { items, metadata } = listPage(asked.cluster, target.resource, { ...target, query: asked.incoming.query });
      return { is: "list", items, metadata };
    }
    case "create":
      return create(asked);
    case "update":
      return update(asked);
    case "patch":
      return patch(asked);
    case "delete":
      return remove(asked);
    default:
      return removeAll(asked);
  }
}

function one(status: number, object: Loose, warnings: readonly string[] = []): ApiReply {
  return { is: "object", status, object, warnings };
}

export function existing({ cluster, target }: Pick<RouteCall, "cluster" | "target">): KubeObject {
  const found = read(cluster, target.resource, target.namespace, target.name ?? "");
  if (!found) throw notFound(target.resource, target.name ?? "");
  return found;
}

function writing({ cluster, user, incoming, target }: RouteCall): Writing {
  const agent = (incoming.headers["user-agent"] ?? "unknown").split("/")[0] ?? "unknown";
  return {
    manager: incoming.query.get("fieldManager") ?? agent,
    ...(target.subresource !== undefined && { subresource: target.subresource }),
    dryRun: incoming.query.get("dryRun") === "All",
    validation: validationOf(incoming.query),
    warnings: [],
    allow: (object) => {
      refuseEscalation(cluster, user, target.resource, object);
      if (target.subresource === "approval") refuseApproval(cluster, user, target.resource, object);
    },
  };
}

/** The field validation; by default the server warns. */
function validationOf(query: URLSearchParams): NonNullable<Writing["validation"]> {
  const asked = query.get("fieldValidation") || "Warn";
  if (asked === "Ignore" || asked === "Warn" || asked === "Strict") return asked;
  throw invalid("meta.k8s.io", "CreateOptions", "", [
    {
      reason: "FieldValueNotSupported",
      message: `Unsupported value: ${JSON.stringify(asked)}: supported values: "Ignore", "Strict", "Warn"`,
      field: "fieldValidation",
    },
  ]);
}

function create(asked: RouteCall): ApiReply {
  const { cluster, target, incoming, user } = asked;
  const { resource, namespace, name, subresource } = target;
  if (name !== undefined) return createBelow(asked, subresource);
  if (!resource.verbs.includes("create")) throw notAllowed();
  const how = writing(asked);
  const manifest = readObject(incoming, resource, how);
  const answered = review(cluster, resource, user, manifest);
  if (answered) return one(201, answered);
  if (resource.namespaced && namespace === undefined) throw notAllowed();
  if (manifest.metadata.resourceVersion) {
    throw new ApiError(500, "", "resourceVersion should not be set on objects to be created");
  }
  // The server sets the user of a certificate request, not the client.
  if (resource.resource === "certificatesigningrequests") {
    manifest.spec = { ...manifest.spec, username: user.name, groups: user.groups };
  }
  return one(201, createObject(cluster, resource, namespace, manifest, how), how.warnings);
}

function createBelow(asked: RouteCall, subresource: string | undefined): ApiReply {
  const { cluster, incoming, target } = asked;
  const object = existing(asked);
  if (subresource === "token") return one(201, tokenRequest(cluster, object, { ...readBody(incoming), metadata: {} }));
  if (subresource === "eviction") {
    refuseDisruption(cluster, object);
    const dryRun = incoming.query.get("dryRun") === "All";
    const { gracePeriodSeconds: grace, preconditions } = readBody(incoming)?.deleteOptions ?? {};
    const how = { dryRun, ...(grace !== undefined && { graceSeconds: grace }), ...(preconditions && { preconditions }) };
    deleteObject(cluster, target.resource, object, how);
    return one(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
  }
  if (subresource !== "binding") throw notAllowed();
  const spec = { ...object.spec, nodeName: readBody(incoming)?.target?.name };
  put(cluster, target.resource, { ...object, spec });
  return one(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 });
}

function update(asked: RouteCall): ApiReply {
  const { cluster, target, incoming } = asked;
  const before = existing(asked);
  const how = writing(asked);
  if (target.subresource === "scale") return scale(asked, before, readBody(incoming), how);
  const manifest = readObject(incoming, target.resource, how);
  if (manifest.metadata.name !== undefined && manifest.metadata.name !== target.name) {
    throw badRequest(`the name of the object (${manifest.metadata.name}) does not match the name on the URL (${target.name})`);
  }
  // Only this subresource may remove the finalizers of a namespace.
  if (target.subresource === "finalize") manifest.metadata = { ...before.metadata, ...manifest.metadata };
  const managedFields = manifest.metadata.managedFields ?? [];
  const noted = { ...how, ...(managedFields.length > 0 && { managedFields }) };
  return one(200, replaceObject(cluster, target.resource, before, manifest, noted), how.warnings);
}

function scale(asked: RouteCall, before: KubeObject, wanted: Loose, how: Writing): ApiReply {
  const spec = { ...before.spec, replicas: wanted?.spec?.replicas ?? 0 };
  const { subresource: _, ...plain } = how;
  return one(200, scaleOf(replaceObject(asked.cluster, asked.target.resource, before, { ...before, spec }, plain)));
}

function patch(asked: RouteCall): ApiReply {
  const { cluster, target, incoming } = asked;
  const { resource, namespace, name = "", subresource } = target;
  const how = writing(asked);
  const type = mediaType(incoming);
  const live = read(cluster, resource, namespace, name);
  if (type === APPLY && subresource !== "scale") {
    if (!live && subresource !== undefined) throw notFound(resource, name);
    const manager = incoming.query.get("fieldManager");
    if (!manager) {
      throw new ApiError(
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
        {},
      );
    }
    const force = incoming.query.get("force") === "true";
    const wanted = { manager, force, name, ...(namespace !== undefined && { namespace }) };
    const { object, created } = applyObject(cluster, resource, live, readConfig(incoming, resource), wanted, how);
    return one(created ? 201 : 200, object, how.warnings);
  }
  if (!live) throw notFound(resource, name);
  const body = readBody(incoming);
  if (subresource === "scale") return scale(asked, live, mergePatch(scaleOf(live), body), how);
  return one(200, patchObject(cluster, resource, live, type, body, how), how.warnings);
}

function deleting({ incoming }: RouteCall): Deleting {
  const options = readBody(incoming) ?? {};
  const grace = options.gracePeriodSeconds ?? incoming.query.get("gracePeriodSeconds") ?? undefined;
  const propagation =
    options.propagationPolicy ?? incoming.query.get("propagationPolicy") ?? (options.orphanDependents ? "Orphan" : undefined);
  return {
    ...(propagation && { propagation }),
    ...(grace !== undefined && { graceSeconds: Number(grace) }),
    ...(options.preconditions && { preconditions: options.preconditions }),
    dryRun: (options.dryRun ?? []).includes("All") || incoming.query.get("dryRun") === "All",
  };
}

function remove(asked: RouteCall): ApiReply {
  const { cluster, target } = asked;
  const object = existing(asked);
  const how = deleting(asked);
  admitDelete(asked, object, how);
  return one(200, deleteObject(cluster, target.resource, object, how) ?? deletedStatus(target.resource, object));
}

/** The system's own namespaces. */
const IMMORTAL = ["default", "kube-public", "kube-system"];

function admitDelete({ cluster, target }: RouteCall, object: KubeObject, { dryRun }: Deleting): void {
  if (object.kind === "Namespace" && IMMORTAL.includes(object.metadata.name))
    throw forbidden(target.resource, object.metadata.name, "this namespace may not be deleted");
  askWebhooks(cluster, { operation: "DELETE", resource: target.resource, object, ...(dryRun !== undefined && { dryRun }) });
}

function removeAll(asked: RouteCall): ApiReply {
  const { cluster, target, incoming } = asked;
  const how = deleting(asked);
  const chosen = all(cluster, target.resource, target.namespace).filter(
    selection(target.resource, { ...target, query: incoming.query }),
  );
  for (const object of chosen) {
    admitDelete(asked, object, how);
    deleteObject(cluster, target.resource, object, how);
  }
  const metadata = { resourceVersion: String(cluster.state.revision) };
  return one(200, { ...listKind(target.resource), metadata, items: chosen });
}
