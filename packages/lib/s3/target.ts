import { userError } from "../errors.ts";
import type { Trust, World } from "../world/world.ts";

/** "s3://bucket/some/key" */
export interface S3Address {
  bucket: string;
  /** Without a leading slash; "" is the bucket itself. */
  key: string;
}

export interface S3Wishes {
  endpoint?: string;
  region?: string;
  /** Whether the bucket is part of the path or of the host name. */
  style?: "path" | "host";
  /** A file with the certificates to trust. */
  caFile?: string;
}

export interface S3Target {
  bucket: string;
  /** "https://s3.example.com:9000"; includes the bucket when it is part of the host name. */
  url: string;
  /** "" or "/bucket": the beginning of every path. */
  root: string;
  region: string;
  trust: Trust;
}

export function isS3(text: string): boolean {
  return /^s3:\/\//i.test(text);
}

export function parseS3(text: string): S3Address {
  const [, bucket = "", key = ""] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(text) ?? [];
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes(".."))
    throw userError("S3_ADDRESS", {
      message: `${text} contains no valid bucket name`,
      hint: "write s3://BUCKET/PREFIX; a bucket's name has 3 to 63 small letters, digits, dots and dashes",
    });
  if (key.split("/").some((part) => part === "." || part === ".."))
    throw userError("S3_ADDRESS", { message: `${text} has . or .. in its path`, hint: "write the path without them" });
  return { bucket, key };
}

export function printS3({ bucket, key }: S3Address): string {
  return `s3://${bucket}/${key}`;
}

/** The server for a bucket: from the options, else from the environment variables of AWS tools, else Amazon. */
export function s3Target(world: World, { bucket }: S3Address, wishes: S3Wishes): S3Target {
  const region = wishes.region || world.env("AWS_REGION") || world.env("AWS_DEFAULT_REGION") || "us-east-1";
  const told = wishes.endpoint || world.env("AWS_ENDPOINT_URL_S3") || world.env("AWS_ENDPOINT_URL");
  const endpoint = endpointOf(told || `https://s3.${region}.amazonaws.com`);
  // A bucket name with a dot does not match the server's wildcard certificate.
  const style = wishes.style ?? (told || bucket.includes(".") ? "path" : "host");
  const host = style === "host" ? `${bucket}.${endpoint.host}` : endpoint.host;
  const base = endpoint.pathname.replace(/\/+$/, "");
  return {
    bucket,
    url: `${endpoint.protocol}//${host}`,
    root: style === "host" ? base : `${base}/${bucket}`,
    region,
    trust: trustOf(world, wishes.caFile ?? world.env("AWS_CA_BUNDLE")),
  };
}

function endpointOf(text: string): URL {
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol) && url.username === "" && url.search === "") return url;
  } catch {}
  throw userError("S3_ENDPOINT", {
    message: "The S3 endpoint is not a valid URL",
    hint: "write it as https://s3.example.com, without a login in it",
  });
}

function trustOf(world: World, caFile: string | undefined): Trust {
  if (!caFile) return { by: "system" };
  const pem = world.files.read(caFile);
  if (pem === undefined)
    throw userError("FILE_MISSING", { message: `There is no ${caFile}`, hint: "check the path. Nothing was changed." });
  return { by: "ca", pem: Buffer.from(pem).toString("utf8") };
}
