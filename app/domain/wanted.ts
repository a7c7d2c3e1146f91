// What a field of a body or a form wants: the sentences for a value of another type, and what counts as yes or no.
import { z } from 'zod'

export const WANTED = {
  text: 'Must be text',
  number: 'Must be a number',
  flag: 'Must be true or false',
  list: 'Must be a list',
  object: 'Must be an object',
  record: 'Must be the uuid of a record',
} as const

const YES: readonly unknown[] = [true, 'true', 'on', 'yes']

/** A form's checkbox or a body's boolean. An empty text is neither yes nor no. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false', 'on', 'off', 'yes', 'no'])], WANTED.flag)
  .transform((value) => YES.includes(value))

/** The same; undefined when missing. */
export const flag = yesOrNo.nullish().transform((value) => value ?? undefined)
