import * as z from "zod";

/** Functions that find keys and sections in a schema. */

export function child(schema: z.core.$ZodType, step: string | number): z.core.$ZodType | undefined {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodArray) return typeof step === "number" ? inner.element : undefined;
  if (inner instanceof z.ZodRecord) return inner.valueType;
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => child(option, step)).find((found) => found !== undefined);
  const shape = shapeOf(inner);
  return shape !== undefined && Object.hasOwn(shape, step) ? shape[step] : undefined;
}

export function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> | undefined {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodObject) return inner.shape;
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => shapeOf(option)).find((shape) => shape !== undefined);
  return undefined;
}

/** Whether a value may be a section of keys, or names and their values. */
export function takesSections(schema: z.core.$ZodType): boolean {
  const inner = withoutWrappers(schema);
  if (inner instanceof z.ZodUnion) return inner.options.some(takesSections);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
}

/** Removes the wrappers of optional and planned keys. */
export function withoutWrappers(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return withoutWrappers(schema.unwrap());
  if (schema instanceof z.ZodPipe) return withoutWrappers(schema.in);
  return schema;
}

export function isPlanned(schema: z.core.$ZodType | undefined): boolean {
  return schema instanceof z.ZodOptional ? isPlanned(schema.unwrap()) : schema instanceof z.ZodPipe;
}
