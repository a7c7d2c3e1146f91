// Settings of an account for all its automations: how they treat customers, and who signs messages to staff. Parsed
// from an API call, from the form, and from storage.
import { z } from 'zod'
import { type AutomationSettings, accountGuardsSchema } from '#app/domain/automations/account-guards.ts'
import { readNumber } from '../records/field-value.ts'
import { DEFAULT_ACCOUNT_GUARDS, readAccountGuards } from '../rules/guards.ts'

export const DEFAULT_SETTINGS: AutomationSettings = { ...DEFAULT_ACCOUNT_GUARDS, senderStaffUuid: null }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function isRecordUuid(text: string): boolean {
  return UUID.test(text)
}

/** The id of a record in a body, as ServiceM8 writes it: in small letters, however it was sent. */
export const recordUuid = (missing: string, wanted: string) =>
  z
    .string(missing)
    .refine(isRecordUuid, wanted)
    .transform((uuid) => uuid.toLowerCase())

const SENDER_WANTED = 'Enter the id of a staff member, or null.'
const sender = recordUuid(SENDER_WANTED, SENDER_WANTED).nullable()

/** Body of a change: any of the settings; those left out stay unchanged. */
export const settingsChange = z.strictObject({ ...accountGuardsSchema.shape, senderStaffUuid: sender }).partial()
export type SettingsChange = z.infer<typeof settingsChange>

/** Returns the stored settings, with the default for every missing or unreadable value. */
export function readSettings(stored: unknown): AutomationSettings {
  return { ...readAccountGuards(stored), senderStaffUuid: readSender(stored) }
}

function readSender(stored: unknown): string | null {
  if (typeof stored !== 'object' || stored === null || !('senderStaffUuid' in stored)) return null
  const { senderStaffUuid } = stored
  return typeof senderStaffUuid === 'string' && isRecordUuid(senderStaffUuid) ? senderStaffUuid : null
}

/** Applies a change. Missing and undefined both mean unchanged. */
export function applyChange(before: AutomationSettings, change: SettingsChange): AutomationSettings {
  const named = Object.entries(change).filter(([, value]) => value !== undefined)
  return { ...before, ...Object.fromEntries(named) }
}

/** Quiet hours for all automations; for those that opt in; for none. */
export type QuietChoice = 'all' | 'asked' | 'none'

/** Form fields as typed. */
export interface SettingsForm {
  quiet: QuietChoice
  quietFrom: string
  quietTo: string
  quietWeekends: boolean
  customerCooldownDays: string
  ruleDailyCap: string
  accountDailyCap: string
  floodPerHour: string
  /** '' = the first active staff member. */
  senderStaffUuid: string
}

export type SettingsErrors = Partial<Record<keyof SettingsForm, string[]>>

const NUMBERS = ['customerCooldownDays', 'ruleDailyCap', 'accountDailyCap', 'floodPerHour'] as const

const SAME_TIMES = 'Choose an end that differs from the start, or "No quiet hours".'

type ReadForm = { outcome: 'read'; change: SettingsChange } | { outcome: 'invalid'; errors: SettingsErrors }

/** As submitted. An empty number means the default. */
export function settingsFormOf(sent: URLSearchParams): SettingsForm {
  const text = (name: string) => (sent.get(name) ?? '').trim().slice(0, 100)
  const quiet = text('quiet')
  return {
    quiet: quiet === 'all' || quiet === 'none' ? quiet : 'asked',
    quietFrom: text('quietFrom'),
    quietTo: text('quietTo'),
    quietWeekends: sent.get('quietWeekends') === 'true',
    customerCooldownDays: text('customerCooldownDays'),
    ruleDailyCap: text('ruleDailyCap'),
    accountDailyCap: text('accountDailyCap'),
    floodPerHour: text('floodPerHour'),
    senderStaffUuid: text('senderStaffUuid'),
  }
}

/** Parses the form. Without quiet hours their times are not validated, so they may stay as they are. */
export function readSettingsForm(form: SettingsForm): ReadForm {
  const { quiet, quietWeekends, senderStaffUuid } = form
  const isOff = quiet === 'none'
  const given = {
    quietFrom: isOff ? NO_QUIET : form.quietFrom,
    quietTo: isOff ? NO_QUIET : form.quietTo,
    quietWeekends: !isOff && quietWeekends,
    quietForAll: quiet === 'all',
    ...Object.fromEntries(NUMBERS.map((name) => [name, numberOf(form[name], DEFAULT_ACCOUNT_GUARDS[name])])),
    senderStaffUuid: senderStaffUuid === '' ? null : senderStaffUuid,
  }
  const parsed = settingsChange.safeParse(given)
  const errors: Record<string, string[]> = {}
  for (const { path, message } of parsed.success ? [] : parsed.error.issues) {
    const name = String(path[0])
    errors[name] = [...(errors[name] ?? []), message]
  }
  // The engine reads two equal times as no quiet hours, which is not what the user meant.
  if (!isOff && !quietWeekends && form.quietFrom === form.quietTo && !errors.quietFrom) errors.quietTo = [SAME_TIMES]
  if (!parsed.success || Object.keys(errors).length > 0) return { outcome: 'invalid', errors }
  return { outcome: 'read', change: parsed.data }
}

const NO_QUIET = '00:00'

/** `1,000` is a thousand, as in conditions: read as 1, it would hold nearly every message. */
const numberOf = (text: string, otherwise: number) => (text === '' ? otherwise : (readNumber(text) ?? Number.NaN))

/** Returns the initial form. Without quiet hours it suggests the default times. */
export function formOfSettings(settings: AutomationSettings, quiet: QuietChoice): SettingsForm {
  const { quietFrom, quietTo } = quiet === 'none' ? DEFAULT_ACCOUNT_GUARDS : settings
  return {
    quiet,
    quietFrom,
    quietTo,
    quietWeekends: settings.quietWeekends,
    customerCooldownDays: String(settings.customerCooldownDays),
    ruleDailyCap: String(settings.ruleDailyCap),
    accountDailyCap: String(settings.accountDailyCap),
    floodPerHour: String(settings.floodPerHour),
    senderStaffUuid: settings.senderStaffUuid ?? '',
  }
}
