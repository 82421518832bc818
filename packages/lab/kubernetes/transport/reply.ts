import { messageOf } from "@talosmith/lib/errors.ts";
import type { Incoming, Reply } from "../../kernel/answer.ts";
import { listKind } from "../api/delete.ts";
import type { ApiReply, RouteCall } from "../api/handle.ts";
import { ApiError } from "../api/status.ts";
import type { KubeObject, Loose } from "../objects.ts";
import { inVersion } from "../resources/versions.ts";
import { sinceIn } from "../table/duration.ts";
import { tableOf } from "../table/table.ts";

export function json(status: number, value: Loose, warnings: readonly string[] = []): Reply {
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-cache, private",
    ...(warnings.length > 0 && { Warning: warnings.map(warningHeader) }),
  };
  return { status, headers, body: `${JSON.stringify(value)}\n` };
}

/** Formats a warning by RFC 9111 5.5, as Kubernetes does. */
function warningHeader(text: string): string {
  return `299 - "${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

export function text(status: number, body: string): Reply {
  return { status, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The reply for an error. An error other than a refusal is a bug of the lab, and says so. */
export function failure(error: unknown): Reply {
  if (error instanceof ApiError) return json(error.code, error.status());
  const message = messageOf(error);
  const status = new ApiError(500, "InternalError", `Internal error occurred: the lab itself failed: ${message}`, {
    causes: [{ reason: "", message, field: "" }],
  });
  return json(500, status.status());
}

export function wantsTable({ headers }: Incoming): boolean {
  return /as=Table/.test(headers.accept ?? "");
}

export function wantsMetadata({ headers }: Incoming): "one" | "list" | undefined {
  const accept = headers.accept ?? "";
  if (/as=PartialObjectMetadataList/.test(accept)) return "list";
  return /as=PartialObjectMetadata(;|,|$)/.test(accept) ? "one" : undefined;
}

export function partial({ metadata }: KubeObject): Loose {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
}

export function answerReply({ cluster, incoming, target }: RouteCall, answer: ApiReply): Reply {
  const { resource } = target;
  const options = {
    since: sinceIn(cluster.lab),
    includeObject: incoming.query.get("includeObject") ?? "Metadata",
    withColumns: true,
  };
  if (answer.is === "object") {
    const { status, warnings } = answer;
    const object = inVersion(resource, answer.object);
    if (status === 200 && wantsTable(incoming) && object.kind === resource.kind) {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      return json(200, tableOf(resource, [answer.object], { ...options, metadata }), warnings);
    }
    if (status === 200 && wantsMetadata(incoming) === "one") {
      return json(200, partial(object), warnings);
    }
    return json(status, object, warnings);
  }
  const items = answer.items.map((item) => inVersion(resource, item));
  if (wantsTable(incoming)) return json(200, tableOf(resource, answer.items, { ...options, metadata: answer.metadata }));
  if (wantsMetadata(incoming) === "list") {
    const listed = items.map(partial);
    return json(200, {
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: answer.metadata,
      items: listed,
    });
  }
  return json(200, { ...listKind(resource), metadata: answer.metadata, items });
}
