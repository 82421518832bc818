import type { ErrorParts, TalosmithError, Where } from "@talosmith/lib/errors.ts";
import { userError } from "@talosmith/lib/errors.ts";
import type { ConfigPath, DiskSelector } from "../../config/config.ts";

/** What the config says of a server that is to be taken over. */
export interface TakeoverWish {
  /** The node's. */
  readonly name: string;
  readonly address: string;
  /** The disk that is meant; absent = the only one there is. */
  readonly target?: string | DiskSelector;
  /** Absent = whatever the server is. */
  readonly arch?: string;
  readonly secureboot: boolean;
  readonly eraseMembers: boolean;
  /** The node is told its address, and its one card is the one that is meant. */
  readonly onlyCard: boolean;
  readonly mac?: string;
  /** From where people reach the node; absent = from everywhere. */
  readonly admin?: readonly string[];
  /** What will be written, when that is known. */
  readonly imageBytes?: number;
  where(path: ConfigPath): Where | undefined;
}

/** Why a server is not taken over. `path`: the place in the config that could be otherwise. */
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
