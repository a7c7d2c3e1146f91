// Dynamic mappings: names for fields of the API test. Only in the browser; exported as JSON, version 1.0.
import { z } from 'zod'
import { parseJson } from '#app/lib/json.ts'
import { API_NAMES, type ApiName } from './lookups.ts'

/** One call of a chain: reads this field of a record from this list. */
interface ApiChainLink {
  api: ApiName
  field: string
}

export interface DynamicMapping {
  name: string
  /** Each link but the last gives the uuid for the next lookup; the last link gives the value. */
  apiChain: ApiChainLink[]
  /** ISO 8601. */
  createdAt: string
  type: 'custom'
}

/** By key. */
export type DynamicMappings = Readonly<Record<string, DynamicMapping>>

const MAPPING_NAME_REQUIRED = 'Field name is required'
export const MAPPINGS_NOT_READ = 'This is no export of dynamic mappings, version 1.0.'
export const MOST_LINKS = 4
const MOST_MAPPINGS = 500
const LONGEST_NAME = 100

/** `Customer e-mail` becomes `customer_e_mail`. */
export function mappingKey(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '_')
}

type MadeMapping =
  | { outcome: 'made'; key: string; mapping: DynamicMapping }
  | { outcome: 'refused'; at: 'name' | 'chain'; message: string }

/** `createdAt` = now, ISO 8601. */
export function makeMapping(name: string, apiChain: readonly ApiChainLink[], createdAt: string): MadeMapping {
  const trimmed = name.trim().slice(0, LONGEST_NAME)
  if (trimmed === '') return { outcome: 'refused', at: 'name', message: MAPPING_NAME_REQUIRED }
  if (apiChain.length === 0 || apiChain.some((link) => link.field.trim() === '')) {
    return { outcome: 'refused', at: 'chain', message: 'Say which field each call is to give.' }
  }
  const chain = apiChain.slice(0, MOST_LINKS).map(({ api, field }) => ({ api, field: field.trim() }))
  return {
    outcome: 'made',
    key: mappingKey(trimmed),
    mapping: { name: trimmed, apiChain: chain, createdAt, type: 'custom' },
  }
}

export function exportMappings(dynamicMappings: DynamicMappings, timestamp: string): string {
  return JSON.stringify({ dynamicMappings, timestamp, version: '1.0' }, null, 2)
}

const link = z.object({
  api: z.enum(Object.keys(API_NAMES) as [ApiName, ...ApiName[]]),
  field: z.string().min(1).max(500),
})
const exported = z.object({
  dynamicMappings: z.record(
    z.string(),
    z.object({
      name: z.string().trim().min(1).max(LONGEST_NAME),
      apiChain: z.array(link).min(1).max(MOST_LINKS),
      createdAt: z.string().max(40),
      type: z.literal('custom'),
    }),
  ),
  timestamp: z.string().optional(),
  version: z.literal('1.0'),
})

type ReadMappings =
  | { outcome: 'read'; mappings: DynamicMappings; count: number }
  | { outcome: 'refused'; message: string }

/** Rebuilds keys from the names, so edits by hand stay consistent. */
export function readMappings(text: string): ReadMappings {
  const value = parseJson(text)
  if (value === undefined) return { outcome: 'refused', message: 'Invalid JSON format' }
  const read = exported.safeParse(value)
  if (!read.success) return { outcome: 'refused', message: MAPPINGS_NOT_READ }
  const all = Object.values(read.data.dynamicMappings)
  if (all.length > MOST_MAPPINGS) return { outcome: 'refused', message: `At most ${MOST_MAPPINGS} mappings at once.` }
  const mappings = Object.fromEntries(all.map((mapping) => [mappingKey(mapping.name), mapping]))
  return { outcome: 'read', mappings, count: Object.keys(mappings).length }
}
