/** Closes a switch over a union: the compiler reports a missing case, and at run time it throws. */
export function assertNever(value: never): never {
  throw new Error(`unexpected case: ${JSON.stringify(value)}`)
}
