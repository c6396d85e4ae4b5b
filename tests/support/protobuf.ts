/**
 * The part of the protobuf wire format that the KV protocol uses: varints and length-delimited
 * fields. Source: protobuf.dev/programming-guides/encoding.
 */

/** The fields of a message by number, in order of arrival: varints as bigint, the rest as bytes. */
export type Fields = Map<number, (bigint | Uint8Array)[]>;

/** Bytes that are no message of this kind. */
export class ProtobufError extends Error {
  override readonly name = "ProtobufError";
}

const VARINT = 0;
const DELIMITED = 2;

/** Splits a message into its fields. Throws ProtobufError for other wire types and cut-off ends. */
export function readFields(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new ProtobufError("the message ends inside a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new ProtobufError("a number is too long");
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [field, wireType] = [tag >>> 3, tag & 7];
    let value: bigint | Uint8Array;
    if (wireType === VARINT) {
      value = varint();
    } else if (wireType === DELIMITED) {
      const length = Number(varint());
      if (at + length > bytes.length) throw new ProtobufError("the message ends inside a field");
      value = bytes.subarray(at, at += length);
    } else {
      throw new ProtobufError(`wire type ${wireType} is not expected here`);
    }
    fields.set(field, [...fields.get(field) ?? [], value]);
  }
  return fields;
}

/** The numeric field, 0 when absent. Signed, as int32 and int64 are. */
export function numberOf(fields: Fields, field: number): number {
  const value = fields.get(field)?.at(-1) ?? 0n;
  if (typeof value !== "bigint") throw new ProtobufError(`field ${field} is no number`);
  return Number(BigInt.asIntN(64, value));
}

/** The bytes of a field, empty when absent. */
export function bytesOf(fields: Fields, field: number): Uint8Array {
  return allBytesOf(fields, field).at(-1) ?? new Uint8Array();
}

/** All messages of a repeated field. */
export function messagesOf(fields: Fields, field: number): Fields[] {
  return allBytesOf(fields, field).map(readFields);
}

function allBytesOf(fields: Fields, field: number): Uint8Array[] {
  return (fields.get(field) ?? []).map((value) => {
    if (typeof value === "bigint") throw new ProtobufError(`field ${field} is a number`);
    return value;
  });
}

/** Writes a message: numbers as varints, bytes length-delimited, in the given order. */
export function writeFields(fields: readonly [field: number, value: number | Uint8Array][]) {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (const [field, value] of fields) {
    if (typeof value === "number") {
      parts.push(varintOf(field << 3 | VARINT), varintOf(value));
    } else {
      parts.push(varintOf(field << 3 | DELIMITED), varintOf(value.length), new Uint8Array(value));
    }
  }
  return concatenate(parts);
}

function varintOf(value: number): Uint8Array<ArrayBuffer> {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const more = rest > 0x7fn;
    bytes.push(Number(rest & 0x7fn) | (more ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return new Uint8Array(bytes);
}

function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
