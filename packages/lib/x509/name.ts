import { objectId, sequence, setOf, text } from "./der.ts";

/** A distinguished name. Both parts may be absent: an empty name is legal, and Talos' aggregator CA has one. */
export interface Subject {
  commonName?: string;
  organizations?: readonly string[];
}

const ORGANIZATION = "2.5.4.10";
const COMMON_NAME = "2.5.4.3";

/** Encodes a name. Several organizations share one RDN, and O comes before CN: the form that Go, and thus Talos, writes. */
export function nameOf(subject: Subject): Buffer {
  const attribute = (type: string) => (value: string) => sequence(objectId(type), text(value));
  const organizations = (subject.organizations ?? []).map(attribute(ORGANIZATION));
  const commonNames = (subject.commonName === undefined ? [] : [subject.commonName]).map(attribute(COMMON_NAME));
  return sequence(...[organizations, commonNames].filter((values) => values.length > 0).map((values) => setOf(...values)));
}

export function isEmptyName(subject: Subject): boolean {
  return subject.commonName === undefined && (subject.organizations ?? []).length === 0;
}
