import type { Json } from "@talosmith/lib/json.ts";
import { startTask } from "../jobs/upid.ts";
import { OPTIONAL_BOOLEAN, OPTIONAL_TEXT, storageContent } from "../parameters/formats.ts";
import type { Properties } from "../parameters/property.ts";
import { died } from "../refusal.ts";
import { checkFileName, normaliseFileName, type UploadContent } from "../storage/file-names.ts";
import { type Arrival, downloadSteps, uploadSteps } from "../storage/files.ts";
import { kindOf } from "../storage/kinds.ts";
import { usableStorage } from "../storage/storages.ts";
import { type ApiCall, type Method, route } from "./route.ts";

const ALGORITHMS = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"];
const FILE: Properties = {
  content: { type: "string", format: storageContent, enum: ["iso", "vztmpl", "import"] },
  filename: { type: "string", maxLength: 255 },
  checksum: { type: "string", optional: true, requires: "checksum-algorithm" },
  "checksum-algorithm": { type: "string", optional: true, enum: ALGORITHMS, requires: "checksum" },
};

/** The destination of a file, after the checks common to upload and download. */
function arrivalOf({ params }: ApiCall): Arrival {
  const content = params.content as UploadContent;
  const filename = normaliseFileName(params.filename ?? "");
  checkFileName(content, filename);
  const { checksum, "checksum-algorithm": algorithm } = params;
  return {
    storage: params.storage as string,
    content,
    filename,
    ...(checksum !== undefined && { checksum }),
    ...(algorithm !== undefined && { algorithm }),
  };
}

/** POST …/download-url: the host downloads the file itself (docs/facts/proxmox.md#download). */
function download(call: ApiCall): Json {
  const { lab, state, caller, node, params, fault } = call;
  const storage = usableStorage(state, params.storage as string, node);
  if (!kindOf(storage).files) throw died(`can't upload to storage type '${storage.type}', not a file based storage!`);
  if (!storage.content.includes(params.content as UploadContent))
    throw died(`storage '${storage.id}' is not configured for content-type '${params.content}'`);
  const file: Arrival = {
    ...arrivalOf(call),
    url: params.url as string,
    verify: params["verify-certificates"] !== "0",
    ...(params.compression !== undefined && { compression: params.compression }),
  };
  return startTask(lab, { type: "download", id: file.filename, node, by: caller, steps: downloadSteps(file), fault }).upid;
}

function upload(call: ApiCall): Json {
  const { lab, state, caller, node, params, fault } = call;
  const storage = usableStorage(state, params.storage as string, node);
  if (!kindOf(storage).files) throw died(`can't upload to storage type '${storage.type}'`);
  const file = arrivalOf(call);
  if (!storage.content.includes(file.content)) throw died(`storage '${storage.id}' does not support '${file.content}' content`);
  const temporary = `/var/tmp/pveupload-${String(lab.serial("proxmox upload")).padStart(32, "0")}`;
  const { steps, memo } = uploadSteps(file, temporary, call.file?.bytes ?? Buffer.alloc(0));
  return startTask(lab, { type: "imgcopy", id: "", node, by: caller, steps, memo, fault }).upid;
}

const AT = "/nodes/:node/storage/:storage";
const TEMPLATES = { privilege: ["/storage/:storage", "Datastore.AllocateTemplate"] } as const;

export const fileRoutes: Method[] = [
  route(
    "POST",
    `${AT}/download-url`,
    {
      permission: {
        and: [
          TEMPLATES,
          { or: [{ privilege: ["/", "Sys.Audit", "Sys.Modify"] }, { privilege: ["/nodes/:node", "Sys.AccessNetwork"] }] },
        ],
      },
      parameters: {
        ...FILE,
        url: { type: "string", pattern: /^https?:\/\/.*$/ },
        compression: OPTIONAL_TEXT,
        "verify-certificates": OPTIONAL_BOOLEAN,
      },
    },
    download,
  ),
  route("POST", `${AT}/upload`, { permission: TEMPLATES, parameters: { ...FILE, tmpfilename: OPTIONAL_TEXT } }, upload),
];
