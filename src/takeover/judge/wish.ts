import type { ErrorParts, TalosmithError, Where } from "@talosmith/lib/errors.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { ConfigPath, DiskSelector } from "../../config/config.ts";

/** The settings of a server that is to be taken over. */
export interface TakeoverWish {
  /** The node's name. */
  readonly name: string;
  readonly address: string;
  /** The disk to overwrite; absent when the server has only one. */
  readonly installDisk?: string | DiskSelector;
  /** Absent: the server's own architecture. */
  readonly arch?: string;
  readonly secureboot: boolean;
  readonly eraseMembers: boolean;
  /** The node has a static address and uses its only card. */
  readonly onlyCard: boolean;
  readonly mac?: string;
  /** The networks from which administrators reach the node; absent: everywhere. */
  readonly admin?: readonly string[];
  /** The size of the image, when it is known. */
  readonly imageBytes?: number;
  where(path: ConfigPath): Where | undefined;
}

/** An error that prevents the takeover. `path`: the setting that could resolve it. */
export function refusal(
  code: string,
  wish: TakeoverWish,
  parts: { message: string; facts: readonly string[]; hint: string; path?: ConfigPath },
): TalosmithError {
  const where = parts.path === undefined ? undefined : wish.where(parts.path);
  const said: ErrorParts & { hint: string } = {
    message: parts.message,
    detail: [...parts.facts, "Nothing was written."].join("\n"),
    hint: parts.hint,
    ...(where !== undefined && { where }),
  };
  return userError(code, said);
}
