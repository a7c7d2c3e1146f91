// All texts of the template library and of its sheet.
import { plural } from '#app/domain/time/moments.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { Group } from './recipes.ts'

export const TEMPLATES_NOT_FETCHED = 'Failed to fetch templates'
const COPY_TEMPLATE_FAILED = 'Failed to copy template'
const TEMPLATE_NOT_CREATED = 'Failed to create template'

export const GROUP_LABELS: Readonly<Record<Group, string>> = {
  customers: 'Customers',
  money: 'Money',
  office: 'Office',
  technicians: 'Technicians',
}

export const LIBRARY_TEXTS = {
  title: 'Template Library',
  recipes: 'Start with a recipe',
  lead: 'Check the message, turn it on.',
  all: 'All templates',
  use: 'Use',
  library: 'Template Library',
  search: 'Search templates',
  searchHint: 'quote, reminder, SMS',
  notFetched: 'Please load the page again in a moment.',
  noneFound: 'No template fits',
  none: 'No templates yet',
  tryAgain: 'Try fewer words, or another category.',
  showAll: 'Show all templates',
  ownReminder: 'ServiceM8 has its own message for this',
} as const

export function countText(count: number, found: boolean): string {
  return `${plural(count, 'template')}${found ? ' found' : ''}`
}

export const SHEET_TEXTS = {
  back: 'Template Library',
  blanks: 'Fill in',
  noBlanks: 'Ready to turn on.',
  optional: 'Optional.',
  choose: 'Choose',
  missing: 'Fill this in.',
  badge: 'Jobs with this badge are skipped. Leave empty to skip none.',
  change: 'Change the message',
  placeholders: (noun: string) => `Parts in {braces} fill in for each ${noun}.`,
  preview: (noun: string) => `Test with a real ${noun}`,
  nothingSent: 'Nothing is sent.',
  noMessage: 'No message to customers.',
  notMet: 'This one would be skipped: the conditions are not met.',
  notShown: 'No preview at the moment',
  look: 'Show the preview',
  lookBack: 'Last 30 days',
  lookingBack: 'Counting the last 30 days…',
  turnOn: 'Turn on',
  turningOn: 'Turning on…',
  editAll: 'Edit all',
  tooMany: 'Too many previews. Try again in a minute.',
  offline: 'No connection. The preview is old.',
  failed: 'The preview could not be made. It is old.',
  signedOut: 'Please sign in again. The preview is old.',
  gone: 'This template was deleted. The preview is old.',
  notTurnedOn: 'It could not be created. Please try again.',
} as const

/** After the label of a step; `blanks` as a reader sees them. */
export function fillInText(blanks: readonly string[]): string {
  return `Fill in ${blanks.join(' and ')} first.`
}

/** What the template would have sent; null = unknown for this kind of rule. */
export interface LookBack {
  texts: number
  emails: number
  /** Runs that it would have started. */
  runs: number
  /** Runs a day, oldest first; null = the days are unknown. */
  days: readonly number[] | null
  /** Blanks that its conditions need first, as a reader sees them. */
  needs?: readonly string[]
}

/** `Last 30 days: 12 texts.` */
export function lookBackText({ texts, emails, runs, needs = [] }: LookBack): string {
  if (needs.length > 0) return `Fill in ${needs.join(' and ')} to see the last 30 days.`
  const sent = [texts > 0 ? plural(texts, 'text') : '', emails > 0 ? plural(emails, 'e-mail') : ''].filter(Boolean)
  if (sent.length > 0) return `Last 30 days: ${sent.join(', ')}.`
  return runs === 0 ? 'Last 30 days: nothing would have happened.' : `Last 30 days: ${plural(runs, 'run')}.`
}

export function templateGoneFlash(): Flash {
  return { kind: 'error', title: COPY_TEMPLATE_FAILED, description: 'This template was deleted.' }
}

export function templateCreatedFlash(name: string): Flash {
  return { kind: 'success', title: 'Template created', description: `${name} is in the library.` }
}

export function templateNotCreatedFlash(why: string): Flash {
  return { kind: 'error', title: TEMPLATE_NOT_CREATED, description: why }
}

/** A template turned on from its sheet; `isNew` false = the same automation was there already. */
export function turnedOnFlash(isNew: boolean, warning: string | null): Flash {
  if (!isNew) return { kind: 'info', title: 'Already there', description: 'This automation is on.' }
  return { kind: 'success', title: 'Automation created', description: warning ?? 'It is on.' }
}

export const CREATE_TEXTS = {
  summary: 'Create a template',
  noRules: 'Create an automation first. Then make a template of it.',
  rule: 'Automation',
  ruleHint: 'Write [[like this]] for a blank.',
  category: 'Template category',
  name: 'Template name',
  description: 'What it does for its user',
  isPublic: 'Every account may use it',
  create: 'Create template',
  chooseRule: 'Choose the automation for the template.',
  adminsOnly: 'Only admins create templates.',
} as const
