/**
 * The five exports (spec section 12) and the handling of requests (section 6) and responses (8).
 */
import { checkProgram } from "./check";
import { MAX_VALUE_BYTES, MAX_VALUE_DEPTH, OVER, sizeOf } from "./bounds";
import { evaluate } from "./evaluate";
import { raiseBounds, raisedBytes, raisedLength } from "./failure";
import { fillFuel, spentFuel } from "./fuel";
import {
  acquireBuffer,
  clearArena,
  isReadable,
  releaseBuffer,
} from "./memory";
import { isAscii } from "./operations";
import { readJson } from "./reader";
import {
  begin,
  writeAscii,
  writeBytes,
  writeNumber,
  writeValue,
  writtenBytes,
  writtenLength,
} from "./sink";
import {
  failed,
  fields,
  Fields,
  LIST,
  list,
  makeConstants,
  MAP,
  MAX_KEYS,
  NUMBER,
  Num,
  Value,
} from "./value";

const ABSENT: Value = changetype<Value>(0);
const DEFAULT_FUEL: f64 = 10000;
const MAX_FUEL: u32 = 1000000;
const MAX_OUTPUT_BYTES: u32 = 65536;

export function algal_alloc(length: u32): usize {
  return acquireBuffer(length);
}

export function algal_dealloc(pointer: usize, length: u32): void {
  releaseBuffer(pointer, length);
}

export function algal_eval(pointer: usize, length: u32): u64 {
  return answer(pointer, length, true);
}

export function algal_check(pointer: usize, length: u32): u64 {
  return answer(pointer, length, false);
}

function answer(pointer: usize, length: u32, isEvaluation: bool): u64 {
  if (pointer == 0 || length == 0 || !isReadable(pointer, length)) return 0;
  makeConstants();
  const request = readJson(pointer, length);
  if (failed(request)) {
    writeMalformed("request is not valid JSON");
  } else {
    const program = request.kind == MAP ? member(request, "program") : ABSENT;
    if (failed(program)) writeMalformed('request requires \\"program\\"');
    else if (isEvaluation) answerEvaluation(program, request);
    else answerCheck(program, request);
  }
  const size = writtenLength();
  const response = acquireBuffer(size);
  if (response != 0) memory.copy(response, writtenBytes(), size);
  clearArena();
  return response == 0 ? 0 : (<u64>response << 32) | size;
}

/** A member of the request, or ABSENT. */
function member(request: Value, name: string): Value {
  const map = changetype<Fields>(request);
  for (let i: u32 = 0; i < map.count; i++) {
    if (isAscii(map.key(i), name)) return map.value(i);
  }
  return ABSENT;
}

function answerEvaluation(program: Value, request: Value): void {
  fillFuel(0);
  const result = runRequest(program, request);
  if (failed(result)) {
    writeError(true);
    return;
  }
  begin(48 + result.clen);
  writeAscii('{"fuel":');
  writeNumber(spentFuel());
  writeAscii(',"ok":true,"value":');
  writeValue(result);
  writeAscii("}");
}

/** Steps 3 to 9 of section 6.1. */
function runRequest(program: Value, request: Value): Value {
  const given = member(request, "env");
  const env = !failed(given) && given.kind == MAP ? given : fields(0, 0);
  const fuel = member(request, "fuel");
  let budget = DEFAULT_FUEL;
  if (!failed(fuel)) {
    if (fuel.kind != NUMBER || !changetype<Num>(fuel).integerSpelled) return raiseBudget();
    budget = changetype<Num>(fuel).value;
  }
  if (failed(checkInputs(changetype<Fields>(env)))) return ABSENT;
  if (failed(checkProgram(program, env))) return ABSENT;
  if (budget > <f64>MAX_FUEL) return raiseBudget();

  fillFuel(<u32>budget);
  const result = evaluate(program);
  if (failed(result)) return ABSENT;
  if (result.clen > MAX_OUTPUT_BYTES) return raiseBounds(MAX_OUTPUT_BYTES, "output-bytes");
  if (result.depth > MAX_VALUE_DEPTH) return raiseBounds(MAX_VALUE_DEPTH, "value-depth");
  return result;
}

function raiseBudget(): Value {
  return raiseBounds(MAX_FUEL, "fuel budget must be an integer in [0, 1000000]");
}

function checkInputs(env: Fields): Value {
  if (env.count > MAX_KEYS) return raiseBounds(MAX_KEYS, "object-keys");
  if (env.clen > MAX_VALUE_BYTES) return raiseBounds(MAX_VALUE_BYTES, "env-bytes");
  if (env.depth > MAX_VALUE_DEPTH) return raiseBounds(MAX_VALUE_DEPTH, "value-depth");
  for (let i: u32 = 0; i < env.count; i++) {
    if (sizeOf(env.value(i), 1) == OVER) return ABSENT;
  }
  return env;
}

function answerCheck(program: Value, request: Value): void {
  const given = member(request, "names");
  const names = !failed(given) && given.kind == LIST ? given : list(0, 0);
  if (failed(checkProgram(program, names))) {
    writeError(false);
    return;
  }
  begin(16);
  writeAscii('{"ok":true}');
}

/** Writes a response around the error that was raised. */
function writeError(withFuel: bool): void {
  // The error's text lies in the arena; a new one does not overwrite it.
  const bytes = raisedBytes();
  const length = raisedLength();
  begin(64 + length);
  writeAscii('{"err":');
  writeBytes(bytes, length);
  if (withFuel) {
    writeAscii(',"fuel":');
    writeNumber(spentFuel());
  }
  writeAscii(',"ok":false}');
}

function writeMalformed(what: string): void {
  begin(128);
  writeAscii('{"err":{"code":"EXPR_PARSE","what":"');
  writeAscii(what);
  writeAscii('"},"fuel":0,"ok":false}');
}
