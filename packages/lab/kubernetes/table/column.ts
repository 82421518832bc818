import type { KubeObject, Loose } from "../objects.ts";
import { ageOf, type Since } from "./duration.ts";

/** A column and the function of its cells. Priority 1 is for `-o wide`. */
export interface Column {
  name: string;
  cell(object: KubeObject, since: Since): Loose;
  type?: "string" | "integer" | "date";
  wide?: true;
}

export const name: Column = { name: "Name", cell: ({ metadata }) => metadata.name };
export const age: Column = { name: "Age", cell: ({ metadata }, since) => ageOf(metadata.creationTimestamp, since) };

export const text = (title: string, cell: Column["cell"]): Column => ({ name: title, cell });
export const number = (title: string, cell: Column["cell"]): Column => ({ name: title, cell, type: "integer" });
export const wide = (column: Column): Column => ({ ...column, wide: true });
