import { isScalar, parseAllDocuments, type Scalar, visit } from "yaml";

/** The same config with one value changed: another one for each name and number. */
export function perturbed(text: string, name: string, number: number): string {
  const documents = parseAllDocuments(text);
  const values: Scalar[] = [];
  for (const document of documents)
    visit(document, {
      Scalar: (key, node) => {
        if (key !== "key" && node.value !== null) values.push(node);
      },
    });
  const value = values[(hash(name) + number) % values.length];
  if (!isScalar(value)) throw new Error(`${name} has no value`);
  value.value = changed(value.value);
  // Quotes or their absence would say again what kind of value it was.
  delete value.source;
  delete value.type;
  return documents.map(String).join("");
}

function changed(value: unknown): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  return lastDigit(String(value));
}

/** Where there is a digit another one is likely to be read, too, and then only a comparison notices. */
function lastDigit(text: string): string {
  const at = text.search(/\d(?=\D*$)/);
  if (at < 0) return `${text}x`;
  return `${text.slice(0, at)}${(Number(text[at]) + 1) % 10}${text.slice(at + 1)}`;
}

function hash(text: string): number {
  return [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
}
