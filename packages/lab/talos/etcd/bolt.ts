/** Writes a bbolt database (go.etcd.io/bbolt, file version 2) as a single transaction leaves it: no free pages, each bucket on its own pages. */

const PAGE = 4096;
const HEADER = 16;
const ELEMENT = 16;
const FLAGS = { branch: 0x01, leaf: 0x02, meta: 0x04, freelist: 0x10 } as const;
const MAGIC = 0xed0cdaed;
const VERSION = 2;
/** Flag of a leaf element whose value is a bucket. */
const BUCKET = 0x01;
/** Pages 0 and 1 are the meta pages, 2 is the list of free pages. */
const FREELIST = 2;
const FIRST = 3;

export type Bucket = Iterable<readonly [key: Uint8Array, value: Uint8Array]>;

interface Item {
  key: Uint8Array;
  value: Uint8Array;
  flags: number;
}

/** A written page, with its smallest key. */
interface Child {
  key: Uint8Array;
  page: bigint;
}

export function boltDatabase(buckets: Readonly<Record<string, Bucket>>): Buffer {
  const pages = new Pages();
  const items = Object.entries(buckets).map(([name, entries]): Item => {
    const root = pages.tree([...entries].map(([key, value]) => ({ key, value, flags: 0 })));
    return { key: Buffer.from(name), value: bucketHeader(root), flags: BUCKET };
  });
  const root = pages.tree(items);
  const end = pages.end;
  const free = page(FREELIST, FLAGS.freelist, 0, []);
  return Buffer.concat([metaPage(0, root, end), metaPage(1, root, end), free, ...pages.written]);
}

class Pages {
  readonly written: Buffer[] = [];
  end = BigInt(FIRST);

  /** Writes a B+ tree and returns the page of its root. */
  tree(items: Item[]): bigint {
    let level = groups(sorted(items), ({ key, value }) => key.length + value.length).map((group) => this.#leaf(group));
    while (level.length > 1) level = groups(level, ({ key }) => key.length).map((group) => this.#branch(group));
    return (level[0] ?? this.#leaf([])).page;
  }

  #leaf(items: readonly Item[]): Child {
    let at = items.length * ELEMENT;
    const elements = items.map(({ key, value, flags }, index) => {
      const element = Buffer.alloc(ELEMENT);
      element.writeUInt32LE(flags, 0);
      // Relative to the element itself.
      element.writeUInt32LE(at - index * ELEMENT, 4);
      element.writeUInt32LE(key.length, 8);
      element.writeUInt32LE(value.length, 12);
      at += key.length + value.length;
      return element;
    });
    const content = [...elements, ...items.flatMap(({ key, value }) => [key, value])];
    return this.#write(FLAGS.leaf, items.length, content, items[0]?.key);
  }

  #branch(children: readonly Child[]): Child {
    let at = children.length * ELEMENT;
    const elements = children.map(({ key, page }, index) => {
      const element = Buffer.alloc(ELEMENT);
      element.writeUInt32LE(at - index * ELEMENT, 0);
      element.writeUInt32LE(key.length, 4);
      element.writeBigUInt64LE(page, 8);
      at += key.length;
      return element;
    });
    return this.#write(FLAGS.branch, children.length, [...elements, ...children.map(({ key }) => key)], children[0]?.key);
  }

  #write(flags: number, count: number, content: readonly Uint8Array[], key: Uint8Array = new Uint8Array()): Child {
    const written = page(Number(this.end), flags, count, content);
    const child = { key, page: this.end };
    this.written.push(written);
    this.end += BigInt(written.length / PAGE);
    return child;
  }
}

function sorted(items: Item[]): Item[] {
  return items.sort((a, b) => Buffer.compare(a.key, b.key));
}

/** Groups items into pages; an item larger than a page gets several pages for itself. */
function groups<T>(items: readonly T[], bytes: (item: T) => number): T[][] {
  const all: T[][] = [];
  let size = PAGE;
  for (const item of items) {
    const more = ELEMENT + bytes(item);
    const last = all.at(-1);
    if (last && size + more <= PAGE) {
      last.push(item);
      size += more;
    } else {
      all.push([item]);
      size = HEADER + more;
    }
  }
  return all;
}

function page(id: number, flags: number, count: number, content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const pages = Math.max(1, Math.ceil((HEADER + body.length) / PAGE));
  const result = Buffer.alloc(pages * PAGE);
  result.writeBigUInt64LE(BigInt(id), 0);
  result.writeUInt16LE(flags, 8);
  result.writeUInt16LE(count, 10);
  result.writeUInt32LE(pages - 1, 12);
  body.copy(result, HEADER);
  return result;
}

function bucketHeader(root: bigint): Buffer {
  const header = Buffer.alloc(16);
  header.writeBigUInt64LE(root, 0);
  return header;
}

/** A meta page. The second one has the previous transaction, as in a copy sent by etcd: the reader takes the newer. */
function metaPage(id: 0 | 1, root: bigint, end: bigint): Buffer {
  const meta = Buffer.alloc(64);
  meta.writeUInt32LE(MAGIC, 0);
  meta.writeUInt32LE(VERSION, 4);
  meta.writeUInt32LE(PAGE, 8);
  bucketHeader(root).copy(meta, 16);
  meta.writeBigUInt64LE(BigInt(FREELIST), 32);
  meta.writeBigUInt64LE(end, 40);
  meta.writeBigUInt64LE(BigInt(2 - id), 48);
  meta.writeBigUInt64LE(fnv1a(meta.subarray(0, 56)), 56);
  return page(id, FLAGS.meta, 0, [meta]);
}

/** The 64-bit FNV-1a hash. */
export function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash;
}
