/**
 * An error that callers branch on: its code is stable and in kebab-case, and its message is for
 * people. Each kind of error is a class of its own, so that `instanceof` tells them apart, and names
 * the codes that it can have, so that a misspelt one doesn't compile.
 *
 * @example
 * class KeyError extends CodedError<"key-malformed" | "key-weak"> {}
 * throw new KeyError("key-weak", "anyone could sign with this key");
 */
export class CodedError<Code extends string> extends Error {
  readonly code: Code;

  /** @param options.cause for logs: what went wrong beneath. */
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}
