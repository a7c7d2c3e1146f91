type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** All methods by name, without their families. */
export type MethodsOf<Of> = Together<Of[keyof Of]>

type AnyMethod = (...given: never[]) => Promise<unknown>

/** The same families with some methods replaced. */
export function withMethods<Of extends object>(families: Of, replaced: Partial<MethodsOf<Of>>): Of {
  return eachMethod(families, (name, method) => (replaced as Record<string, AnyMethod | undefined>)[name] ?? method)
}

/** The same families with each method wrapped. */
export function eachMethod<Of extends object>(families: Of, wrap: (name: string, method: AnyMethod) => AnyMethod): Of {
  const wrapped = Object.entries(families).map(([family, methods]) => [
    family,
    Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, wrap(name, method as AnyMethod)])),
  ])
  return Object.fromEntries(wrapped) as Of
}

/** All methods by name, as one object. */
export function methodsOf<Of extends object>(families: Of): MethodsOf<Of> {
  return Object.assign({}, ...Object.values(families)) as MethodsOf<Of>
}
