// The addresses of the API reference: an index and a page per subject. A test compares them with the calls.

export const REFERENCE_PATH = '/api-reference'

/** The subjects of the calls, as their addresses name them. */
export const SUBJECTS = [
  'accounts',
  'sessions-and-data',
  'webhooks',
  'forwarding-rules',
  'notices',
  'events-and-deliveries',
  'automations',
  'templates',
  'pick-lists',
  'subscription',
  'operating',
  'this-reference',
] as const

/** Pages about all calls, or about none. */
export const GENERAL_PARTS = ['general', 'forward', 'other-addresses'] as const
export type GeneralPart = (typeof GENERAL_PARTS)[number]

export const REFERENCE_PARTS: readonly string[] = [...GENERAL_PARTS, ...SUBJECTS]

export const GENERAL_TITLES: Record<GeneralPart, string> = {
  general: 'Before you call',
  forward: 'What we send to your address',
  'other-addresses': 'Other addresses',
}

/** The page of a part; `anchor` = a place on it. */
export function referenceAddress(part: string, anchor = ''): string {
  return `${REFERENCE_PATH}/${part}${anchor === '' ? '' : `#${anchor}`}`
}
