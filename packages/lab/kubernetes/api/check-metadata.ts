import type { KubeObject } from "../objects.ts";
import { type Resource, resourceKey } from "../resources/resource.ts";
import { type Cause, invalidValue, required } from "./status.ts";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const KEY = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const KEY_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
/** Kinds whose names may contain colons and similar characters. */
const FREE_NAMES = /^(cluster)?role(binding)?s\.rbac/;

export function checkMetadata(resource: Resource, { metadata }: KubeObject): Cause[] {
  return [
    ...checkName(resource, metadata.name),
    ...Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => [
      ...checkKey("metadata.labels", key),
      ...(value.length > 63 ? [invalidValue("metadata.labels", value, "must be no more than 63 bytes")] : []),
      ...(VALUE.test(value) ? [] : [invalidValue("metadata.labels", value, VALUE_RULE)]),
    ]),
    ...Object.keys(metadata.annotations ?? {}).flatMap((key) => checkKey("metadata.annotations", key)),
  ];
}

function checkKey(at: string, key: string): Cause[] {
  const name = key.slice(key.indexOf("/") + 1);
  return KEY.test(name) ? [] : [invalidValue(at, key, KEY_RULE)];
}

function checkName(resource: Resource, name: string): Cause[] {
  if (name === "") return [required("metadata.name", "name or generateName is required")];
  const key = resourceKey(resource);
  if (FREE_NAMES.test(key)) return /[/%]/.test(name) ? [invalidValue("metadata.name", name, "may not contain '/'")] : [];
  if (key === "namespaces" || key === "services") {
    return name.length <= 63 && LABEL.test(name) ? [] : [invalidValue("metadata.name", name, LABEL_RULE)];
  }
  if (name.length > 253) return [invalidValue("metadata.name", name, "must be no more than 253 characters")];
  return SUBDOMAIN.test(name) ? [] : [invalidValue("metadata.name", name, SUBDOMAIN_RULE)];
}

/** Checks the name of a part of an object: a container, a volume, a port. */
export function checkLabelName(at: string, name: string | undefined): Cause[] {
  if (!name) return [required(at)];
  return LABEL.test(name) && name.length <= 63 ? [] : [invalidValue(at, name, LABEL_RULE)];
}
