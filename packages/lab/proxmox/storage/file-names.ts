import { badParameters } from "../refusal.ts";

export type UploadContent = "iso" | "vztmpl" | "import";

/** Removes folders, and replaces unusual characters by underscores. */
export function normaliseFileName(name: string): string {
  return (name.split(/[/\\]/).pop() ?? "").replace(/[^A-Za-z0-9_.-]/g, "_");
}

const EXTENSIONS: Record<UploadContent, RegExp> = {
  iso: /.\.(?:iso|img)$/i,
  vztmpl: /.\.tar(?:\.(?:gz|xz|zst|bz2))?$/i,
  import: /.\.(?:ova|qcow2|raw|vmdk)$/,
};

/** docs/facts/proxmox.md#file-names */
export function checkFileName(content: UploadContent, name: string): void {
  if (EXTENSIONS[content].test(name)) return;
  throw badParameters({ filename: content === "import" ? "invalid filename or wrong extension" : "wrong file extension" });
}
