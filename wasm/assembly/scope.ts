/** Names in sight: bindings, innermost first, over the inputs (spec section 11). */
import { allocate } from "./memory";
import { findKey, sameText } from "./order";
import { Fields, List, Text, TEXT, Value } from "./value";

/** One binder; its value changes from element to element, and nothing keeps a scope it has left. */
@unmanaged
export class Binding {
  name: Text;
  value: Value;
  outer: usize;
}

let innermost: usize = 0;
let inputs: Value = changetype<Value>(0);

/** Starts over with the map of inputs, or (for a check) the list of visible names. */
export function openScope(names: Value): void {
  innermost = 0;
  inputs = names;
}

/** Makes a binding, not in sight yet. */
export function makeBinding(name: Text): Binding {
  const binding = changetype<Binding>(allocate(offsetof<Binding>()));
  binding.name = name;
  return binding;
}

/** Brings a binding into sight with a value. */
export function pushBinding(binding: Binding, value: Value): void {
  binding.value = value;
  binding.outer = innermost;
  innermost = changetype<usize>(binding);
}

/** Takes the innermost binding out of sight. */
export function popBinding(): void {
  innermost = changetype<Binding>(innermost).outer;
}

function findBinding(name: Text): usize {
  let at = innermost;
  while (at != 0) {
    const binding = changetype<Binding>(at);
    if (sameText(binding.name, name)) return at;
    at = binding.outer;
  }
  return 0;
}

/** The value of a name, or a null reference. */
export function lookUp(name: Text): Value {
  const binding = findBinding(name);
  if (binding != 0) return changetype<Binding>(binding).value;
  const map = changetype<Fields>(inputs);
  const field = findKey(map, name);
  return field < 0 ? changetype<Value>(0) : map.value(field);
}

/** Whether a name is in sight of an evaluation. */
export function isInput(name: Text): bool {
  return findBinding(name) != 0 || findKey(changetype<Fields>(inputs), name) >= 0;
}

/** Whether a name is in sight of a check request, whose list may hold other things than text. */
export function isListed(name: Text): bool {
  if (findBinding(name) != 0) return true;
  const names = changetype<List>(inputs);
  for (let i: u32 = 0; i < names.count; i++) {
    const item = names.at(i);
    if (item.kind == TEXT && sameText(changetype<Text>(item), name)) return true;
  }
  return false;
}
