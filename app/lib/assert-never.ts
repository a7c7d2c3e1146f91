/** Closes a switch over a union: the compiler complains when a case is missing, and at run time it throws. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`)
}
