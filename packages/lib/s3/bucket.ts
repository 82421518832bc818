import { isTransient, remoteError, type TalosmithError } from "../errors.ts";
import { type BodyStream, HttpClient, type HttpRequest, type HttpStream } from "../http/client.ts";
import type { World } from "../world/world.ts";
import type { Credentials } from "./credentials.ts";
import { isPassing, isUntrusted, refused, type S3Refusal, untrusted } from "./errors.ts";
import { EMPTY_SHA256, sign } from "./signature.ts";
import type { S3Target } from "./target.ts";
import { element, elements } from "./xml.ts";

export interface StoredObject {
  key: string;
  size: number;
  modifiedMs: number;
}

export interface Bucket {
  /**
   * Never overwrites an object where the server supports the condition: "taken" means that an object of this name exists, which may be this file
   * when a response was lost.
   */
  put(key: string, body: BodyStream, hashes: { sha256: string; md5: string }, signal: AbortSignal): Promise<"stored" | "taken">;
  get(key: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  has(key: string, signal: AbortSignal): Promise<boolean>;
  list(prefix: string, signal: AbortSignal): Promise<StoredObject[]>;
  close(): void;
}

const TRIES = 5;
const FIRST_PAUSE_MS = 250;
const MOST_PAGES = 1000;

/** One bucket on a server that speaks S3. */
export function openBucket(world: World, target: S3Target, credentials: Credentials): Bucket {
  const http = new HttpClient(
    world,
    target.url,
    { trust: target.trust, maxConnections: 2, idleMs: 5000 },
    { calls: 0, bytes: 0 },
  );
  const { host } = new URL(target.url);

  const signed = (request: S3Request): HttpRequest => {
    const { method, key = "", query = {}, headers = {}, sha256 = EMPTY_SHA256, body, signal } = request;
    const unsigned = { method, host, path: `${target.root}/${key}`, query, headers, sha256 };
    const made = sign(unsigned, credentials, target.region, world.clock.now());
    return { method, path: made.path, headers: made.headers, signal, ...(body !== undefined && { body }) };
  };
  /** Each attempt is signed again: a signature expires after minutes. */
  const again = async <T>(signal: AbortSignal, ask: () => Promise<T | { again: TalosmithError }>): Promise<T> => {
    for (let pause = FIRST_PAUSE_MS, left = TRIES - 1; ; pause *= 2, left--) {
      const got = await ask().catch((error: unknown) => {
        if (isUntrusted(error)) throw untrusted(target, error);
        if (left > 0 && isTransient(error)) return { again: error };
        throw error;
      });
      if (typeof got !== "object" || got === null || !("again" in got)) return got;
      if (left === 0) throw got.again;
      await world.clock.sleep(pause, signal);
    }
  };
  const request = (what: string, wish: S3Request, allowed: readonly number[] = []) =>
    again(wish.signal, async () => {
      const answer = await http.request(signed(wish));
      if (answer.status === 200 || allowed.includes(answer.status)) return answer;
      const refusal: S3Refusal = { ...answer, headers: answer.headers ?? {} };
      if (isPassing(refusal)) return { again: refused(what, target, refusal) };
      throw refused(what, target, refusal);
    });

  return {
    async put(key, body, { sha256, md5 }, signal) {
      const what = `put ${key} into the bucket ${target.bucket}`;
      const headers = { "content-md5": md5, "content-type": "application/octet-stream" };
      const wish = { method: "PUT", key, body, sha256, signal };
      // Some servers do not support the condition and answer 501; the request is repeated without it.
      const first = await request(what, { ...wish, headers: { ...headers, "if-none-match": "*" } }, [412, 501]);
      if (first.status === 501) await request(what, { ...wish, headers });
      return first.status === 412 ? "taken" : "stored";
    },
    get: (key, signal) =>
      again(signal, async () => {
        const what = `get ${key} from the bucket ${target.bucket}`;
        const answer = await http.open(signed({ method: "GET", key, signal }) as HttpRequest & { body?: never });
        if (answer.status === 200) return whole(what, answer);
        const refusal: S3Refusal = { ...answer, body: await textOf(answer) };
        if (isPassing(refusal)) return { again: refused(what, target, refusal) };
        throw refused(what, target, refusal);
      }),
    async has(key, signal) {
      const what = `look for ${key} in the bucket ${target.bucket}`;
      return (await request(what, { method: "HEAD", key, signal }, [404])).status === 200;
    },
    async list(prefix, signal) {
      const found: StoredObject[] = [];
      let token: string | undefined;
      for (let page = 0; page < MOST_PAGES; page++) {
        const query = { "list-type": "2", prefix, ...(token !== undefined && { "continuation-token": token }) };
        const { body } = await request(`list the bucket ${target.bucket}`, { method: "GET", query, signal });
        found.push(...elements(body, "Contents").map(objectOf));
        token = element(body, "IsTruncated") === "true" ? element(body, "NextContinuationToken") : undefined;
        if (token === undefined) break;
      }
      return found;
    },
    close: () => http.close(),
  };
}

interface S3Request {
  method: string;
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  sha256?: string;
  body?: BodyStream;
  signal: AbortSignal;
}

function objectOf(xml: string): StoredObject {
  const modified = Date.parse(element(xml, "LastModified") ?? "");
  return {
    key: element(xml, "Key") ?? "",
    size: Number(element(xml, "Size") ?? 0),
    modifiedMs: Number.isNaN(modified) ? 0 : modified,
  };
}

/** Yields the parts, and fails when their total size is not the announced one. */
async function* whole(what: string, { headers, parts }: HttpStream): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const part of parts) {
    size += part.length;
    yield part;
  }
  const promised = headers["content-length"];
  if (promised !== undefined && Number(promised) !== size)
    throw remoteError("CONNECTION_LOST", {
      message: `Unable to ${what}: only ${size} of ${promised} bytes arrived`,
      hint: "run the same command again",
      transient: true,
    });
}

const MOST_TEXT = 64 * 1024;

async function textOf({ parts }: HttpStream): Promise<string> {
  let text = "";
  for await (const part of parts) {
    text += Buffer.from(part).toString("utf8");
    if (text.length > MOST_TEXT) break;
  }
  return text;
}
