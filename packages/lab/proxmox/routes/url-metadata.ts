import type { Json } from "@talosmith/lib/json.ts";
import { OPTIONAL_BOOLEAN } from "../parameters/formats.ts";
import { died } from "../refusal.ts";
import { type Download, httpGet } from "../storage/http-get.ts";
import { type ApiCall, Later, type Method, route } from "./route.ts";

/** GET …/query-url-metadata: name, size and type of a file before its download (docs/facts/proxmox.md#download). */
function lookAt({ lab, params }: ApiCall): Later {
  const url = params.url as string;
  let seen: Download | Error | undefined;
  httpGet(lab.world, url, { method: "HEAD", verify: params["verify-certificates"] !== "0", signal: lab.closing }).then(
    (answer) => {
      seen = answer;
    },
    (error: unknown) => {
      seen = error instanceof Error ? error : new Error(String(error));
    },
  );
  return new Later(() => {
    if (seen === undefined) return undefined;
    if (seen instanceof Error)
      throw died(`invalid server response: '500 Can't connect to ${new URL(url).host} (${seen.message})'`);
    if (seen.status !== 200) throw died(`invalid server response: '${seen.status} ${seen.reason}'`);
    return { data: metadata(url, seen.headers) };
  }, true);
}

function metadata(url: string, headers: Record<string, string>): Json {
  const named = /filename="([^"]*)"|filename=([^;]*)/.exec(headers["content-disposition"] ?? "");
  const filename = named?.[1] ?? named?.[2] ?? new URL(url).pathname.split("/").at(-1);
  const mimetype = headers["content-type"]?.split(";")[0];
  const size = Number(headers["content-length"] ?? 0);
  return { ...(filename && { filename }), ...(size > 0 && { size }), ...(mimetype && { mimetype }) };
}

export const urlMetadataRoutes: Method[] = [
  route(
    "GET",
    "/nodes/:node/query-url-metadata",
    {
      permission: {
        or: [{ privilege: ["/", "Sys.Audit", "Sys.Modify"] }, { privilege: ["/nodes/:node", "Sys.AccessNetwork"] }],
      },
      parameters: { url: { type: "string", pattern: /^https?:\/\/.*$/ }, "verify-certificates": OPTIONAL_BOOLEAN },
    },
    lookAt,
  ),
];
