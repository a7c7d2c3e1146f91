// API reference texts for the fields that webhooks and forwarding rules share.
import { OBJECT_KINDS } from '#app/domain/object-catalog.ts'
import { LONGEST_URL, MOST_FIELDS } from '../endpoint.ts'

export const ADDRESS_NOTE = {
  description: '`https://…`. Private addresses and our own are refused.',
  maxLength: LONGEST_URL,
}
export const FIELDS_NOTE = {
  description: `Field names as text with commas, or as a list of at most ${MOST_FIELDS}. Empty = all fields.`,
}
export const OBJECT_NOTE = `One of ${OBJECT_KINDS.map(({ type }) => `\`${type}\``).join(', ')}. Required unless a \`customObject\` is chosen.`
export const CUSTOM_NOTE = 'Another object type, in admin mode only. Without admin mode it is ignored: `object` counts.'
export const CHOOSES_NOTE = 'True = `customObject` counts. Sending `customObject` says so as well.'
