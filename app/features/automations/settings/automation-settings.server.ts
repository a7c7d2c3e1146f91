// Loads and changes an account's automation settings, for the page and the API.
import type { App } from '#app/context/app-context.ts'
import type { AutomationSettings } from '#app/domain/automations/account-guards.ts'
import { activeStaff, staffName } from '../records/staff-members.server.ts'
import type { NamedId } from '../rules/form-lists.ts'
import { applyChange, readSettings, type SettingsChange } from './automation-settings.ts'
import { changeText } from './settings-text.ts'

export type SettingsApp = Pick<App, 'store' | 'clock' | 'log' | 'planning'>

export async function loadSettings(app: Pick<App, 'store'>, accountUuid: string): Promise<AutomationSettings> {
  return readSettings(await app.store.runs.findAccountGuards(accountUuid))
}

export type Senders =
  | { outcome: 'ok'; staff: NamedId[] }
  /** ServiceM8 does not answer; `message` is its own. */
  | { outcome: 'unknown'; message: string }

/** Returns the possible senders: all active staff. */
export async function listSenders(app: Pick<App, 'planning'>, accountUuid: string): Promise<Senders> {
  const answer = await activeStaff(app.planning.facts.reader(accountUuid))
  if (answer.outcome !== 'ok') return { outcome: 'unknown', message: answer.trouble.message }
  const staff = answer.staff.flatMap((one) => (one.uuid ? [{ uuid: one.uuid, label: staffName(one) }] : []))
  return { outcome: 'ok', staff }
}

/** Returns names by uuid, for display only; empty when ServiceM8 does not answer. */
export async function staffNames(app: Pick<App, 'planning'>, accountUuid: string): Promise<Record<string, string>> {
  const senders = await listSenders(app, accountUuid)
  return Object.fromEntries(senders.outcome === 'ok' ? senders.staff.map(({ uuid, label }) => [uuid, label]) : [])
}

/** Returns the person's name; null = unknown: they signed in without an identity, or ServiceM8 does not answer. */
export async function personName(
  app: Pick<App, 'planning'>,
  accountUuid: string,
  staffUuid: string | null,
): Promise<string | null> {
  if (staffUuid === null) return null
  const senders = await listSenders(app, accountUuid)
  return (senders.outcome === 'ok' && senders.staff.find((one) => one.uuid === staffUuid)?.label) || null
}

type SettingsChanged =
  | { outcome: 'saved'; settings: AutomationSettings; changed: boolean }
  | { outcome: 'invalid'; errors: Record<string, string[]> }
  /** A new sender was chosen, but the staff list cannot be read. Nothing was saved. */
  | { outcome: 'not_asked'; message: string }

const NOBODY = 'No active staff member has this id. Choose another one.'
const NOT_ASKED = 'We could not read your staff from ServiceM8. Choose another sender later.'

/** `staffUuid` = the requester, as far as the session knows. `known` = the settings that the change was made from. */
export async function changeSettings(
  app: SettingsApp,
  accountUuid: string,
  change: SettingsChange,
  staffUuid: string | null,
  known?: AutomationSettings,
): Promise<SettingsChanged> {
  const before = known ?? (await loadSettings(app, accountUuid))
  const settings = applyChange(before, change)
  const { senderStaffUuid } = settings
  let senderName: string | null = null
  if (senderStaffUuid !== null && senderStaffUuid !== before.senderStaffUuid) {
    const senders = await listSenders(app, accountUuid)
    if (senders.outcome === 'unknown') return { outcome: 'not_asked', message: NOT_ASKED }
    senderName = senders.staff.find((one) => one.uuid === senderStaffUuid)?.label ?? null
    if (senderName === null) return { outcome: 'invalid', errors: { senderStaffUuid: [NOBODY] } }
  }
  const words = changeText(before, settings, senderName)
  if (words !== '') {
    const by = await personName(app, accountUuid, staffUuid)
    // Only what differs: meanwhile, another change may have been saved.
    const differs = ([name, value]: [string, unknown]) => value !== before[name as keyof AutomationSettings]
    const changed = Object.fromEntries(Object.entries(settings).filter(differs))
    await app.store.runs.saveAccountGuards(accountUuid, changed, app.clock.now(), { by, words })
    app.log.info({ account: accountUuid, staff: staffUuid }, 'automation.settings_changed')
  }
  return { outcome: 'saved', settings: await loadSettings(app, accountUuid), changed: words !== '' }
}
