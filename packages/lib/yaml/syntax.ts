import type { ErrorCode } from "yaml";

export interface SyntaxFault {
  message: string;
  hint: string;
  remark?: string;
}

const indent: SyntaxFault = {
  message: "the indentation does not fit, or a bracket before it is not closed",
  hint: "line the keys of one section up with each other, and close every [ and {",
  remark: "unexpected here",
};
const token: SyntaxFault = {
  message: "this is not valid YAML",
  hint: "put values that contain : # { } [ ] , & * ? | > ! % @ or quotes into double quotes",
  remark: "unexpected here",
};

/** Explains a parser error to the author of the file. The parser's own message is never shown: it may quote the file, secrets included. */
const faults: Partial<Record<ErrorCode, SyntaxFault>> = {
  TAB_AS_INDENT: {
    message: "a tab is used for indentation",
    hint: "replace the tab by spaces: YAML allows no tabs here",
    remark: "tab",
  },
  BAD_INDENT: indent,
  BLOCK_IN_FLOW: indent,
  MISSING_CHAR: {
    message: "something is missing before this character",
    hint: "look for a quote or bracket that is not closed, or a colon without a space after it",
    remark: "missing before here",
  },
  BLOCK_AS_IMPLICIT_KEY: {
    message: "a second key begins on the same line",
    hint: "put it on a line of its own, or put a value that contains a colon into quotes",
    remark: "a key was not expected here",
  },
  MULTILINE_IMPLICIT_KEY: {
    message: "a key spans more than one line",
    hint: "is a colon missing at the end of this line?",
  },
  BAD_SCALAR_START: {
    message: "a value cannot begin with this character",
    hint: "put the whole value into double quotes",
    remark: "reserved in YAML",
  },
  BAD_DQ_ESCAPE: {
    message: "this backslash sequence is unknown",
    hint: "write \\\\ for a backslash, or use single quotes",
  },
  TAG_RESOLVE_FAILED: {
    message: "tags such as !this are not used in this file",
    hint: "remove the tag; a value that begins with ! belongs in quotes",
  },
  BAD_DIRECTIVE: { message: "this % directive is not supported", hint: "remove it" },
};

export function syntaxFault(code: ErrorCode): SyntaxFault {
  return faults[code] ?? token;
}
