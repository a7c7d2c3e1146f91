// One trial for each place that receives text: found by the types of the parameters, or listed (`entrances.ts`).
import type { FoundFunction, Parameter } from './functions.ts'
import { barely, deeplyNested, FEW_UNITS, manyKeys, type Shape, shapesOf, UNITS } from './inputs.ts'
import { MOST_MS_APART, type Trial } from './measure.ts'
import { AROUND, BESIDE, LIMITS, USUAL_LIMIT } from './samples.ts'

export interface NamedTrial extends Trial {
  /** `app/features/events/wire.ts readPayload(body)`. */
  name: string
  /** The parts of the input. */
  input: string
}

/** How text becomes a parameter's value; several entries for several ways in. */
const FROM_TEXT: Readonly<Record<string, readonly ((text: string) => unknown)[]>> = {
  string: [(text) => text],
  'string | null': [(text) => text],
  'string | undefined': [(text) => text],
  'string | null | undefined': [(text) => text],
  unknown: [(text) => text],
  URLSearchParams: [(text) => new URLSearchParams(text), (text) => answersAll(text)],
  'readonly string[]': [(text) => [text], (text) => text.match(/[\s\S]{1,8}/g) ?? []],
  'Iterable<string>': [(text) => [text], (text) => text.match(/[\s\S]{1,8}/g) ?? []],
  'string | readonly string[]': [(text) => text, (text) => text.split(',')],
  FormData: [formWith],
  Uint8Array: [(text) => new TextEncoder().encode(text)],
  'Uint8Array | undefined': [(text) => new TextEncoder().encode(text)],
  'readonly Uint8Array[]': [(text) => [new TextEncoder().encode('a'), new TextEncoder().encode(text)]],
}

/** Uses the names of the forms' fields, and as many fields as the text spells. */
function formWith(text: string): FormData {
  const form = new FormData()
  for (const name of ['url', 'object', 'objectType', 'fields', 'name', 'accountUUID']) form.append(name, text)
  for (const [name, value] of new URLSearchParams(text)) form.append(name, value)
  return form
}

/** Has every requested parameter. */
function answersAll(text: string): URLSearchParams {
  const params = new URLSearchParams([['q', text]])
  params.get = () => text
  params.getAll = () => [text]
  params.has = () => true
  return params
}

/** Records are created from a length instead of one text. */
const FROM_LENGTH: Readonly<Record<string, readonly ((length: number) => unknown)[]>> = {
  unknown: [
    (length) => manyKeys(length, 'value'),
    (length) => Array.from({ length: Math.floor(length / 16) }, () => ({ a: 'b' })),
    deeplyNested,
  ],
  'Readonly<Record<string, unknown>>': [
    (length) => manyKeys(length, 'value'),
    (length) => ({ a: deeplyNested(length) }),
  ],
  'Record<string, unknown>': [(length) => manyKeys(length, 'value')],
  'Readonly<Record<string, string>>': [(length) => manyKeys(length, 'value')],
  Values: [(length) => manyKeys(length, 'value')],
  'readonly Readonly<Record<string, unknown>>[]': [
    (length) => Array.from({ length: Math.floor(length / 16) }, (_, n) => ({ [`f${n}`]: 'value' })),
  ],
}

export function isReachable(type: string): boolean {
  return type in FROM_TEXT || type in FROM_LENGTH
}

/** Null when no sample exists for a parameter's type. */
export function besideOf({ type, optional }: Parameter): { value: unknown } | null {
  if (optional) return { value: undefined }
  if (type in BESIDE) return { value: BESIDE[type] }
  const [, literal] = /^'([^']*)'(?: \| '[^']*')*$/.exec(type) ?? []
  return literal === undefined ? null : { value: literal }
}

/** Whether it can be called with only its types known. */
export function isCallable({ parameters }: FoundFunction): boolean {
  const reached = parameters.some(({ type }) => isReachable(type))
  return reached && parameters.every((one) => isReachable(one.type) || besideOf(one) !== null)
}

export function trialsOf(found: FoundFunction, call: (...given: unknown[]) => unknown, whole: boolean): NamedTrial[] {
  const id = `${found.file} ${found.name}`
  const limit = LIMITS[id]?.most ?? LIMITS[found.file]?.most ?? USUAL_LIMIT
  const shapes = whole ? shapesOf(UNITS, AROUND[id]) : barely(FEW_UNITS, AROUND[id])
  const beside = found.parameters.map((one) => besideOf(one)?.value)
  return found.parameters.flatMap((parameter, at) => {
    const name = `${id}(${parameter.name})`
    const calling = (value: unknown) => () => call(...beside.with(at, value))
    const texts = (FROM_TEXT[parameter.type] ?? []).flatMap((read) =>
      shapes.map((shape) => ({
        name,
        input: shape.name,
        limit,
        run: (length: number) => calling(read(shape.make(length))),
      })),
    )
    const records = (FROM_LENGTH[parameter.type] ?? []).map((make, n) => ({
      name,
      input: `record ${n + 1}`,
      limit,
      run: (length: number) => calling(make(length)),
    }))
    return [...texts, ...records]
  })
}

/** A listed entry point. */
export interface Entrance {
  name: string
  /** Functions that are tested here, as `file name`: those whose parameter types do not tell how to call them. */
  covers?: readonly string[]
  limit: number
  mostKept?: number
  /** Runs on the long-work thread. */
  apart?: true
  /** Its own shapes, in addition to the common ones. */
  shapes?: readonly Shape[]
  /** False: only its own shapes. */
  common?: false
  /** Similar to an existing one: only tested by the long version. */
  wholeOnly?: true
  /** Prepares the text before the clock runs; returns the measured work. */
  prepare(text: string): () => unknown
}

export function trialsOfEntrance(entrance: Entrance, whole: boolean): NamedTrial[] {
  const { name, limit, mostKept, apart, shapes = [], common, prepare } = entrance
  const all = [...shapes, ...(common === false ? [] : whole ? shapesOf(UNITS) : barely(FEW_UNITS))]
  return all.map(
    (shape): NamedTrial => ({
      name,
      input: shape.name,
      limit,
      ...(mostKept !== undefined && { mostKept }),
      ...(apart && { mostMs: MOST_MS_APART }),
      run: (length) => prepare(shape.make(length)),
    }),
  )
}
