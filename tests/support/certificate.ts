/** Certificates that live as long as a test: an authority, and what it signs. Source: RFC 5280. */

export interface Issued {
  /** PEM. */
  cert: string;
  key: string;
}

export interface Authority {
  /** PEM. */
  ca: string;
  /** A certificate for host names and IPv4 addresses, valid for a day unless said otherwise. */
  issue(
    names: { dns?: string[]; ip?: string[] },
    valid?: { from: Date; until: Date },
  ): Promise<Issued>;
}

const DAY_MS = 86_400_000;

const OID = {
  commonName: [0x55, 0x04, 0x03],
  subjectAltName: [0x55, 0x1d, 0x11],
  basicConstraints: [0x55, 0x1d, 0x13],
  /** 1.2.840.10045.4.3.2 */
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

/** A new authority that nobody trusts yet. */
export async function createAuthority(): Promise<Authority> {
  const keys = await newKeys();
  const name = "Test authority";
  const isAuthority = extension(OID.basicConstraints, sequence([0x01, 0x01, 0xff]), true);
  const now = Date.now();
  const day = { from: new Date(now - DAY_MS), until: new Date(now + DAY_MS) };
  const sign = (subject: string, key: CryptoKey, extensions: number[][], valid = day) =>
    certificate({ issuer: name, subject, key, extensions, valid, signer: keys.privateKey });
  return {
    ca: await sign(name, keys.publicKey, [isAuthority]),
    async issue({ dns = [], ip = [] }, valid) {
      const leaf = await newKeys();
      const names = sequence(
        ...dns.map((text) => element(0x82, ascii(text))),
        ...ip.map((text) => element(0x87, text.split(".").map(Number))),
      );
      const extensions = [extension(OID.subjectAltName, names)];
      const pkcs8 = await crypto.subtle.exportKey("pkcs8", leaf.privateKey);
      return {
        cert: await sign("Test", leaf.publicKey, extensions, valid),
        key: pem("PRIVATE KEY", [...new Uint8Array(pkcs8)]),
      };
    },
  };
}

async function certificate(
  { issuer, subject, key, extensions, valid, signer }: {
    issuer: string;
    subject: string;
    key: CryptoKey;
    extensions: number[][];
    valid: { from: Date; until: Date };
    signer: CryptoKey;
  },
): Promise<string> {
  const algorithm = sequence(element(0x06, OID.ecdsaWithSha256));
  const spki = [...new Uint8Array(await crypto.subtle.exportKey("spki", key))];
  const body = sequence(
    element(0xa0, integer([2])),
    integer([...crypto.getRandomValues(new Uint8Array(8))]),
    algorithm,
    distinguishedName(issuer),
    sequence(time(valid.from), time(valid.until)),
    distinguishedName(subject),
    spki,
    element(0xa3, sequence(...extensions)),
  );
  const raw = new Uint8Array(
    await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signer, Uint8Array.from(body)),
  );
  const signature = sequence(integer([...raw.subarray(0, 32)]), integer([...raw.subarray(32)]));
  return pem("CERTIFICATE", sequence(body, algorithm, element(0x03, [0, ...signature])));
}

function newKeys(): Promise<CryptoKeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function distinguishedName(commonName: string): number[] {
  const pair = sequence(element(0x06, OID.commonName), element(0x0c, ascii(commonName)));
  return sequence(element(0x31, pair));
}

function extension(oid: number[], value: number[], critical = false): number[] {
  return sequence(
    element(0x06, oid),
    critical ? element(0x01, [0xff]) : [],
    element(0x04, value),
  );
}

function time(date: Date): number[] {
  const text = date.toISOString().replace(/\.[0-9]+Z$/, "Z").replace(/[-:T]/g, "");
  return element(0x18, ascii(text));
}

/** A number above zero, big-endian. */
function integer(bytes: number[]): number[] {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.slice(first);
  return element(0x02, digits[0]! >= 0x80 ? [0, ...digits] : digits);
}

function sequence(...parts: number[][]): number[] {
  return element(0x30, parts.flat());
}

function element(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  if (length < 0x100) return [tag, 0x81, length, ...content];
  return [tag, 0x82, length >> 8, length & 0xff, ...content];
}

function ascii(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function pem(label: string, der: number[]): string {
  const lines = btoa(String.fromCharCode(...der)).match(/.{1,64}/g)!.join("\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
