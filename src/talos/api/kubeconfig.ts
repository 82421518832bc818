import { gunzipSync } from "node:zlib";
import { remoteError } from "@talosmith/lib/errors.ts";

const HEADER = 512;
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The file in the archive that the Kubeconfig call answers with. Talos never finishes its tar, neither padding nor end marker, which tar readers
 * refuse: only the size in its single header can be used.
 */
export function kubeconfigFrom(archive: Uint8Array): string {
  const tar = unpacked(archive);
  const size = Number.parseInt(tar.toString("latin1", 124, 136).replace(/[\0 ]+$/, ""), 8);
  const file = tar.subarray(HEADER, HEADER + size);
  if (!(size > 0) || file.length !== size) throw broken(`${tar.length} bytes, and the file should have ${size}`);
  return file.toString("utf8");
}

function unpacked(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: MAX_BYTES });
  } catch (error) {
    throw broken((error as Error).message);
  }
}

function broken(detail: string) {
  return remoteError("TALOS_ANSWER", {
    message: "Unable to read the kubeconfig that the node answered with",
    detail,
    transient: true,
  });
}
