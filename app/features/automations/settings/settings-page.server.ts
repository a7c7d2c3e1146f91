// The settings page: its data and its buttons.
import type { Mute } from '#app/domain/automations/receipt.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { GuardChange } from '#db/store/run-guards.ts'
import { actOnMute, listMutes } from '../history/mutes.server.ts'
import {
  changeSettings,
  listSenders,
  loadSettings,
  type Senders,
  type SettingsApp,
} from './automation-settings.server.ts'
import {
  DEFAULT_SETTINGS,
  formOfSettings,
  readSettingsForm,
  type SettingsErrors,
  type SettingsForm,
  settingsFormOf,
} from './automation-settings.ts'
import { readMuteAct } from './mute.ts'
import { limitsLine, quietChoice, SETTINGS_FLASHES } from './settings-text.ts'

/** Maximum number listed. */
const MOST_LISTED = 200

interface SettingsData {
  form: SettingsForm
  senders: Senders
  mutes: Mute[]
  /** Number beyond those listed. */
  moreMutes: number
  /** Newest first. */
  changes: GuardChange[]
}

export async function loadSettingsPage(app: SettingsApp, accountUuid: string): Promise<SettingsData> {
  const [settings, senders, mutes, changes] = await Promise.all([
    loadSettings(app, accountUuid),
    listSenders(app, accountUuid),
    listMutes(app, accountUuid),
    app.store.runs.listGuardChanges(accountUuid),
  ])
  return {
    form: formOfSettings(settings, quietChoice(settings)),
    senders,
    mutes: mutes.slice(0, MOST_LISTED),
    moreMutes: Math.max(0, mutes.length - MOST_LISTED),
    changes,
  }
}

/** One line for the automations page. */
export async function loadLimitsLine(app: Pick<SettingsApp, 'store' | 'clock'>, accountUuid: string): Promise<string> {
  const [settings, mutes] = await Promise.all([loadSettings(app, accountUuid), listMutes(app, accountUuid)])
  return limitsLine(settings, DEFAULT_SETTINGS, mutes)
}

type SettingsActed =
  | { outcome: 'done'; flash: Flash }
  /** Redraw the form with the typed values. */
  | { outcome: 'form'; form: SettingsForm; errors: SettingsErrors; flash: Flash }

/** `sent`: the form's fields; or `act` = `allow` with `mute`. `staffUuid` = the requester, if the session knows. */
export async function actOnSettings(
  app: SettingsApp,
  accountUuid: string,
  sent: URLSearchParams,
  staffUuid: string | null,
): Promise<SettingsActed> {
  const act = readMuteAct(sent.get('act'))
  if (act !== null) return { outcome: 'done', flash: await actOnMute(app, accountUuid, act, sent, staffUuid) }
  const form = settingsFormOf(sent)
  const wrong = (errors: SettingsErrors): SettingsActed => ({
    outcome: 'form',
    form,
    errors,
    flash: SETTINGS_FLASHES.wrong,
  })
  const read = readSettingsForm(form)
  if (read.outcome === 'invalid') return wrong(read.errors)
  const saved = await changeSettings(app, accountUuid, read.change, staffUuid)
  switch (saved.outcome) {
    case 'saved':
      return { outcome: 'done', flash: saved.changed ? SETTINGS_FLASHES.saved : SETTINGS_FLASHES.unchanged }
    case 'invalid':
      return wrong(saved.errors)
    case 'not_asked':
      return wrong({ senderStaffUuid: [saved.message] })
  }
}
