import { constants, deflateRawSync, deflateSync, inflateSync } from "node:zlib";

const NAMES =
  "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow authorization cache-control connection content-base content-encoding content-language content-length content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning www-authenticate method get status";
const VALUES = ["200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin"];
const REST =
  "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.";

/** The compression dictionary of headers: SPDY/3, 2.6.10.1. */
const DICTIONARY = Buffer.concat([
  ...[...NAMES.split(" "), ...VALUES].flatMap((word) => [sizeOf(word.length), Buffer.from(word)]),
  Buffer.from(REST),
]);
const FLUSHED = { finishFlush: constants.Z_SYNC_FLUSH };

function sizeOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** Reads the headers of one side: one compressed stream for the whole connection, a few bytes per frame. */
export class HeaderReader {
  #compressed: Buffer = Buffer.alloc(0);
  #read = 0;

  read(block: Buffer): Record<string, string> {
    this.#compressed = Buffer.concat([this.#compressed, block]);
    // Always from the beginning: Node cannot continue a compressed stream synchronously, and it is short.
    const all = inflateSync(this.#compressed, { dictionary: DICTIONARY, ...FLUSHED });
    const fresh = all.subarray(this.#read);
    this.#read = all.length;
    let at = 4;
    const text = () => {
      const length = fresh.readUInt32BE(at);
      at += 4 + length;
      return fresh.subarray(at - length, at).toString("utf8");
    };
    return Object.fromEntries(Array.from({ length: fresh.readUInt32BE(0) }, () => [text(), text()]));
  }
}

/** Writes empty header blocks, which replies consist of. */
export class HeaderWriter {
  #begun = false;

  none(): Buffer {
    const block = sizeOf(0);
    if (this.#begun) return deflateRawSync(block, FLUSHED);
    this.#begun = true;
    return deflateSync(block, { dictionary: DICTIONARY, ...FLUSHED });
  }
}
