/** Words that some reader of YAML 1.1 or 1.2 does not read as text. */
const WORDS = /^(true|false|yes|no|on|off|y|n|null|~|<<|=)$/i;
const NUMBER = /^[-+]?(\d[\d_]*)?\.?[\d_]*(e[-+]?\d+)?$/i;
const BASED_NUMBER = /^[-+]?0[xob][\da-f_]+$/i;
/** "12:30:45" is a number to the base of 60 in YAML 1.1, and some MAC addresses look like that. */
const BASE_SIXTY = /^[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?$/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}/;

/** Whether some YAML reader takes the unquoted text for another type than text. */
export function readsAsMore(text: string): boolean {
  return [WORDS, NUMBER, BASED_NUMBER, BASE_SIXTY, DATE].some((form) => form.test(text));
}
